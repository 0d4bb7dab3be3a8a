"""Answers, articles and lists as a compromised help center would send them."""

import json
from collections.abc import Sequence
from typing import Any

from playwright.async_api import Page, Route, expect

from tests.support.chromium import Complaints
from tests.support.host_pages import HostPage, HostSite
from tests.support.widget_pages import Widget, ask, open_panel, panel, question_field

ANYWHERE = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*"}
# Markdown around a payload that puts it in every position for which the widget creates an element.
PLACES = """\
{0}

a {0} b [1] [a]({0}) ![a]({0}) <{0}> [a][{0}] **{0}** `{0}` <kbd>{0}</kbd>

- {0}

> {0}

| {0} | b |
|---|---|
| {0} | {0} |

# {0}

<details><summary>{0}</summary>

{0}

</details>

[{0}]: {0}
"""
# The elements that the widget creates from texts; any other element would be a vulnerability.
ALLOWED = """
    a blockquote br button canvas code del div em footer form h2 h3 h4 h5 h6 header hr input kbd li ol p path
    pre section small span strong sub sup svg table tbody td th thead tr ul
"""
FAULTS = """(allowed) => {
  const { shadowRoot } = document.querySelector("[data-mode]")
  const faults = []
  for (const element of shadowRoot.querySelectorAll("*")) {
    if (!allowed.includes(element.localName)) faults.push(element.outerHTML.slice(0, 200))
    for (const { name, value } of element.attributes) {
      if (/^on|^style$|^src|^action|^formaction|^xlink/.test(name) && !element.matches(".panel[style]")) {
        faults.push(`${name}=${value}`)
      }
    }
    if (element.localName === "a" && !/^(https?|mailto):$/.test(element.protocol)) faults.push(element.href)
  }
  return [...faults, ...(window.ran ?? [])]
}"""
# Functions that payloads call to show that they ran.
TRAPS = """window.ran = [];
for (const name of ["alert", "confirm", "prompt", "print"]) window[name] = () => { window.ran.push(name) };
addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) =>
  window.ran.push(`${violatedDirective} ${blockedURI}`));"""


class HostileHelpCenter:
    """Sends these payloads in every displayed field of every response."""

    def __init__(self, payloads: Sequence[str]) -> None:
        self.payloads = payloads

    @property
    def text(self) -> str:
        return "\n\n".join(PLACES.replace("{0}", payload) for payload in self.payloads)

    @property
    def links(self) -> list[dict[str, Any]]:
        return [
            {
                "n": n,
                "articleId": "art_1",
                "title": text,
                "url": "javascript:alert(1)",
                "heading": text,
                "excerpt": text,
            }
            for n, text in enumerate(self.payloads, 1)
        ]

    async def answer(self, route: Route) -> None:
        url = route.request.url
        if "/chat" in url:
            whole = {"answer": self.text, "answered": True, "confidence": 1, "sources": self.links}
            ids = {"conversationId": "conv_1", "messageId": "msg_1"}
            parts = [
                ("sources", {"sources": self.links}),
                ("delta", {"text": self.text}),
                ("done", {**whole, **ids}),
            ]
            body = "".join(f"event: {name}\ndata: {json.dumps(data)}\n\n" for name, data in parts)
            await route.fulfill(body=body, content_type="text/event-stream", headers=ANYWHERE)
        elif "/articles/" in url:
            article = {"id": "art_1", "title": self.payloads[0], "locale": self.payloads[0]}
            sent = {**article, "url": "https://help.test/a", "contentMarkdown": self.text}
            await route.fulfill(json=sent, headers=ANYWHERE)
        else:
            await route.fulfill(json={"results": self.links}, headers=ANYWHERE)


async def faults_of(
    page: Page,
    complaints: Complaints,
    hosts: HostSite,
    widget: Widget,
    payloads: Sequence[str],
    policy: str | None,
) -> list[str]:
    """Payloads that ran, reported violations, requests to other origins, and unexpected elements."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in ("**/chat", "**/articles/*", "**/search?**", "**/suggestions?**"):
        await page.route(path, HostileHelpCenter(payloads).answer)
    await page.add_init_script(TRAPS)
    await page.goto(hosts.add(HostPage(widget.tag(), policy)))
    complaints.lines.clear()
    faults: list[str] = []
    await open_panel(page)
    await expect(panel(page).get_by_role("listitem")).to_have_count(len(payloads))
    faults += await page.evaluate(FAULTS, ALLOWED.split())
    await question_field(page).fill("anything")
    await expect(panel(page).get_by_role("status")).to_contain_text("Articles found")
    faults += await page.evaluate(FAULTS, ALLOWED.split())
    await panel(page).get_by_role("button", name="Close", exact=True).click()
    await ask(page, "anything else")
    await expect(panel(page).get_by_role("button", name="Yes", exact=True)).to_be_visible()
    faults += await page.evaluate(FAULTS, ALLOWED.split())
    await panel(page).locator(".answer .rows button").first.click()
    await expect(panel(page).locator(".article .rating, .article > blockquote").first).to_be_visible()
    faults += await page.evaluate(FAULTS, ALLOWED.split())
    places = (widget.server, hosts.origin, "data:,")
    return faults + complaints.lines + [url for url in asked if not url.startswith(places)]

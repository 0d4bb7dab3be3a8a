"""No page is wider than its window, down to 320 pixels, whatever its words are (WCAG 2.2, reflow)."""

import httpx2
from playwright.async_api import Page

from instep.demo.help import read_help
from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client
from tests.support.changelog_entries import publish_entry
from tests.support.host_pages import OPEN_SHADOWS, HostPage, HostSite
from tests.support.hostile_answers import HostileHelpCenter
from tests.support.oauth import Request, begin_session, member, register
from tests.support.site_pages import collect, publish
from tests.support.widget_pages import Widget, ask

WIDTHS = (320, 390)
WORD = "Donaudampfschifffahrtsgesellschaft" * 5
HOSTILE = f"""\
{WORD} `{WORD}` **{WORD}** [{WORD}](https://a.test/{WORD}) ~~{WORD}~~ <kbd>{WORD}</kbd>

## {WORD}

- {WORD}
  - {WORD}
    - `{WORD}`

> [!WARNING]
> {WORD}
>
> > {WORD}

| {WORD} | `{WORD}` |{" b |" * 20}
|---|---|{"---|" * 20}
| {WORD} | `{WORD}` |{" `c_d` |" * 20}

```
{WORD} {WORD}
```

<details open><summary>{WORD}</summary>{WORD}<table><tr><td>{WORD}</td><td>{WORD}</td></tr></table></details>

![{WORD}](https://127.0.0.1:9/{WORD}.png) <img src="/none.png" alt="{WORD}" width="4000" height="10">
![{WORD}](http://127.0.0.1:9/{WORD}.png)

{WORD}[^1]

[^1]: {WORD}
"""


async def hostile_pages(writer: Client, slug: str) -> list[str]:
    group = await collect(writer, WORD, description=WORD, icon="🧭")
    fields = {"description": WORD, "collectionId": group["id"]}
    article = await publish(writer, WORD, HOSTILE, slug="hostile", **fields)
    await publish(writer, WORD, HOSTILE, slug="arabic", locale="ar", translationOf=article["id"])
    await publish_entry(writer, WORD, contentMarkdown=HOSTILE)
    places = ("", "articles/hostile", "ar/articles/arabic", f"collections/{group['slug']}", "changelog")
    searches = ("search", f"search?q={WORD}", f"search?q=nothing+{WORD}")
    return [f"help/{slug}/{place}" for place in (*places, *searches)]


async def too_wide(page: Page, server: str, paths: list[str]) -> list[tuple[str, int, int]]:
    """The pages that scroll sideways, with the window's width and their own."""
    wide = []
    for path in paths:
        await page.goto(f"{server}/{path}")
        for width in WIDTHS:
            await page.set_viewport_size({"width": width, "height": 800})
            page_width = await page.evaluate("document.documentElement.scrollWidth")
            assert await page.evaluate("innerWidth") == width
            if page_width > width:
                wide.append((path, width, page_width))
    return wide


async def test_no_article_of_our_own_is_too_wide(server: str, writer: Client, cast: Cast, page: Page) -> None:
    """Each section becomes one article, because every block of a text has the same width there."""
    slugs = []
    for section in read_help():
        text = "\n\n".join(f"# {article.title}\n\n{article.text}" for article in section.pages)
        await publish(writer, section.about.title, text, slug=section.about.slug)
        slugs.append(section.about.slug)

    assert await too_wide(page, server, [f"help/{cast.acme.slug}/articles/{slug}" for slug in slugs]) == []


async def test_no_words_make_a_page_too_wide(server: str, writer: Client, cast: Cast, page: Page) -> None:
    paths = await hostile_pages(writer, cast.acme.slug)

    assert await too_wide(page, server, paths) == []


async def test_no_words_make_an_answer_wider_than_the_panel(
    page: Page, hosts: HostSite, widget: Widget
) -> None:
    await page.add_init_script(OPEN_SHADOWS)
    await page.route("**/chat", HostileHelpCenter([WORD, f"```\n{WORD} {WORD}\n```"]).answer)
    for root in ('lang="en"', 'lang="en" dir="rtl"'):
        await page.goto(hosts.add(HostPage(widget.tag(), root=root)))
        await ask(page)
        await page.locator(".rating").wait_for()
        for width in (*WIDTHS, 1024):
            await page.set_viewport_size({"width": width, "height": 800})

            main = page.locator(".panel .main")
            assert await main.evaluate("main => main.scrollWidth - main.clientWidth") == 0, (root, width)


async def test_no_page_for_programmers_or_strangers_is_too_wide(server: str, cast: Cast, page: Page) -> None:
    paths = ["docs/api", "sign-in", "nothing", f"help/{cast.acme.slug}/articles/nothing", "help/nobody/"]

    assert await too_wide(page, server, paths) == []


async def test_no_page_of_a_person_is_too_wide(server: str, cast: Cast, owner: Tx, page: Page) -> None:
    person = await member(owner, cast.acme)
    session = await begin_session(owner, person)
    await page.context.add_cookies([{"name": "instep-session", "value": session, "url": server}])
    async with httpx2.AsyncClient(base_url=server) as stranger:
        app = Request(await register(stranger, client_name=WORD[:100]))
    consent = app.path(resource=f"{server}/mcp/admin").removeprefix("/")
    refused = app.path(redirect_uri="https://elsewhere.test/callback").removeprefix("/")

    assert await too_wide(page, server, [consent, refused, "app/connected-apps"]) == []
    await page.goto(f"{server}/{consent}")
    assert "Allow" in await page.inner_text("body")

"""Hostile texts in answers, sources, lists and articles: no code runs, no violations, no foreign requests."""

from typing import Any

import pytest
from playwright.async_api import Page, expect

from tests.support.chromium import Complaints
from tests.support.host_pages import HostPage, HostSite
from tests.support.hostile_answers import HostileHelpCenter, faults_of
from tests.support.widget_pages import Widget, ask, panel

PAYLOADS = [
    "<script>alert(1)</script>",
    "<img src=https://elsewhere.test/x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "javascript:alert(1)",
    "JaVaScRiPt&colon;alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "blob:https://elsewhere.test/x",
    "//elsewhere.test/x",
    "![a](https://elsewhere.test/pixel.gif)",
    "[a](javascript:alert(1))",
    '[a](https://elsewhere.test/x "onmouseover=alert(1)")',
    '<https://elsewhere.test/"onclick=alert(1)>',
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<details open ontoggle=alert(1)><summary onclick=alert(1)>a</summary>",
    "<kbd onclick=alert(1)>a</kbd>",
    "<style>@import 'https://elsewhere.test/x.css'</style>",
    "<math><mi xlink:href='javascript:alert(1)'>a</mi></math>",
    "<form action=https://elsewhere.test/><input type=submit></form>",
    "\u202e\u0000\ufeff<b>a</b>",
    "__proto__",
    "constructor",
    "${alert(1)} {{alert(1)}}",
]


class PlainHelpCenter(HostileHelpCenter):
    """Sends texts as they are, without sources."""

    @property
    def text(self) -> str:
        return "\n\n".join(self.payloads)

    @property
    def links(self) -> list[dict[str, Any]]:
        return []


@pytest.mark.parametrize("is_strict", [True, False], ids=["with a policy", "without a policy"])
async def test_hostile_texts_stay_texts(
    page: Page, complaints: Complaints, hosts: HostSite, widget: Widget, is_strict: bool
) -> None:
    policy = widget.policy if is_strict else None

    assert await faults_of(page, complaints, hosts, widget, PAYLOADS, policy) == []


async def test_texts_that_take_long_to_read_do_not_hold_the_page_up(
    page: Page, complaints: Complaints, hosts: HostSite, widget: Widget
) -> None:
    """Many lines, and characters that open constructs which never close, used to take minutes."""
    endless = [
        "a\n" * 10_000 + "\n" * 10_000,
        *(sign * 1_000 for sign in ("[a](", "![a](", "<!--", "**a", "`a ")),
    ]

    assert await faults_of(page, complaints, hosts, widget, endless, widget.policy) == []


async def test_long_comments_are_hidden_and_long_links_work(
    page: Page, hosts: HostSite, widget: Widget
) -> None:
    comment, words = "licence " * 1_000, "bold " * 200
    long = [f"<!-- {comment}-->Read on.", f"**{words.strip()}** [here](https://a.test/{'b' * 1_500})"]
    await page.route("**/chat", PlainHelpCenter(long).answer)
    await page.goto(hosts.add(HostPage(widget.tag())))

    await ask(page)

    await expect(panel(page)).to_contain_text("Read on.")
    await expect(panel(page)).not_to_contain_text("licence")
    await expect(panel(page).get_by_role("link", name="here")).to_have_attribute(
        "href", f"https://a.test/{'b' * 1_500}"
    )
    await expect(panel(page)).not_to_contain_text("**")

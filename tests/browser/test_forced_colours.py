"""With forced colors (high contrast), texts, controls and focus are visible on pages and in the widget."""

from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Page

from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client
from tests.support.host_pages import OPEN_SHADOWS, HostPage, HostSite
from tests.support.site_pages import publish
from tests.support.visitors import open_to
from tests.support.widget_pages import TEXT, Widget, ask

# The tags and names of controls without visible borders, words or pictures, and of controls without an
# outline when focused; `root` is the document or the widget's shadow root.
UNSEEN = """
root => {
    const shown = [...root.querySelectorAll("a, button, input:not([type=hidden]), textarea, select, summary")]
        .filter(element => element.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        .filter(element => element.getBoundingClientRect().width > 1);
    const words = element => element.innerText || element.ariaLabel || element.name || "";
    const name = element => `${element.tagName} ${words(element)}`;
    const frame = style => parseFloat(style.borderTopWidth) + parseFloat(style.borderBottomWidth);
    const faults = [];
    for (const element of shown) {
        const style = getComputedStyle(element);
        const isField = element.matches("input, textarea, select");
        const isFramed = [element, element.parentElement].some(other => frame(getComputedStyle(other)) > 0);
        if (isField && !isFramed) faults.push(`no frame: ${name(element)}`);
        if (!isField && style.color === style.backgroundColor) faults.push(`no words: ${name(element)}`);
        element.focus();
        // Elements behind an open panel take no focus.
        if (!element.matches(":focus")) continue;
        const focused = [element, element.parentElement, element.closest("form, label, li")].filter(Boolean);
        const isRinged = focused.some(other => {
            const ring = getComputedStyle(other);
            return ring.outlineStyle !== "none" && parseFloat(ring.outlineWidth) >= 1;
        });
        if (!isRinged) faults.push(`no focus: ${name(element)}`);
    }
    return { count: shown.length, faults };
}
"""


@pytest.fixture
async def page(chromium: Browser) -> AsyncIterator[Page]:
    async with await chromium.new_context(forced_colors="active", color_scheme="dark") as profile:
        yield await profile.new_page()


@pytest.mark.parametrize("place", ["", "articles/install", "search?q=run", "ask", "contact", "changelog"])
async def test_the_pages_are_used_with_forced_colours(
    server: str, writer: Client, cast: Cast, page: Page, place: str
) -> None:
    await publish(
        writer, "Install", "Run [it](https://a.test) once.\n\n## First\n\nRun.\n\n## Second\n\n`Run`."
    )
    await page.goto(f"{server}/help/{cast.acme.slug}/{place}")

    seen = await page.evaluate(f"({UNSEEN})(document)")

    assert seen["count"] > 3
    assert seen["faults"] == []


async def test_the_widget_is_used_with_forced_colours(
    page: Page, server: str, hosts: HostSite, writer: Client, cast: Cast, owner: Tx
) -> None:
    await page.add_init_script(OPEN_SHADOWS)
    await open_to(owner, cast.acme, hosts.origin)
    await publish(writer, "Files", TEXT)
    widget = Widget(server, str(cast.acme.bot_id), cast.acme.bot_key)
    await page.goto(hosts.add(HostPage(widget.tag(), widget.policy)))
    await ask(page)
    await page.get_by_role("button", name="Talk to a person").wait_for()
    # Browsers show the focus ring only after they detect keyboard use.
    await page.keyboard.press("Tab")
    panel = await page.get_by_role("dialog", name="Acme").evaluate(UNSEEN)

    assert panel["count"] >= 4
    assert panel["faults"] == []

"""Content wider than the window can be reached and scrolled with the keyboard only."""

import pytest
from playwright.async_api import Page

from tests.support.cast import Cast, Client
from tests.support.site_pages import publish

TEXT = f"""\
## Options

| setting | {"value | " * 12}
|---|{"---|" * 12}
| `ACME_TIMEOUT` | {"something | " * 12}

```sh
acme serve {"--a-long-option value " * 12}
```
"""
FOCUSED = "document.activeElement.matches({selector!r})"
NAME = "document.activeElement.getAttribute('aria-label')"
RING = "getComputedStyle(document.activeElement).outlineStyle"
SCROLLED = "document.activeElement.scrollLeft"
# Scrolling with the arrow keys is animated.
SCROLL_ENDED = """
new Promise(done => document.activeElement.addEventListener('scrollend', () => done(true), {once: true}))
"""


@pytest.mark.parametrize("selector", ["[role=region]", "pre"])
async def test_tables_and_code_scroll_by_keyboard(
    server: str, writer: Client, cast: Cast, page: Page, selector: str
) -> None:
    await publish(writer, "Install", TEXT)
    await page.set_viewport_size({"width": 390, "height": 800})
    await page.goto(f"{server}/help/{cast.acme.slug}/articles/install")

    for _ in range(12):
        await page.keyboard.press("Tab")
        if await page.evaluate(FOCUSED.format(selector=selector)):
            break

    assert await page.evaluate(FOCUSED.format(selector=selector))
    assert await page.evaluate(NAME) == "Options"
    assert await page.evaluate(RING) == "solid"
    assert await page.evaluate(SCROLLED) == 0
    await page.keyboard.press("ArrowRight")
    await page.evaluate(f"{SCROLLED} > 0 || {SCROLL_ENDED}")
    assert await page.evaluate(SCROLLED) > 0


@pytest.mark.parametrize("locale", ["en", "ar"])
async def test_the_first_key_leads_past_the_head_of_the_page(
    server: str, writer: Client, cast: Cast, page: Page, locale: str
) -> None:
    place = "" if locale == "en" else f"{locale}/"
    await publish(writer, "Install", TEXT, locale=locale)
    await page.set_viewport_size({"width": 390, "height": 800})
    await page.goto(f"{server}/help/{cast.acme.slug}/{place}articles/install")

    assert await page.evaluate("document.documentElement.scrollWidth") <= 390
    await page.keyboard.press("Tab")

    assert await page.evaluate(FOCUSED.format(selector=".skip"))
    left, right = await page.evaluate(
        "(({left, right}) => [left, right])(document.activeElement.getBoundingClientRect())"
    )
    assert 0 <= left < right <= 390


async def test_an_arabic_page_begins_on_the_right_and_its_code_on_the_left(
    server: str, writer: Client, cast: Cast, page: Page
) -> None:
    await publish(writer, "تثبيت", TEXT, slug="install", locale="ar")
    await page.set_viewport_size({"width": 800, "height": 800})
    await page.goto(f"{server}/help/{cast.acme.slug}/ar/articles/install")

    for selector, direction in (("html", "rtl"), ("h1", "rtl"), ("pre", "ltr"), ("td code", "ltr")):
        assert (
            await page.evaluate(f"getComputedStyle(document.querySelector('{selector}')).direction")
            == direction
        )
    text_right = "(range => { range.selectNodeContents(document.querySelector('h1')); return range })"
    right = await page.evaluate(f"{text_right}(document.createRange()).getBoundingClientRect().right")
    assert right > 600


async def test_scrolling_parts_of_the_reference_are_focusable_and_have_a_name(
    server: str, page: Page
) -> None:
    await page.set_viewport_size({"width": 320, "height": 800})
    await page.goto(f"{server}/docs/api")

    unreachable = await page.evaluate("""
        [...document.querySelectorAll("main *")]
            .filter(e => e.scrollWidth > e.clientWidth && getComputedStyle(e).overflowX == "auto")
            .filter(e => e.tabIndex != 0 || !e.getAttribute("aria-label")).map(e => e.outerHTML.slice(0, 80))
    """)
    assert unreachable == []

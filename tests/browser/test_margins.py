"""An article's margins: beside the text where there is room, and else behind a button and above the text."""

from playwright.async_api import Page

from tests.site.pages import collect, publish
from tests.support.cast import Cast, Client

TEXT = "Words.\n\n## Before\n\nWords.\n\n## After\n\nWords.\n"
BOX = """
(({{left, right, top, width}}) => [left, right, top, width])(
    document.querySelector('{}').getBoundingClientRect())
"""
IS_SHOWN = "document.querySelector('#tree').checkVisibility()"


async def test_in_a_wide_window_the_margins_stand_beside_the_text(
    server: str, writer: Client, cast: Cast, page: Page
) -> None:
    for locale, path in (("en", ""), ("ar", "ar/")):
        await publish(writer, "Install", TEXT, locale=locale)
        await page.set_viewport_size({"width": 1600, "height": 800})
        await page.goto(f"{server}/help/{cast.acme.slug}/{path}articles/install")
        tree, text, contents = [
            await page.evaluate(BOX.format(name)) for name in (".tree", ".prose", ".contents")
        ]

        first, last = (tree, contents) if locale == "en" else (contents, tree)
        assert first[1] <= text[0] < text[1] <= last[0]
        # 42 rem, or 66 to 72 characters.
        assert text[3] == 672
        assert contents[2] < text[2]


async def test_in_a_narrow_window_the_tree_is_behind_a_button_that_needs_no_script(
    server: str, writer: Client, cast: Cast, page: Page
) -> None:
    await publish(writer, "Install", TEXT, collectionId=(await collect(writer, "Guides"))["id"])
    await page.set_viewport_size({"width": 390, "height": 800})
    await page.goto(f"{server}/help/{cast.acme.slug}/articles/install")

    assert await page.evaluate(IS_SHOWN) is False
    contents, text = [await page.evaluate(BOX.format(name)) for name in (".contents", ".prose")]
    assert contents[2] < text[2]
    await page.click(".top [popovertarget]")
    assert await page.evaluate(IS_SHOWN) is True
    left, right, *_ = await page.evaluate(BOX.format(".tree"))
    assert 0 <= left < right <= 390
    await page.click("#tree .button")
    assert await page.evaluate(IS_SHOWN) is False

"""An article's margins: next to the text if there is room, otherwise in the menu and above the text."""

from playwright.async_api import Page
from psycopg.types.json import Jsonb

from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client
from tests.support.site_pages import collect, publish

TEXT = "Words.\n\n## Before\n\nWords.\n\n## After\n\nWords.\n"
BOX = """
(({{left, right, top, width}}) => [left, right, top, width])(
    document.querySelector('{}').getBoundingClientRect())
"""
IS_SHOWN = "document.querySelector('#menu').checkVisibility()"


async def test_in_a_wide_window_the_margins_stand_beside_the_text(
    server: str, writer: Client, cast: Cast, page: Page
) -> None:
    for locale, path in (("en", ""), ("ar", "ar/")):
        await publish(writer, "Install", TEXT, locale=locale)
        await page.set_viewport_size({"width": 1600, "height": 800})
        await page.goto(f"{server}/help/{cast.acme.slug}/{path}articles/install")
        tree, text, contents = [
            await page.evaluate(BOX.format(name)) for name in (".tree", ".prose > p", ".contents")
        ]

        first, last = (tree, contents) if locale == "en" else (contents, tree)
        assert first[1] <= text[0] < text[1] <= last[0]
        # 42 rem, or 66 to 72 characters.
        assert text[3] == 672
        assert contents[2] < text[2]


async def test_in_a_narrow_window_the_tree_is_in_a_menu_that_needs_no_script(
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
    left, right, *_ = await page.evaluate(BOX.format("#menu"))
    assert 0 <= left < right <= 390
    await page.click("#menu .button")
    assert await page.evaluate(IS_SHOWN) is False


async def test_on_a_phone_the_header_is_one_row_with_a_menu_of_its_links(
    server: str, writer: Client, cast: Cast, page: Page, owner: Tx
) -> None:
    links = [{"label": label, "url": "https://acme.test"} for label in ("Status", "Community", "Sign in")]
    frame = Jsonb({"logo": "/static/icon.svg", "header": links})
    await owner.execute(
        "update bots set frame = %(frame)s where id = %(bot)s", frame=frame, bot=cast.acme.bot_id
    )
    await publish(writer, "Install", TEXT)
    for width in (320, 390):
        await page.set_viewport_size({"width": width, "height": 800})
        await page.goto(f"{server}/help/{cast.acme.slug}/articles/install")

        assert await page.evaluate("document.querySelector('.top').offsetHeight") <= 64
        logo, field = [await page.evaluate(BOX.format(name)) for name in (".name img", ".top .search")]
        assert logo[3] >= 20
        assert field[3] >= 90
        assert await page.get_by_role("link", name="Status").count() == 0
        await page.get_by_role("button", name="Menu").click()
        assert await page.get_by_role("link", name="Status").is_visible()


async def test_the_search_stays_in_sight_and_hides_no_heading(
    server: str, writer: Client, cast: Cast, page: Page
) -> None:
    await publish(writer, "Install", TEXT + "Words.\n\n" * 80)
    await page.set_viewport_size({"width": 1440, "height": 800})
    await page.goto(f"{server}/help/{cast.acme.slug}/articles/install")
    await page.get_by_role("navigation", name="On this page").get_by_role("link", name="After").click()

    head, heading = [await page.evaluate(BOX.format(name)) for name in (".top", "#h-after")]
    assert head[2] == 0
    assert heading[2] >= await page.evaluate("document.querySelector('.top').offsetHeight")

"""Tables with many columns: readable in a wide window, and reachable by scrolling in a narrow one."""

from playwright.async_api import Page

from tests.support.cast import Cast, Client
from tests.support.site_pages import publish

SENTENCE = (
    "sets how long a worker waits for an answer of the upstream before the request is ended and counted as "
    "failed; raise it for reports that take minutes, and keep it below the limit of your balancer"
)
ROW = f'| `ACME_UPSTREAM_TIMEOUT_SECONDS` | integer | {SENTENCE} | No | `["search", "answers", "widget"]` |\n'
SETTINGS = f"| Setting | Type | Description | Required | Default |\n|---|---|---|---|---|\n{ROW * 20}"
SIZES = """
() => {
    const region = document.querySelector('.prose [role="region"]');
    const row = [...region.querySelectorAll('tbody tr:first-child td')];
    const cells = row.map((cell) => cell.getBoundingClientRect());
    const { left, right, width } = region.getBoundingClientRect();
    return {
        widths: cells.map((cell) => cell.width),
        hidden: cells.filter((cell) => cell.right > right + 1).length,
        scrolls: region.scrollWidth > region.clientWidth,
        right: innerWidth - right, left, width,
        page: document.documentElement.scrollHeight,
    };
}
"""
SCROLLED = """
(region) => {
    window.scrolled = new Promise((done) => region.addEventListener("scroll", () => done(region.scrollLeft)));
}
"""


async def test_all_columns_of_a_settings_table_are_seen_in_a_wide_window(
    server: str, writer: Client, cast: Cast, page: Page
) -> None:
    contents = "## Before\n\nWords.\n\n## Settings\n\n"
    for text in (SETTINGS, contents + SETTINGS):
        article = await publish(writer, "Settings", text)
        await page.set_viewport_size({"width": 1440, "height": 900})
        await page.goto(f"{server}/help/{cast.acme.slug}/articles/{article['slug']}")
        sizes = await page.evaluate(SIZES)

        assert (sizes["hidden"], sizes["scrolls"]) == (0, False)
        # The column with the sentence is the widest, and the table is wider than the text.
        assert sizes["widths"][2] == max(sizes["widths"]) > 250
        assert sizes["width"] > 672
        assert sizes["page"] < 4_000


async def test_a_table_that_is_too_wide_for_a_phone_scrolls_with_the_keyboard_and_shows_that_it_does(
    server: str, writer: Client, cast: Cast, page: Page
) -> None:
    for locale, key in (("en", "ArrowRight"), ("ar", "ArrowLeft")):
        article = await publish(writer, "Settings", SETTINGS, locale=locale)
        path = "ar/" if locale == "ar" else ""
        await page.set_viewport_size({"width": 390, "height": 800})
        await page.goto(f"{server}/help/{cast.acme.slug}/{path}articles/{article['slug']}")
        sizes = await page.evaluate(SIZES)
        region = page.get_by_role("region", name="Table")

        assert sizes["scrolls"] is True
        assert sizes["widths"][2] > 180
        assert sizes["page"] < 6_000
        assert "gradient" in await region.evaluate("region => getComputedStyle(region).backgroundImage")
        await region.focus()
        await region.evaluate(SCROLLED)
        await page.keyboard.press(key)
        assert await page.evaluate("scrolled") != 0


async def test_a_narrow_table_is_as_wide_as_the_text(
    server: str, writer: Client, cast: Cast, page: Page
) -> None:
    await publish(writer, "Plans", "Words.\n\n| Plan | Price |\n|---|---|\n| Free | 0 |\n")
    await page.set_viewport_size({"width": 1440, "height": 900})
    await page.goto(f"{server}/help/{cast.acme.slug}/articles/plans")

    assert (await page.evaluate(SIZES))["width"] == 672

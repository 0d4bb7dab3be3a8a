"""The layout of the review in Chromium with long titles and long lines of code."""

import pytest
from playwright.async_api import Page

from tests.support.cast import Cast
from tests.support.review_desk import Shelf

COMMAND = "curl https://api.example.com/v1/attachments?limit=10 --header 'Authorization: Bearer TOKEN' --fail"
TEXT = f"Send it:\n\n```sh\n{COMMAND}\n```\n\nDone.\n"


@pytest.mark.parametrize("width", [390, 1024, 1440])
async def test_every_version_of_a_long_line_of_code_is_seen_whole(
    signed_in_tab: Page, cast: Cast, development_server: str, shelf: Shelf, width: int
) -> None:
    tab = signed_in_tab
    draft = await shelf.edit(before=TEXT, after=TEXT.replace("10", "25"))
    await shelf.change(draft["articleId"], TEXT.replace("10", "50"))
    await tab.set_viewport_size({"width": width, "height": 900})

    await tab.goto(f"{development_server}/app/{cast.acme.slug}/review/{draft['id']}")

    hidden = await tab.locator(".version pre").evaluate_all(
        "all => all.map(e => e.scrollWidth - e.clientWidth)"
    )
    assert hidden == [0, 0, 0]
    assert await tab.locator(".context pre").filter(visible=True).count() == 0


async def test_a_long_title_of_a_change_has_two_lines_of_the_queue_and_no_letters_of_code(
    signed_in_tab: Page, cast: Cast, development_server: str, shelf: Shelf
) -> None:
    title = (
        "Raise the limit of uploads, as customers with large pictures have asked for since the last release "
        * 3
    )
    await shelf.edit(change_title=title)

    await signed_in_tab.goto(f"{development_server}/app/{cast.acme.slug}/review")

    link = signed_in_tab.locator(".list-pane .source a")
    shown = (
        "e => [e.clientHeight / parseFloat(getComputedStyle(e).lineHeight), getComputedStyle(e).fontFamily]"
    )
    lines, font = await link.evaluate(shown)
    assert (round(lines), "Mono" in font) == (2, False)

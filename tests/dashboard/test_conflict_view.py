"""The view of a conflict, in Chromium: nothing of the versions that somebody chooses from is cut off."""

import pytest
from playwright.async_api import Page

from tests.dashboard.review_desk import Shelf
from tests.support.cast import Cast

COMMAND = "curl https://api.example.com/v1/attachments?limit=10 --header 'Authorization: Bearer TOKEN' --fail"
TEXT = f"Send it:\n\n```sh\n{COMMAND}\n```\n"


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

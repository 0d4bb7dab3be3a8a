"""The command palette: commands and articles by keyboard, from any page."""

from playwright.async_api import Page, expect

from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Cast, Client
from tests.support.chromium import Complaints


async def test_words_find_the_articles_of_this_bot_alone(
    viewer: Desk, stranger: Desk, client: Client, globex: Client
) -> None:
    await client.post("/v1/articles", json={"title": "Upload limits", "contentMarkdown": "10 MB."})
    await globex.post("/v1/articles", json={"title": "Upload secrets", "contentMarkdown": "10 MB."})
    hits = await viewer.get("find?q=upload")
    nothing = await viewer.get("find?q=%00%25_")

    assert ("Upload limits" in hits.text, "Upload secrets" in hits.text) == (True, False)
    assert (nothing.status_code, "role" in nothing.text) == (200, False)
    assert (await stranger.get("find?q=upload")).status_code == 404


async def test_an_article_is_opened_by_keyboard_alone(
    signed_in_tab: Page, cast: Cast, client: Client, complaints: Complaints
) -> None:
    await client.post("/v1/articles", json={"title": "Upload limits", "contentMarkdown": "10 MB."})
    await signed_in_tab.goto(f"/app/{cast.acme.slug}/articles")
    palette = signed_in_tab.get_by_role("dialog", name="Commands")
    await signed_in_tab.keyboard.press("Control+k")
    await expect(palette.get_by_role("option", name="Health")).to_be_visible()
    await signed_in_tab.keyboard.type("upload")
    await expect(palette.get_by_role("option", name="Health")).to_be_hidden()
    await expect(palette.get_by_role("option", name="Upload limits")).to_have_attribute(
        "aria-selected", "true"
    )
    await signed_in_tab.keyboard.press("Enter")

    await signed_in_tab.wait_for_url("**/articles/art_*")
    await expect(signed_in_tab.get_by_role("heading", level=1)).to_have_text("Upload limits")
    assert complaints.lines == []


async def test_a_command_is_chosen_with_the_arrows(signed_in_tab: Page, cast: Cast) -> None:
    await signed_in_tab.goto(f"/app/{cast.acme.slug}/tasks")
    await signed_in_tab.keyboard.press("Control+k")
    await signed_in_tab.keyboard.type("ta")
    await signed_in_tab.keyboard.press("ArrowDown")
    await signed_in_tab.keyboard.press("ArrowUp")
    await signed_in_tab.keyboard.type("sks")
    await signed_in_tab.keyboard.press("Enter")

    await signed_in_tab.wait_for_url("**/tasks")
    await expect(signed_in_tab.get_by_role("dialog", name="Commands")).to_be_hidden()

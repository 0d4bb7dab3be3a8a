"""Slips that must not harm a draft: Enter in a field, a key held down, two clicks at once."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Browser, Page, Route, expect

from instep.platform.core.database import Tx
from tests.support.cast import Json
from tests.support.chromium import Complaints
from tests.support.review_desk import LIMITS, Shelf

COMMENT = "It is an internal name."


@pytest.fixture(params=["scripts", "no scripts"])
async def review_tab(
    request: pytest.FixtureRequest, signed_in_tab: Page, system_chromium: Browser, development_server: str
) -> AsyncIterator[Page]:
    """A page of an owner of Acme, once with scripts and once without."""
    if request.param == "scripts":
        yield signed_in_tab
        return
    state = await signed_in_tab.context.storage_state()
    async with await system_chromium.new_context(
        java_script_enabled=False, storage_state=state, base_url=development_server
    ) as profile:
        yield await profile.new_page()


async def sees(tab: Page, title: str) -> None:
    await expect(tab.get_by_role("heading", level=1)).to_have_text(title)
    row = tab.get_by_role("list", name="Drafts").locator("[aria-current]")
    await expect(row).to_contain_text(title)


async def write_comment(tab: Page) -> None:
    await tab.get_by_role("button", name="Dismiss").click()
    # The menu may still be moving, and then a click would miss the field and close the menu.
    await tab.get_by_label("Comment (optional)").fill(COMMENT)


async def dismissal_of(owner: Tx, draft: Json) -> list[str | None]:
    dismissal: list[str | None] = await owner.value(
        "select jsonb_build_array(status, dismissal_reason, dismissal_comment) from drafts where id = %(id)s",
        id=draft["id"],
    )
    return dismissal


@pytest.mark.parametrize("is_conflict", [False, True])
async def test_enter_in_the_comment_dismisses_with_it(
    review_tab: Page, shelf: Shelf, owner: Tx, is_conflict: bool
) -> None:
    draft = await (shelf.conflict("One") if is_conflict else shelf.edit("One"))
    text = await shelf.text_of(draft)
    await review_tab.goto("/app/")
    await write_comment(review_tab)
    await review_tab.keyboard.press("Enter")

    await expect(review_tab.get_by_text("Dismissed “One”.")).to_be_visible()
    assert await dismissal_of(owner, draft) == ["dismissed", None, COMMENT]
    assert await shelf.text_of(draft) == text


async def test_a_comment_goes_with_a_reason(review_tab: Page, shelf: Shelf, owner: Tx) -> None:
    draft = await shelf.edit("One")
    await review_tab.goto("/app/")
    await write_comment(review_tab)
    await review_tab.get_by_role("button", name="Wrong text").click()

    await expect(review_tab.get_by_text("Dismissed “One”.")).to_be_visible()
    assert await dismissal_of(owner, draft) == ["dismissed", "wrong_text", COMMENT]


async def test_enter_in_the_title_saves_and_applies_nothing(review_tab: Page, shelf: Shelf) -> None:
    draft = await shelf.edit("One")
    await review_tab.goto("/app/")
    await review_tab.get_by_role("link", name="Edit", exact=True).click()
    title = review_tab.get_by_label("Title")
    await title.fill("Files")
    await title.press("Enter")

    await expect(review_tab.get_by_text("Saved “Files”")).to_be_visible()
    assert await shelf.statuses() == {draft["id"]: "pending"}
    assert await shelf.text_of(draft) == LIMITS


async def test_a_held_key_applies_one_draft_alone(signed_in_tab: Page, shelf: Shelf) -> None:
    drafts = [await shelf.edit(title) for title in ("Four", "Three", "Two", "One")][::-1]
    await signed_in_tab.goto("/app/")
    await signed_in_tab.keyboard.down("a")
    await sees(signed_in_tab, "Two")
    for _ in range(3):
        await signed_in_tab.keyboard.down("a")
    await signed_in_tab.keyboard.up("a")
    await signed_in_tab.keyboard.press("j")

    await sees(signed_in_tab, "Three")
    await expect(signed_in_tab.get_by_text("Applied “One”.")).to_be_visible()
    statuses = await shelf.statuses()
    assert [statuses[draft["id"]] for draft in drafts] == ["applied"] + ["pending"] * 3


async def test_a_held_key_goes_on_moving(signed_in_tab: Page, shelf: Shelf) -> None:
    for title in ("Three", "Two", "One"):
        await shelf.edit(title)
    await signed_in_tab.goto("/app/")
    for title in ("Two", "Three"):
        await signed_in_tab.keyboard.down("j")
        await sees(signed_in_tab, title)
    await expect(signed_in_tab.get_by_role("heading", name="Three", level=1)).to_be_visible()


@pytest.mark.parametrize(("key", "fate"), [("j", "pending"), ("a", "applied")])
async def test_a_second_press_waits_for_a_draft_that_can_be_seen(
    signed_in_tab: Page, shelf: Shelf, complaints: Complaints, key: str, fate: str
) -> None:
    three, two, one = [await shelf.edit(title) for title in ("Three", "Two", "One")]
    is_answered = asyncio.Event()

    async def answer_late(route: Route) -> None:
        await is_answered.wait()
        await route.continue_()

    await signed_in_tab.route(f"**/review/{two['id']}*", answer_late)
    await signed_in_tab.goto("/app/")
    complaints.lines.clear()
    await signed_in_tab.keyboard.press(key)
    await signed_in_tab.keyboard.press(key)
    is_answered.set()
    await sees(signed_in_tab, "Two")

    await signed_in_tab.keyboard.press("j")
    await sees(signed_in_tab, "Three")
    rows = signed_in_tab.get_by_role("list", name="Drafts").get_by_role("listitem")
    await expect(rows).to_have_count(2 if fate == "applied" else 3)
    if fate == "applied":
        # The server has it, and the page shows the next draft without waiting for the response.
        await expect(signed_in_tab.get_by_text("Applied “One”.")).to_be_visible()
    assert complaints.lines == []
    assert await shelf.statuses() == {one["id"]: fate, two["id"]: "pending", three["id"]: "pending"}


async def test_a_double_click_applies_one_draft_alone(signed_in_tab: Page, shelf: Shelf) -> None:
    three, two, one = [await shelf.edit(title) for title in ("Three", "Two", "One")]
    async with signed_in_tab.expect_response(f"**/review/{two['id']}*") as response:
        await signed_in_tab.goto("/app/")
    await (await response.value).finished()
    await signed_in_tab.get_by_role("button", name="Apply", exact=True).dblclick()

    await sees(signed_in_tab, "Two")
    await expect(signed_in_tab.get_by_text("Applied “One”.")).to_be_visible()
    assert await shelf.statuses() == {one["id"]: "applied", two["id"]: "pending", three["id"]: "pending"}


async def test_a_double_click_applies_the_last_draft_once(signed_in_tab: Page, shelf: Shelf) -> None:
    draft = await shelf.edit("One")
    await signed_in_tab.goto("/app/")
    decisions: list[str] = []
    signed_in_tab.on(
        "request", lambda request: decisions.append(request.url) if "/apply" in request.url else None
    )
    await signed_in_tab.get_by_role("button", name="Apply", exact=True).dblclick()

    await expect(signed_in_tab.get_by_text("Applied “One”.")).to_be_visible()
    assert len(decisions) == 1
    assert await shelf.statuses() == {draft["id"]: "applied"}

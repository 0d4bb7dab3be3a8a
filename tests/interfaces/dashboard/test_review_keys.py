"""Reviewing by keyboard alone in a real browser: each decision leads straight to the next draft."""

from playwright.async_api import Page, expect

from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Role
from tests.support.cast import Cast
from tests.support.chromium import Complaints
from tests.support.review_desk import LIMITS, NEW_LIMITS, Shelf
from tests.support.sign_in import sign_up

MAX_KEYS = 12


class Keyboard:
    """Counts the keys that decide something, but not typed text."""

    def __init__(self, tab: Page) -> None:
        self.tab = tab
        self.count = 0

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self.tab.keyboard.press(key)
            self.count += 1

    async def sees(self, title: str) -> None:
        await expect(self.tab.get_by_role("heading", level=1)).to_have_text(title)
        row = self.tab.get_by_role("list", name="Drafts").locator("[aria-current]")
        await expect(row).to_contain_text(title)


async def test_five_drafts_are_reviewed_in_twelve_keys(
    signed_in_tab: Page, shelf: Shelf, owner: Tx, complaints: Complaints
) -> None:
    drafts = [await shelf.edit(title) for title in ("Five", "Four", "Three", "Two", "One")][::-1]
    await signed_in_tab.goto("/app/")
    keyboard = Keyboard(signed_in_tab)
    await keyboard.sees("One")
    await keyboard.press("a")
    await keyboard.sees("Two")
    await keyboard.press("x", "a")
    await keyboard.sees("Three")
    await keyboard.press("e")
    field = signed_in_tab.get_by_role("textbox", name="Text", exact=True)
    await expect(field).to_be_focused()
    await signed_in_tab.keyboard.press("Control+Home")
    await signed_in_tab.keyboard.type("Typed. ")
    await keyboard.press("Control+Enter")
    await keyboard.sees("Four")
    await keyboard.press("d", "3")
    await keyboard.sees("Five")
    await keyboard.press("a")
    await expect(signed_in_tab.get_by_role("heading", name="Everything is reviewed")).to_have_count(0)
    await expect(signed_in_tab.get_by_text("Everything is reviewed.")).to_be_visible()

    assert keyboard.count <= MAX_KEYS
    statuses = await shelf.statuses()
    assert [statuses[draft["id"]] for draft in drafts] == ["applied"] * 3 + ["dismissed", "applied"]
    assert await shelf.text_of(drafts[0]) == NEW_LIMITS
    first = LIMITS.replace("**25 MB**", "**50 MB**").replace("100 MB in all", "200 MB in all")
    second = NEW_LIMITS.replace("**50 MB**", "**25 MB**").replace("200 MB in all", "100 MB in all")
    assert await shelf.text_of(drafts[1]) in (first, second)
    assert (await shelf.text_of(drafts[2])).startswith("Typed. You can attach")
    reason = await owner.value("select dismissal_reason from drafts where id = %(id)s", id=drafts[3]["id"])
    assert reason == "wrong_text"
    # A new page aborts the last page's preloads; the statuses show that the decisions arrived.
    assert [line for line in complaints.lines if not line.endswith("net::ERR_ABORTED")] == []


async def test_a_decision_is_undone_with_a_key(signed_in_tab: Page, shelf: Shelf) -> None:
    await shelf.edit("Two")
    draft = await shelf.edit("One")
    await signed_in_tab.goto("/app/")
    keyboard = Keyboard(signed_in_tab)
    await keyboard.press("a")
    await keyboard.sees("Two")
    await expect(signed_in_tab.get_by_text("Applied “One”.")).to_be_visible()
    await keyboard.press("z")
    await keyboard.sees("One")

    assert await shelf.text_of(draft) == LIMITS


async def test_the_key_that_undoes_works_as_long_as_the_page_is_open_and_says_if_there_is_nothing(
    signed_in_tab: Page, shelf: Shelf
) -> None:
    await shelf.edit("Two")
    draft = await shelf.edit("One")
    await signed_in_tab.clock.install()
    await signed_in_tab.goto("/app/")
    keyboard = Keyboard(signed_in_tab)
    await keyboard.press("z")
    await expect(signed_in_tab.get_by_text("Nothing to undo here")).to_be_visible()
    await keyboard.press("a")
    await keyboard.sees("Two")
    applied = signed_in_tab.get_by_text("Applied “One”.")
    await expect(applied).to_be_visible()
    await signed_in_tab.clock.fast_forward(600_000)
    await expect(applied).to_be_visible()
    await keyboard.press("z")
    await keyboard.sees("One")

    assert await shelf.text_of(draft) == LIMITS


async def test_keys_go_through_drafts_and_changes(signed_in_tab: Page, shelf: Shelf) -> None:
    await shelf.edit("Two")
    await shelf.edit("One")
    await signed_in_tab.goto("/app/")
    keyboard = Keyboard(signed_in_tab)
    await keyboard.press("j")
    await keyboard.sees("Two")
    await keyboard.press("k")
    await keyboard.sees("One")

    changes = signed_in_tab.locator("[data-change]")
    await keyboard.press("n", "n")
    await expect(changes.nth(1)).to_be_focused()
    await keyboard.press("x")
    await expect(changes.nth(1).get_by_role("button", name="Include")).to_be_visible()
    await keyboard.press("p")
    await expect(changes.nth(0)).to_be_focused()
    await keyboard.press("x", "x")
    await expect(changes.nth(0).get_by_role("button", name="Leave out")).to_be_visible()


async def test_a_conflict_is_decided_with_keys(signed_in_tab: Page, shelf: Shelf) -> None:
    draft = await shelf.conflict()
    await signed_in_tab.goto("/app/")
    keyboard = Keyboard(signed_in_tab)
    await keyboard.press("1", "3", "a")
    await expect(signed_in_tab.get_by_text("Applied “Roles")).to_be_visible()
    text = await shelf.text_of(draft)

    assert "**30 MB**" in text
    assert "| A file | 50 MB |" in text


async def test_a_decision_that_comes_too_late_says_so_and_leads_back(
    signed_in_tab: Page, shelf: Shelf, owner: Tx
) -> None:
    await shelf.edit("Two")
    draft = await shelf.edit("One")
    await signed_in_tab.goto("/app/")
    await owner.execute(
        """
        update drafts set status = 'dismissed', settled_at = now(), settled_by_type = 'person',
            settled_by_name = 'ada@acme.example' where id = %(id)s
        """,
        id=draft["id"],
    )
    keyboard = Keyboard(signed_in_tab)
    await keyboard.press("a")
    await keyboard.sees("Two")
    toast = signed_in_tab.get_by_role("alert")
    await expect(toast).to_contain_text("ada@acme.example already dismissed “One”")
    await toast.get_by_role("link", name="Open the draft").click()

    await expect(signed_in_tab.get_by_role("main")).to_contain_text("Dismissed by ada@acme.example")


async def test_another_reviewer_is_seen_within_five_seconds(
    signed_in_tab: Page, shelf: Shelf, owner: Tx, cast: Cast
) -> None:
    draft = await shelf.edit("One")
    await signed_in_tab.goto("/app/")
    ada = await sign_up(owner, cast.acme.workspace_id, Role.EDITOR)
    await owner.execute(
        """
        insert into draft_viewers (workspace_id, bot_id, draft_id, person_id, seen_at)
        values (%(workspace)s, %(bot)s, %(draft)s, %(person)s, now())
        """,
        bot=cast.acme.bot_id,
        workspace=cast.acme.workspace_id,
        draft=draft["id"],
        person=ada.id,
    )

    presence = signed_in_tab.get_by_text(f"{ada.email} is viewing")
    await expect(presence).to_be_visible()
    # A screen reader reads this line when it changes, not with every request.
    line = await presence.element_handle()
    for _ in range(2):
        await signed_in_tab.wait_for_event("requestfinished", lambda sent: sent.url.endswith("/presence"))
    assert await presence.evaluate("(words, line) => words === line", line)


async def test_a_phone_shows_the_list_and_then_the_draft(signed_in_tab: Page, shelf: Shelf) -> None:
    await shelf.edit("One")
    await signed_in_tab.set_viewport_size({"width": 390, "height": 844})
    await signed_in_tab.goto("/app/")
    await expect(signed_in_tab.get_by_role("article")).to_be_hidden()
    await signed_in_tab.get_by_role("link", name="One").click()

    await expect(signed_in_tab.get_by_role("heading", level=1)).to_have_text("One")
    await expect(signed_in_tab.get_by_role("button", name="Apply", exact=True)).to_be_in_viewport()
    assert await signed_in_tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_the_only_draft_is_applied_with_the_mouse(signed_in_tab: Page, shelf: Shelf) -> None:
    draft = await shelf.edit("One")
    await signed_in_tab.goto("/app/")
    await signed_in_tab.get_by_role("button", name="Apply", exact=True).click()

    await expect(signed_in_tab.get_by_text("Applied “One”.")).to_be_visible()
    assert await shelf.text_of(draft) == NEW_LIMITS

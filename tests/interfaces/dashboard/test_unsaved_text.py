"""Typed text is never lost silently: the browser asks, and a refused form comes back filled in."""

from datetime import UTC, datetime, timedelta

import pytest
from playwright.async_api import Dialog, Page, expect

from instep.accounts.people.schemas import User
from instep.platform.core import limits
from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client
from tests.support.dashboard_writer import sign_in, sign_in_elsewhere
from tests.support.http import create_article, created, ok
from tests.support.review_desk import Shelf
from tests.support.sign_in import PASSWORD, sign_up


class Answers:
    """Answers the browser's dialog before a page is left."""

    def __init__(self, tab: Page) -> None:
        self.asked: list[str] = []
        self.leaves = False
        tab.on("dialog", self.answer)

    async def answer(self, dialog: Dialog) -> None:
        self.asked.append(dialog.type)
        await (dialog.accept() if self.leaves else dialog.dismiss())


@pytest.mark.parametrize("way", ["Cancel", "Articles"])
async def test_leaving_a_draft_with_typed_text_asks_first(
    signed_in_tab: Page, shelf: Shelf, cast: Cast, development_server: str, way: str
) -> None:
    await shelf.edit("Two")
    draft = await shelf.edit("One")
    tab, answers = signed_in_tab, Answers(signed_in_tab)
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/review/{draft['id']}/edit")
    field = tab.get_by_role("textbox", name="Text", exact=True)
    await field.press_sequentially("Typed. ")
    # The section's name is followed by its number of waiting items.
    link = tab.get_by_role("link", name=way).first
    async with tab.expect_event("dialog"):
        await link.click()
    await expect(field).to_contain_text("Typed")
    answers.leaves = True
    await link.click()
    await expect(field).to_have_count(0)

    assert answers.asked == ["beforeunload", "beforeunload"]
    # The text is offered when the person comes back.
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/review/{draft['id']}/edit")
    await tab.get_by_role("button", name="Restore unsaved text").click()
    await expect(field).to_contain_text("Typed")


async def test_saved_and_untouched_text_is_left_without_a_question(
    signed_in_tab: Page, shelf: Shelf, cast: Cast, development_server: str
) -> None:
    draft = await shelf.edit()
    tab, answers = signed_in_tab, Answers(signed_in_tab)
    edit = f"{development_server}/app/{cast.acme.slug}/review/{draft['id']}/edit"
    await tab.goto(edit)
    await tab.get_by_role("link", name="Cancel").click()
    await expect(tab.get_by_role("link", name="Cancel")).to_have_count(0)
    await tab.goto(edit)
    await tab.get_by_role("textbox", name="Text", exact=True).press_sequentially("Typed. ")
    await tab.get_by_role("button", name="Save").click()
    await expect(tab.get_by_text("Nothing is live yet.").first).to_be_visible()

    assert answers.asked == []


async def test_leaving_a_form_with_a_long_text_asks_first(
    signed_in_tab: Page, cast: Cast, development_server: str
) -> None:
    tab, answers = signed_in_tab, Answers(signed_in_tab)
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/settings/synonyms")
    field, link = tab.get_by_label("Synonyms"), tab.get_by_role("link", name="Audit")
    await field.press_sequentially("cart, basket")
    async with tab.expect_event("dialog"):
        await link.click()
    await expect(field).to_have_value("cart, basket")
    await tab.get_by_role("button", name="Save").click()
    await expect(tab.get_by_role("status")).not_to_be_empty()
    await link.click()
    await expect(tab.get_by_role("heading", name="Audit")).to_be_visible()

    assert answers.asked == ["beforeunload"]


async def end_session(owner: Tx, tab: Page) -> str:
    """End the session of the person in the tab; return their email."""
    email = await tab.locator(".person a").inner_text()
    await owner.execute(
        "delete from sessions where person_id in (select id from people where email = %(email)s)", email=email
    )
    return email


async def sign_in_again(tab: Page, email: str) -> None:
    await tab.get_by_label("Email").fill(email)
    await tab.get_by_label("Password").fill(PASSWORD)
    await tab.get_by_role("button", name="Sign in", exact=True).click()
    await expect(tab.get_by_text("Almost done")).to_be_visible()


async def test_a_form_sent_after_the_end_of_the_session_comes_back_and_replaces_nobodys_words(
    signed_in_tab: Page, client: Client, cast: Cast, development_server: str, owner: Tx
) -> None:
    tab = signed_in_tab
    part = created(await client.post("/v1/parts", json={"kind": "part", "name": "note", "text": "Read."}))
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/parts/{part['id']}")
    await tab.get_by_role("textbox", name="Text").fill("Read this first.")
    email = await end_session(owner, tab)
    ok(await client.patch(f"/v1/parts/{part['id']}", json={"text": "Read that."}))
    await tab.get_by_role("button", name="Save").click()
    await sign_in_again(tab, email)

    field = tab.get_by_role("textbox", name="Text")
    await expect(field).to_have_value("Read this first.")
    await tab.get_by_role("button", name="Save").click()
    await expect(tab.get_by_text("in the meantime")).to_be_visible()
    await expect(field).to_have_value("Read this first.")
    await expect(tab.get_by_text("Read that.", exact=True).first).to_be_visible()


async def test_a_comment_sent_after_the_end_of_the_session_leads_back_to_its_article(
    signed_in_tab: Page, client: Client, cast: Cast, development_server: str, owner: Tx
) -> None:
    tab, article = signed_in_tab, await create_article(client)
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/articles/{article['id']}")
    field, button = tab.locator("#comments textarea").last, tab.locator("#comments form button").last
    await tab.locator("#comments summary").last.click()
    await field.fill("Is this still so?")
    email = await end_session(owner, tab)
    await button.click()
    await sign_in_again(tab, email)

    await expect(field).to_be_visible()
    await expect(field).to_have_value("Is this still so?")
    await button.click()
    await expect(tab.locator("#comments .said")).to_contain_text("Is this still so?")


async def test_a_form_from_before_a_sign_in_in_another_tab_comes_back_filled_in(
    signed_in_tab: Page, cast: Cast, development_server: str, owner: Tx
) -> None:
    tab = signed_in_tab
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/settings/style")
    await tab.get_by_label("Rule", exact=True).fill("Write short sentences.")
    email = await end_session(owner, tab)
    await sign_in(await tab.context.new_page(), development_server, email)
    button = tab.get_by_role("button", name="Add rule", exact=True)
    await button.click()

    await expect(tab.get_by_text("Almost done")).to_be_visible()
    await expect(tab.get_by_label("Rule", exact=True)).to_have_value("Write short sentences.")
    await button.click()
    await expect(tab.get_by_role("cell", name="Write short sentences.", exact=True)).to_be_visible()


MAY_NOT_BE_SAVED = "The form that you sent may not have been saved"


class RulePage:
    """The style rules page, whose form has only text that is stored nowhere else."""

    def __init__(self, tab: Page, slug: str) -> None:
        self.tab = tab
        self.path = f"/app/{slug}/settings/style"
        self.field = tab.get_by_label("Rule", exact=True)
        self.button = tab.get_by_role("button", name="Add rule", exact=True)
        self.notice = tab.get_by_text(MAY_NOT_BE_SAVED)

    async def open(self) -> None:
        await self.tab.goto(self.path)

    async def add(self, rule: str) -> None:
        await expect(self.field).to_have_value(rule)
        await self.button.click()
        await expect(self.tab.get_by_role("cell", name=rule, exact=True)).to_be_visible()

    async def be_refused(self, address: str, rule: str, other: User) -> str:
        """Submit a rule after someone else has signed in; return the email of the person who typed it."""
        await self.open()
        email = await self.tab.locator(".person a").inner_text()
        await self.field.fill(rule)
        await sign_in_elsewhere(self.tab, address, other.email)
        await self.button.click()
        await expect(self.tab.get_by_text("Someone else is signed in in this browser")).to_be_visible()
        return email


@pytest.fixture
def rules(signed_in_tab: Page, cast: Cast) -> RulePage:
    return RulePage(signed_in_tab, cast.acme.slug)


@pytest.fixture
async def other(owner: Tx, cast: Cast) -> User:
    """Another person in the workspace."""
    return await sign_up(owner, cast.acme.workspace_id)


async def test_a_form_sent_after_someone_else_signed_in_leads_its_person_back_to_it(
    rules: RulePage, other: User, development_server: str
) -> None:
    tab = rules.tab
    email = await rules.be_refused(development_server, "Write short sentences.", other)
    await expect(tab.locator(".person")).to_contain_text(other.email)
    await tab.get_by_role("button", name="Sign in again").click()
    await tab.get_by_label("Email").fill(email)
    await tab.get_by_label("Password").fill(PASSWORD)
    await tab.get_by_role("button", name="Sign in", exact=True).click()

    await expect(tab).to_have_url(development_server + rules.path)
    await expect(rules.notice).to_be_visible()
    await rules.add("Write short sentences.")
    await expect(rules.field).to_have_value("")
    await expect(rules.notice).to_have_count(0)


async def test_a_refused_form_comes_back_if_its_person_is_the_next_to_open_a_page(
    rules: RulePage, other: User, cast: Cast, development_server: str
) -> None:
    email = await rules.be_refused(development_server, "Write short sentences.", other)
    await sign_in_elsewhere(rules.tab, development_server, email)
    # Neither a page without the form nor another form that is accepted deletes it.
    await rules.tab.goto(f"/app/{cast.acme.slug}/settings/synonyms")
    await rules.tab.get_by_label("Synonyms").fill("cart, basket")
    await rules.tab.get_by_role("button", name="Save").click()
    await expect(rules.tab.get_by_role("status")).not_to_be_empty()
    # Another person's page neither shows nor loses it.
    await sign_in_elsewhere(rules.tab, development_server, other.email)
    await rules.open()
    await expect(rules.field).to_have_value("")
    await expect(rules.notice).to_have_count(0)
    await sign_in_elsewhere(rules.tab, development_server, email)
    await rules.open()

    await expect(rules.notice).to_be_visible()
    await rules.add("Write short sentences.")


async def test_a_refused_form_is_filled_in_for_a_day_and_not_into_another_form(
    rules: RulePage, other: User, development_server: str
) -> None:
    email = await rules.be_refused(development_server, "Write short sentences.", other)
    await sign_in_elsewhere(rules.tab, development_server, email)
    kept = "sessionStorage['instep.sent-forms']"
    await rules.tab.evaluate(f"{kept} = {kept}.replace('\"rule\"', '\"word\"')")
    await rules.open()
    await expect(rules.field).to_have_value("")
    await rules.tab.evaluate(f"{kept} = {kept}.replace('\"word\"', '\"rule\"')")
    await rules.tab.clock.install(time=datetime.now(UTC) + timedelta(hours=25))
    await rules.open()

    await expect(rules.field).to_have_value("")
    await expect(rules.notice).to_have_count(0)


async def test_from_a_page_that_someone_else_opened_one_can_sign_in_again(
    rules: RulePage, other: User, development_server: str
) -> None:
    await rules.open()
    await sign_in_elsewhere(rules.tab, development_server, other.email)
    await rules.tab.get_by_role("button", name="Sign out").click()
    await rules.tab.get_by_role("button", name="Sign in again").click()

    await expect(rules.tab.get_by_label("Password")).to_be_visible()


async def test_a_decision_from_before_a_sign_in_in_another_tab_is_made(
    signed_in_tab: Page, shelf: Shelf, client: Client, cast: Cast, development_server: str
) -> None:
    tab = signed_in_tab
    await shelf.edit("Two")
    draft = await shelf.edit("One")
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/review/{draft['id']}")
    email = await tab.locator(".person a").inner_text()
    await sign_in_elsewhere(tab, development_server, email)
    await tab.get_by_role("button", name="Apply").click()

    await expect(tab.get_by_text("Applied")).to_be_visible()
    await expect(tab.get_by_role("alert")).to_have_count(0)
    assert ok(await client.get(f"/v1/drafts/{draft['id']}"))["status"] == "applied"


async def test_a_page_of_someone_else_than_the_last_to_sign_in_decides_nothing(
    signed_in_tab: Page, shelf: Shelf, client: Client, cast: Cast, development_server: str, owner: Tx
) -> None:
    tab = signed_in_tab
    await shelf.edit("Two")
    draft = await shelf.edit("One")
    other = await sign_up(owner, cast.acme.workspace_id)
    await tab.clock.install()
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/review/{draft['id']}")
    await sign_in_elsewhere(tab, development_server, other.email)
    async with tab.expect_response(lambda response: response.status == 403) as presence:
        await tab.clock.fast_forward(60_000)
    await (await presence.value).finished()
    await tab.clock.run_for(100)
    # The response about who else is present shows no alert.
    assert (await presence.value).url.endswith("/presence")
    await expect(tab.get_by_role("alert")).to_have_count(0)
    await tab.get_by_role("button", name="Apply").click()

    await expect(tab.get_by_role("alert")).to_contain_text("Someone else is signed in in this browser")
    assert ok(await client.get(f"/v1/drafts/{draft['id']}"))["status"] == "pending"


async def test_a_form_that_needed_a_proof_comes_back_filled_in(
    signed_in_tab: Page, cast: Cast, development_server: str, owner: Tx
) -> None:
    tab = signed_in_tab
    await tab.goto(f"{development_server}/app/{cast.acme.slug}/settings/webhooks")
    await owner.execute(
        "update sessions set verified_at = verified_at - %(age)s", age=2 * limits.RECENT_SIGN_IN_TTL
    )
    await tab.get_by_label("Address").fill("https://hooks.example.com/instep")
    await tab.get_by_label("Description").fill("To the wiki")
    await tab.get_by_role("button", name="Create webhook").click()
    await tab.get_by_label("Password").fill(PASSWORD)
    await tab.get_by_role("button", name="Confirm").click()

    await expect(tab.get_by_text("Almost done")).to_be_visible()
    await expect(tab.get_by_label("Address")).to_have_value("https://hooks.example.com/instep")
    await expect(tab.get_by_label("Description")).to_have_value("To the wiki")
    await tab.reload()
    await expect(tab.get_by_label("Description")).to_have_value("")

"""Typed text survives every interruption, and "Saved" never appears before the text is saved."""

import asyncio
import re

import pytest
from playwright.async_api import Page, Route, expect

from instep.platform.core.database import Database, Tx
from tests.support.cast import Cast, Client, Json
from tests.support.chromium import Complaints
from tests.support.dashboard_writer import Writer, sign_in, sign_in_elsewhere
from tests.support.http import create_article, ok
from tests.support.installation import installed
from tests.support.places import open_place
from tests.support.sign_in import sign_up

SAVED = re.compile(r"^Saved \d\d:\d\d$")
KEPT_ENTRIES = "Object.keys(localStorage).filter(key => key.startsWith('instep.kept:')).length"
OFFLINE = "Not saved: offline, kept in this browser"
SOMEONE_ELSE = "Not saved, kept in this browser. Someone else is signed in in this browser: sign in again."


@pytest.fixture
async def article(client: Client) -> Json:
    return await create_article(client, contentMarkdown="Run it.\n")


@pytest.fixture
async def writer(signed_in_tab: Page, development_server: str, cast: Cast, article: Json) -> Writer:
    """An owner of Acme editing an article."""
    writer = Writer(signed_in_tab, f"{development_server}/app/{cast.acme.slug}/articles/{article['id']}/edit")
    await writer.open()
    return writer


async def working_text(owner: Tx, article: Json) -> str | None:
    text: str | None = await owner.value(
        "select working_markdown from articles where id = %(id)s", id=article["id"]
    )
    return text


async def test_typed_text_is_saved_before_the_page_says_so(
    writer: Writer, complaints: Complaints, owner: Tx, article: Json
) -> None:
    complaints.lines.clear()
    states: list[str] = []

    async def look_first(route: Route) -> None:
        states.append(await writer.state.inner_text())
        await route.continue_()

    await writer.page.route("**/autosave", look_first)
    await writer.type("First words. ")

    await expect(writer.state).to_have_text(SAVED)
    assert states == ["Saving"] * len(states) != []
    assert await working_text(owner, article) == "First words. Run it.\n"
    assert complaints.lines == []


async def test_without_a_network_it_is_kept_and_saved_when_there_is_one_again(
    writer: Writer, owner: Tx, article: Json
) -> None:
    await writer.page.context.set_offline(True)
    await writer.type("First words. ")
    await writer.pause()
    await expect(writer.state).to_have_text(OFFLINE)
    await writer.type("Second words. ")

    await writer.page.context.set_offline(False)

    await expect(writer.state).to_have_text(SAVED)
    assert await working_text(owner, article) == "First words. Second words. Run it.\n"


async def test_a_lost_answer_is_no_conflict(writer: Writer, owner: Tx, article: Json) -> None:
    lost: list[Route] = []

    async def lose_the_first_answer(route: Route) -> None:
        if lost:
            await route.continue_()
            return
        lost.append(route)
        await route.fetch()
        await route.abort()

    await writer.page.route("**/autosave", lose_the_first_answer)
    await writer.type("First words. ")
    await writer.pause()
    await expect(writer.state).to_have_text(OFFLINE)
    await writer.type("Second words. ")
    await writer.pause()

    await expect(writer.state).to_have_text(SAVED)
    assert await working_text(owner, article) == "First words. Second words. Run it.\n"


async def test_unsaved_text_of_a_closed_tab_can_be_restored(writer: Writer, owner: Tx, article: Json) -> None:
    # Offline for this tab alone: a tab that is slow to close would send its text when all are online again.
    await writer.page.route("**/autosave", lambda route: route.abort())
    await writer.type("First words. ")
    await writer.pause()
    await expect(writer.state).to_have_text(OFFLINE)
    await writer.page.close()

    again = Writer(await writer.page.context.new_page(), writer.address)
    await again.open()
    assert await again.text() == "Run it.\n"
    await again.page.get_by_role("button", name="Restore unsaved text").click()
    await again.pause()

    assert await again.text() == "First words. Run it.\n"
    await expect(again.state).to_have_text(SAVED)
    assert await working_text(owner, article) == "First words. Run it.\n"
    await again.page.reload()
    await expect(again.page.locator("#kept")).to_be_hidden()


async def test_discarded_text_is_not_offered_again(writer: Writer) -> None:
    await writer.page.route("**/autosave", lambda route: route.abort())
    await writer.type("First words. ")
    await writer.pause()
    await expect(writer.state).to_have_text(OFFLINE)
    await writer.page.reload()

    await writer.page.get_by_role("button", name="Discard").click()
    await writer.page.reload()

    await expect(writer.page.locator("#kept")).to_be_hidden()
    assert await writer.text() == "Run it.\n"


async def test_a_server_that_is_killed_finds_the_text_when_it_is_back(
    tab: Page, database_url: str, owner: Tx, cast: Cast, article: Json
) -> None:
    user = await sign_up(owner, cast.acme.workspace_id)
    with installed(INSTEP_DATABASE_URL=database_url) as installation:
        server = installation.serve("--no-jobs")
        await sign_in(tab, installation.url, user.email)
        writer = Writer(tab, f"{installation.url}/app/{cast.acme.slug}/articles/{article['id']}/edit")
        await writer.open()
        await writer.type("Before. ")
        await writer.pause()
        await expect(writer.state).to_have_text(SAVED)

        server.kill()
        server.wait()
        await writer.type("While. ")
        await writer.pause()
        await expect(writer.state).to_have_text(OFFLINE)
        installation.serve("--no-jobs")
        await writer.pause()

        await expect(writer.state).to_have_text(SAVED)
        assert await working_text(owner, article) == "Before. While. Run it.\n"


async def end_session(writer: Writer, owner: Tx) -> str:
    """End the writer's session after the preview, whose request would open the dialog; return their email."""
    await expect(writer.page.locator("#preview-text p")).to_have_text("Run it.")
    email = await writer.email()
    await owner.execute(
        "delete from sessions where person_id in (select id from people where email = %(email)s)", email=email
    )
    return email


async def test_a_writer_whose_session_ended_is_informed_and_finds_the_text_after_signing_in(
    writer: Writer, development_server: str, owner: Tx, article: Json
) -> None:
    email = await end_session(writer, owner)
    await writer.type("First words. ")
    await writer.pause()

    await expect(writer.state).to_contain_text("signed out")
    await expect(writer.page.get_by_role("dialog")).to_be_visible()
    assert await writer.text() == "First words. Run it.\n"
    await sign_in(await writer.page.context.new_page(), development_server, email)
    await writer.page.reload()
    await writer.page.get_by_role("button", name="Restore unsaved text").click()
    await writer.pause()
    await expect(writer.state).to_have_text(SAVED)
    assert await working_text(owner, article) == "First words. Run it.\n"


async def test_the_dialog_for_signing_in_waits_for_a_pause_in_typing(
    writer: Writer, owner: Tx, article: Json
) -> None:
    await end_session(writer, owner)
    await writer.surface.focus()
    await writer.page.keyboard.type("One sentence, a word after the other. ", delay=40)
    await writer.pause()

    await expect(writer.page.get_by_role("dialog")).to_be_visible()
    assert await writer.text() == "One sentence, a word after the other. Run it.\n"


async def test_editor_saves_again_after_a_sign_in_in_another_tab(
    writer: Writer, development_server: str, owner: Tx, article: Json
) -> None:
    """The page's form belongs to a session that no longer exists."""
    email = await writer.email()
    await writer.page.context.clear_cookies()
    await sign_in(await writer.page.context.new_page(), development_server, email)

    await writer.type("First words. ")
    await writer.pause()

    await expect(writer.state).to_have_text(SAVED)
    assert await working_text(owner, article) == "First words. Run it.\n"


async def test_the_text_of_one_person_is_not_saved_for_another_who_signs_in(
    writer: Writer, development_server: str, owner: Tx, article: Json, cast: Cast
) -> None:
    other = await sign_up(owner, cast.acme.workspace_id)
    await writer.page.context.clear_cookies()
    await sign_in(await writer.page.context.new_page(), development_server, other.email)

    await writer.type("First words. ")
    await writer.pause()

    await expect(writer.state).to_have_text(SOMEONE_ELSE)
    assert await writer.text() == "First words. Run it.\n"
    assert await working_text(owner, article) in (None, "Run it.\n")


async def test_a_new_article_of_one_person_is_not_saved_for_another_who_signs_in(
    writer: Writer, development_server: str, owner: Tx, cast: Cast
) -> None:
    new = Writer(writer.page, f"{development_server}/app/{cast.acme.slug}/articles/new")
    await new.open()
    await new.page.get_by_label("Title").fill("Invite people")
    await new.type("Words.")
    other = await sign_up(owner, cast.acme.workspace_id)
    await sign_in_elsewhere(new.page, development_server, other.email)

    await new.page.keyboard.press("Control+s")

    await expect(new.state).to_have_text(SOMEONE_ELSE)
    assert await new.text() == "Words."


async def test_the_second_of_two_tabs_is_refused_and_compares(
    writer: Writer, owner: Tx, article: Json, client: Client
) -> None:
    second = Writer(await writer.page.context.new_page(), writer.address)
    await second.open()
    await writer.type("Theirs. ")
    await writer.pause()
    await expect(writer.state).to_have_text(SAVED)

    await second.type("Ours. ")
    await second.pause()

    await expect(second.state).to_contain_text(re.compile(r"@acme\.example changed .*\d\d:\d\d"))
    await expect(second.state).to_contain_text("kept in this browser")
    assert await working_text(owner, article) == "Theirs. Run it.\n"
    await second.page.get_by_role("button", name="Compare").click()
    await expect(second.page.get_by_role("heading", name="Differences")).to_be_visible()
    await expect(second.page.locator(".text-diff del")).to_have_text("Theirs: Theirs. Run it.")
    assert await second.text() == "Ours. Run it.\n"
    await second.type("More of ")
    await second.page.goto(second.address)
    assert await working_text(owner, article) == "Theirs. Run it.\n"
    await second.page.get_by_role("button", name="Restore unsaved text").click()
    await second.pause()
    await expect(second.state).to_have_text(SAVED)
    async with second.page.expect_response(lambda answer: answer.url.endswith("/edit") and answer.ok):
        await second.page.get_by_role("button", name="Save", exact=True).click()
    assert (
        ok(await client.get(f"/v1/articles/{article['id']}"))["contentMarkdown"] == "More of Ours. Run it.\n"
    )


@pytest.mark.parametrize("merged", ["", "Merged. "])
async def test_text_that_was_saved_after_a_comparison_is_not_offered_again(
    writer: Writer, merged: str
) -> None:
    second = Writer(await writer.page.context.new_page(), writer.address)
    await second.open()
    await writer.type("Theirs. ")
    await writer.pause()
    await expect(writer.state).to_have_text(SAVED)
    await second.type("Ours. ")
    await second.pause()
    await second.page.get_by_role("button", name="Compare").click()
    await expect(second.page.get_by_role("heading", name="Differences")).to_be_visible()
    await second.type(merged)
    async with second.page.expect_navigation():
        await second.page.get_by_role("button", name="Save", exact=True).click()

    await second.type("Newer. ")
    await second.pause()
    await expect(second.state).to_have_text(SAVED)
    await expect(second.page.locator("#kept")).to_be_hidden()
    assert await second.page.evaluate(KEPT_ENTRIES) == 0


async def test_restored_text_does_not_replace_what_was_saved_since(
    writer: Writer, owner: Tx, article: Json, client: Client
) -> None:
    await writer.page.context.set_offline(True)
    await writer.type("Older. ")
    await writer.pause()
    await expect(writer.state).to_have_text(OFFLINE)
    await writer.page.close()
    await writer.page.context.set_offline(False)
    await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "Newer."})

    again = Writer(await writer.page.context.new_page(), writer.address)
    await again.open()
    await again.page.get_by_role("button", name="Restore unsaved text").click()
    await again.pause()

    await expect(again.page.get_by_role("button", name="Compare")).to_be_visible()
    assert await again.text() == "Older. Run it.\n"
    assert await working_text(owner, article) is None


@pytest.fixture
async def writer_at_place(
    signed_in_tab: Page, development_server: str, client: Client, database: Database, cast: Cast
) -> tuple[Writer, Json]:
    """An owner of Acme who writes the text for a place."""
    place = await open_place(client, database, cast.acme)
    below = f"{development_server}/app/{cast.acme.slug}/articles/{place['articleId']}/edit"
    writer = Writer(signed_in_tab, f"{below}?place={place['id']}")
    await writer.open()
    await writer.type("A row. ")
    return writer, place


@pytest.mark.parametrize(("label", "text"), [("Description", "How to export"), ("Address", "how-to-export")])
async def test_resolving_a_place_saves_the_text_first(
    writer_at_place: tuple[Writer, Json], client: Client, owner: Tx, label: str, text: str
) -> None:
    writer, place = writer_at_place
    await create_article(client, "Begin", contentMarkdown="[Exports](exports)")
    await writer.page.get_by_text("Description, collection").click()
    await writer.page.get_by_label(label).fill(text)
    await writer.page.get_by_role("button", name="Resolve").click()

    await expect(writer.page.get_by_text("Resolved the place")).to_be_visible()
    article = ok(await client.get(f"/v1/articles/{place['articleId']}"))
    assert text in (article["description"], article["slug"])
    assert "A row. " in (await working_text(owner, {"id": place["articleId"]}) or "")
    assert ok(await client.get(f"/v1/places/{place['id']}"))["status"] == "resolved"


async def test_resolving_a_place_waits_for_a_save_that_has_begun(
    writer_at_place: tuple[Writer, Json], client: Client
) -> None:
    writer, place = writer_at_place
    is_pressed = asyncio.Event()

    async def answer_late(route: Route) -> None:
        await is_pressed.wait()
        await route.continue_()

    await writer.page.get_by_text("Description, collection").click()
    await writer.page.get_by_label("Description").fill("How to export")
    await writer.page.route("**/edit", answer_late)
    async with writer.page.expect_request("**/edit"):
        await writer.page.get_by_role("button", name="Save", exact=True).click()
    await writer.page.get_by_role("button", name="Resolve").click()
    is_pressed.set()

    await expect(writer.page.get_by_text("Resolved the place")).to_be_visible()
    assert ok(await client.get(f"/v1/places/{place['id']}"))["status"] == "resolved"


async def test_a_tab_that_still_writes_is_no_lost_text(writer: Writer) -> None:
    await writer.page.route("**/autosave", lambda route: route.abort())
    await writer.type("Elsewhere. ")
    await writer.pause()
    await expect(writer.state).to_have_text(OFFLINE)

    second = Writer(await writer.page.context.new_page(), writer.address)
    await second.open()

    await expect(second.page.locator("#kept")).to_be_hidden()


async def test_a_new_article_is_offered_back_too(
    writer: Writer, development_server: str, cast: Cast, client: Client
) -> None:
    page = writer.page
    new = Writer(page, f"{development_server}/app/{cast.acme.slug}/articles/new")
    await new.open()
    await page.get_by_label("Title").fill("Invite people")
    await new.type("Words.")
    await new.pause()
    await expect(new.state).to_contain_text("Not saved yet")
    await page.reload()

    await page.get_by_role("button", name="Restore unsaved text").click()
    await page.keyboard.press("Control+s")
    await page.wait_for_url("**/edit")

    article = ok(await client.get("/v1/articles/invite-people"))
    assert (article["title"], article["contentMarkdown"]) == ("Invite people", "Words.")
    await new.open()
    await expect(page.locator("#kept")).to_be_hidden()

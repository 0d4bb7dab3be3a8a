"""Changelog entries in the editor, without scripts."""

from tests.interfaces.dashboard.conftest import Desk
from tests.interfaces.dashboard.editor import fields_of, submit
from tests.support.cast import Client, Json
from tests.support.http import created, ok


async def create_entry(client: Client, content: str) -> Json:
    body = {"title": "Exports", "contentMarkdown": content}
    return created(await client.post("/v1/changelog/entries", json=body))


async def entry_of(client: Client, id: str) -> Json:
    return ok(await client.get(f"/v1/changelog/entries/{id}"))


async def test_a_new_entry_is_a_draft_and_can_be_published(desk: Desk, client: Client) -> None:
    answer = await submit(desk, "changelog/new", title="Exports", content="As CSV.\r\n")

    [entry] = ok(await client.get("/v1/changelog/entries"))["results"]
    path = f"changelog/{entry['id']}/edit"
    assert answer.headers["Location"] == desk.path(path)
    assert (entry["status"], entry["contentMarkdown"]) == ("draft", "As CSV.\n")
    answer = await submit(desk, path, "publish", content="As CSV and JSON.")
    assert answer.headers["Location"] == desk.path("changelog")
    live = await entry_of(client, entry["id"])
    assert (live["status"], live["contentMarkdown"]) == ("published", "As CSV and JSON.")


async def test_opening_and_saving_an_entry_changes_no_byte(desk: Desk, client: Client) -> None:
    entry = await create_entry(client, "\none\r\ntwo\nthree")

    assert (await submit(desk, f"changelog/{entry['id']}/edit")).status_code == 303
    assert await entry_of(client, entry["id"]) == entry


async def test_an_entry_that_was_changed_meanwhile_is_shown_beside_ours(desk: Desk, client: Client) -> None:
    entry = await create_entry(client, "One.\n")
    path = f"changelog/{entry['id']}/edit"
    ours = fields_of(await desk.get(path))
    ok(await client.patch(f"/v1/changelog/entries/{entry['id']}", json={"contentMarkdown": "Theirs.\n"}))

    refusal = await desk.post(path, {**ours, "content": "Ours.\r\n", "act": "save"})

    assert refusal.status_code == 409
    assert "Theirs: </span>Theirs." in refusal.text
    assert (await entry_of(client, entry["id"]))["contentMarkdown"] == "Theirs.\n"
    answer = await desk.post(path, {**fields_of(refusal), "act": "save"})
    assert answer.status_code == 303
    assert (await entry_of(client, entry["id"]))["contentMarkdown"] == "Ours.\n"


async def test_an_entry_without_a_title_is_not_saved(desk: Desk, client: Client) -> None:
    answer = await submit(desk, "changelog/new", content="Long work.")

    assert (answer.status_code, "It is empty." in answer.text) == (400, True)
    assert fields_of(answer)["content"] == "Long work."
    assert (await desk.get("changelog/chg_nothing/edit")).status_code == 404


async def test_a_public_entry_is_saved_by_one_button_that_tells_dead_links(
    desk: Desk, client: Client
) -> None:
    entry = await create_entry(client, "one")
    ok(await client.post(f"/v1/changelog/entries/{entry['id']}/publish"))
    path = f"changelog/{entry['id']}/edit"

    page = (await desk.get(path)).text
    refused = await submit(desk, path, content=f"See [this](/help/{desk.slug}/articles/nothing).")

    assert ("<span>Save</span>" in page, "<span>Publish</span>" in page) == (True, False)
    assert "A link leads nowhere." in refused.text
    assert (await entry_of(client, entry["id"]))["contentMarkdown"] == "one"
    await submit(desk, path, content="two")
    assert (await entry_of(client, entry["id"]))["contentMarkdown"] == "two"

"""Events of articles: the changes that cause them, and their contents (contract section 5)."""

from typing import Any

import pytest

from instep.platform.core.database import Database, Tx
from tests.support.articles import delete, put_into_review, restore, save_copy, translate
from tests.support.cast import Cast, Client, Json
from tests.support.events import before, forget, heard, kinds, told
from tests.support.http import at_once, create_article, create_collection, error, ok
from tests.support.webhook_endpoints import create_webhook

INSTALL = "/v1/articles/install"


async def live_article(client: Client, **fields: Any) -> Json:
    await create_article(client, **fields)
    return ok(await client.post(f"{INSTALL}/publish"))


async def test_an_article_that_is_published_became_live(client: Client, cast: Cast, owner: Tx) -> None:
    await create_webhook(client)
    draft = await create_article(client)

    live = ok(await client.post(f"{INSTALL}/publish", params={"format": "html"}))

    [event] = await heard(owner, cast.acme)
    assert told(event) == (
        "article.published",
        ok(await client.get(INSTALL)),
        {"status": "draft", "url": None, "publishedAt": None, "updatedAt": draft["updatedAt"]},
    )
    assert event["actor"] == {"type": "api_key", "name": "Acme writer"}
    assert event["botId"] == live["botId"] == str(cast.acme.bot_id)


@pytest.mark.parametrize("form", ["markdown", "html"])
@pytest.mark.parametrize(
    "change",
    [
        {"contentMarkdown": "Run it *now*."},
        {"title": "Set up"},
        {"description": "How to begin."},
        {"visibility": "authenticated"},
        {"position": 7},
        {"slug": "set-up"},
        {"slug": "set-up", "title": "Set up", "contentMarkdown": "Two.", "description": "Three."},
    ],
    ids=lambda change: " ".join(change),
)
async def test_each_field_of_a_live_article_that_patch_changes_is_told(
    client: Client, cast: Cast, owner: Tx, change: Json, form: str
) -> None:
    old = await live_article(client)
    await create_webhook(client)

    ok(await client.patch(INSTALL, json=change, params={"format": form}))

    [event] = await heard(owner, cast.acme)
    new = ok(await client.get(f"/v1/articles/{old['id']}"))
    assert told(event) == ("article.updated", new, before(old, new))
    assert event["data"]["previousAttributes"].keys() >= change.keys()
    assert "contentMarkdown" in event["data"]["object"]


async def test_a_live_article_that_moves_to_another_collection_has_changed(
    client: Client, cast: Cast, owner: Tx
) -> None:
    old = await live_article(client)
    guides = await create_collection(client)
    await create_webhook(client)

    new = ok(await client.patch(INSTALL, json={"collectionId": "guides"}))

    [event] = await heard(owner, cast.acme)
    assert told(event) == (
        "article.updated",
        new,
        {"collectionId": None, "updatedAt": old["updatedAt"]},
    )
    assert new["collectionId"] == guides["id"]


async def test_a_patch_that_changes_nothing_or_is_refused_has_no_event(
    client: Client, cast: Cast, owner: Tx
) -> None:
    await create_article(client, "Taken")
    live = await live_article(client, description="To begin.")
    await create_webhook(client)

    for body in ({}, {"title": "Install", "contentMarkdown": "Run it.", "description": "To begin."}):
        assert ok(await client.patch(INSTALL, json=body)) == live
    text = {"contentMarkdown": "Two."}
    assert error(await client.patch(INSTALL, json={**text, "slug": "taken"})) == (400, "slug_taken")
    stale = {"If-Match": '"stale"'}
    assert error(await client.patch(INSTALL, json=text, headers=stale)) == (400, "conflict")
    assert error(await client.post(f"{INSTALL}/publish", headers=stale)) == (400, "conflict")
    assert ok(await client.post(f"{INSTALL}/publish")) == live

    assert ok(await client.get(INSTALL)) == live
    assert await kinds(owner, cast.acme) == []


async def test_changes_of_articles_that_are_not_live_emit_no_event(
    client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    await create_webhook(client)
    await create_article(client, "Draft")
    await put_into_review(database, cast.acme)
    await forget(owner, cast.acme)

    for ref in ("draft", "install"):
        path = f"/v1/articles/{ref}"
        ok(await client.patch(path, json={"title": "Another", "contentMarkdown": "Two."}))
        [revision] = ok(await client.get(f"{path}/revisions"))["results"]
        ok(await client.post(f"{path}/revisions/{revision['id']}/restore"))
        await save_copy(database, cast.acme, ref, content="Three.")

    assert await kinds(owner, cast.acme) == []


async def test_a_working_copy_is_told_once_it_is_published(
    client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    await live_article(client)
    await create_webhook(client)

    await save_copy(database, cast.acme, "install", content="Three.")
    await save_copy(database, cast.acme, "install", content="Run it.")
    await save_copy(database, cast.acme, "install", content="Two.")
    assert await kinds(owner, cast.acme) == []

    old = ok(await client.get(INSTALL))
    new = ok(await client.post(f"{INSTALL}/publish"))

    [event] = await heard(owner, cast.acme)
    assert told(event) == ("article.updated", new, before(old, new))
    assert event["data"]["previousAttributes"] == {
        "contentMarkdown": "Run it.",
        "hasUnpublishedChanges": True,
        "version": 1,
        "updatedAt": old["updatedAt"],
    }


async def test_a_patch_over_a_working_copy_is_one_event(
    client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    await live_article(client)
    await create_webhook(client)
    await save_copy(database, cast.acme, "install", content="Two.")
    old = ok(await client.get(INSTALL))

    new = ok(await client.patch(INSTALL, json={"title": "Set up"}))

    [event] = await heard(owner, cast.acme)
    assert told(event) == ("article.updated", new, before(old, new))
    assert (new["contentMarkdown"], new["version"]) == ("Run it.", 3)
    assert "contentMarkdown" not in event["data"]["previousAttributes"]


async def test_a_text_of_a_live_article_that_is_restored_is_told(
    client: Client, cast: Cast, owner: Tx
) -> None:
    await live_article(client)
    old = ok(await client.patch(INSTALL, json={"contentMarkdown": "Two."}))
    [revision] = ok(await client.get(f"{INSTALL}/revisions"))["results"]
    await create_webhook(client)

    path = f"{INSTALL}/revisions/{revision['id']}/restore"
    new = ok(await client.post(path))
    ok(await client.post(path))

    [event] = await heard(owner, cast.acme)
    assert told(event) == ("article.updated", new, before(old, new))
    assert event["data"]["previousAttributes"]["contentMarkdown"] == "Two."


async def test_a_text_that_outdates_translations_says_so(client: Client, cast: Cast, owner: Tx) -> None:
    root = await live_article(client)
    german = await translate(client, root, "Einrichten", "de")
    await create_webhook(client)

    new = ok(await client.patch(INSTALL, json={"contentMarkdown": "Two."}))

    [event] = await heard(owner, cast.acme)
    row = {"id": german["id"], "locale": "de", "status": "draft", "outdated": False}
    assert event["data"]["object"]["translations"] == new["translations"] == [{**row, "outdated": True}]
    assert event["data"]["previousAttributes"]["translations"] == [row]


async def test_a_translation_is_an_article_of_its_own(client: Client, cast: Cast, owner: Tx) -> None:
    german = await translate(client, await live_article(client), "Einrichten", "de")
    await create_webhook(client)

    live = ok(await client.post(f"/v1/articles/{german['id']}/publish"))

    [event] = await heard(owner, cast.acme)
    assert told(event)[:2] == ("article.published", live)


async def test_a_live_article_that_is_unpublished_is_gone(client: Client, cast: Cast, owner: Tx) -> None:
    old = await live_article(client)
    await create_webhook(client)

    new = ok(await client.post(f"{INSTALL}/unpublish", params={"format": "html"}))

    [event] = await heard(owner, cast.acme)
    assert told(event) == (
        "article.unpublished",
        ok(await client.get(INSTALL)),
        {"status": "published", "url": old["url"], "updatedAt": old["updatedAt"]},
    )
    assert (new["status"], new["url"]) == ("draft", None)


async def test_an_archived_article_is_not_live_before_it_is_published_again(
    client: Client, cast: Cast, owner: Tx
) -> None:
    await live_article(client)
    archive = "update articles set status = 'archived' where bot_id = %(bot)s"
    await owner.execute(archive, bot=cast.acme.bot_id)
    await create_webhook(client)

    ok(await client.post(f"{INSTALL}/unpublish"))
    assert await kinds(owner, cast.acme) == []
    await owner.execute(archive, bot=cast.acme.bot_id)
    ok(await client.post(f"{INSTALL}/publish"))

    [event] = await heard(owner, cast.acme)
    assert (event["type"], event["data"]["previousAttributes"]["status"]) == ("article.published", "archived")


@pytest.mark.parametrize("is_live", [False, True])
async def test_a_deletion_tells_of_the_article_and_of_each_translation_as_they_were(
    client: Client, cast: Cast, owner: Tx, is_live: bool
) -> None:
    root = await live_article(client) if is_live else await create_article(client)
    translations = [await translate(client, root, "Install it", locale) for locale in ("de", "fr", "es")]
    ok(await client.post(f"/v1/articles/{translations[1]['id']}/publish"))
    ids = [root["id"], *(row["id"] for row in translations)]
    articles = [ok(await client.get(f"/v1/articles/{each}")) for each in ids]
    await create_webhook(client)

    await delete(client, root["id"])

    events = await heard(owner, cast.acme)
    assert {event["type"] for event in events} == {"article.deleted"}
    by_id = {event["data"]["object"]["id"]: event for event in events}
    assert [told(by_id[each])[1:] for each in ids] == [(row, {}) for row in articles]
    assert len({event["id"] for event in events}) == len(events) == 4


async def test_one_translation_that_is_deleted_is_one_event(client: Client, cast: Cast, owner: Tx) -> None:
    german = await translate(client, await live_article(client), "Einrichten", "de")
    await create_webhook(client)

    await delete(client, german["id"])
    assert error(await client.delete(f"/v1/articles/{german['id']}")) == (404, "not_found")

    assert [told(event) for event in await heard(owner, cast.acme)] == [("article.deleted", german, {})]


async def test_restoring_is_silent_and_what_is_published_then_is_told(
    client: Client, cast: Cast, owner: Tx
) -> None:
    article = await live_article(client)
    await delete(client, "install")
    await create_webhook(client)

    restored = await restore(client, article["id"])
    assert await kinds(owner, cast.acme) == []
    live = ok(await client.post(f"{INSTALL}/publish"))

    [event] = await heard(owner, cast.acme)
    assert told(event) == ("article.published", live, before(restored, live))


async def test_the_deletion_of_its_collection_is_no_event(client: Client, cast: Cast, owner: Tx) -> None:
    guides = await create_collection(client)
    await live_article(client, collectionId=guides["id"])
    await create_webhook(client)

    ok(await client.patch("/v1/collections/guides", json={"title": "Manuals"}))
    ok(await client.delete(f"/v1/collections/{guides['id']}"))

    assert ok(await client.get(INSTALL))["collectionId"] is None
    assert await kinds(owner, cast.acme) == []


async def test_one_of_twenty_who_publish_at_once_makes_it_live(client: Client, cast: Cast, owner: Tx) -> None:
    await create_webhook(client)
    await create_article(client)

    answers = await at_once(20, lambda _: client.post(f"{INSTALL}/publish"))

    [event] = await heard(owner, cast.acme)
    assert told(event)[:2] == ("article.published", ok(answers[0]))


async def test_changes_that_race_are_told_in_one_unbroken_chain(
    client: Client, cast: Cast, owner: Tx
) -> None:
    """The previous attributes of each event are the state after the event before it."""
    await live_article(client)
    await create_webhook(client)

    async def ask(number: int) -> int:
        body = {"title": f"Title {number}", "contentMarkdown": f"Text {number // 2}."}
        return (await client.patch(INSTALL, json=body)).status_code

    assert await at_once(20, ask) == [200] * 20

    events = sorted(await heard(owner, cast.acme), key=lambda event: event["data"]["object"]["version"])
    assert len(events) == 20
    state = {"title": "Install", "contentMarkdown": "Run it.", "version": 1}
    for event in events:
        kind, article, old = told(event)
        changed = before({name: state[name] for name in state}, {name: article[name] for name in state})
        assert kind == "article.updated"
        assert {name: old[name] for name in state if name in old} == changed
        state = {name: article[name] for name in state}
    assert events[-1]["data"]["object"] == ok(await client.get(INSTALL))

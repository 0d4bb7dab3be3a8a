"""DELETE /v1/articles/{id}."""

from asyncio import gather
from datetime import datetime, timedelta

import pytest

from instep.drafting.drafts.actions import queue_gap_draft, queue_new_article
from instep.platform.core.database import Database, Tx
from tests.support.articles import Queue, delete, draft_status, put_into_review, translate
from tests.support.cast import Cast, Client
from tests.support.http import (
    TIMESTAMP,
    Response,
    all_pages,
    at_once,
    create_article,
    create_collection,
    created,
    error,
    ok,
)

INSTALL = "/v1/articles/install"
MISSING = (404, "not_found")


async def test_a_deleted_article_can_be_restored_for_30_days(client: Client) -> None:
    article = await create_article(client)

    deletion = await delete(client, "install")

    deleted_at, until = deletion.pop("deletedAt"), deletion.pop("restorableUntil")
    assert deletion == {"id": article["id"], "deleted": True, "translationIds": []}
    assert TIMESTAMP.fullmatch(deleted_at)
    assert datetime.fromisoformat(until) - datetime.fromisoformat(deleted_at) == timedelta(days=30)
    assert article["createdAt"] <= deleted_at


async def test_a_deleted_article_is_nowhere(client: Client, visitor: Client) -> None:
    guides = await create_collection(client)
    article = await create_article(client, collectionId=guides["id"])
    await client.patch(INSTALL, json={"slug": "set-up", "contentMarkdown": "Two."})
    url = ok(await client.post("/v1/articles/set-up/publish"))["url"]
    [revision] = await all_pages(client, "/v1/articles/set-up/revisions")

    await delete(client, article["id"])

    for ref in (article["id"], "set-up", "install"):
        path = f"/v1/articles/{ref}"
        text = {"contentMarkdown": "Three."}
        answers = [
            await client.get(path),
            await client.patch(path, json=text),
            await client.delete(path),
            await client.post(f"{path}/publish"),
            await client.post(f"{path}/unpublish"),
            await client.get(f"{path}/drafts"),
            await client.post(f"{path}/drafts", json=text),
            await client.get(f"{path}/revisions"),
            await client.get(f"{path}/revisions/{revision['id']}"),
            await client.get(f"{path}/revisions/{revision['id']}/diff"),
            await client.post(f"{path}/revisions/{revision['id']}/restore"),
        ]
        assert {error(answer) for answer in answers} == {MISSING}
    for status in ("all", "draft", "published"):
        assert await all_pages(client, "/v1/articles", status=status) == []
    assert (await visitor.get(url)).status_code == 404
    assert ok(await client.get("/v1/collections/guides"))["articleCount"] == 0


async def test_slug_of_a_deleted_article_is_free_at_once(client: Client) -> None:
    article = await create_article(client)
    await delete(client, "install")

    successor = await create_article(client, "Install")

    assert successor["slug"] == "install"
    assert successor["id"] != article["id"]
    assert ok(await client.get(INSTALL)) == successor


async def test_translations_are_deleted_with_their_article(client: Client) -> None:
    root = await create_article(client)
    german = await translate(client, root, "Einrichten", "de")
    french = await translate(client, root, "Installer", "fr")
    other = await create_article(client, "Other")

    deletion = await delete(client, "install")

    assert deletion["translationIds"] == [german["id"], french["id"]]
    assert await all_pages(client, "/v1/articles") == [other]
    assert error(await client.get("/v1/articles/einrichten")) == MISSING


async def test_a_translation_goes_alone(client: Client) -> None:
    root = await create_article(client)
    await translate(client, root, "Einrichten", "de")
    french = await translate(client, root, "Installer", "fr")

    deletion = await delete(client, "einrichten")

    assert deletion["translationIds"] == []
    [remaining] = ok(await client.get(INSTALL))["translations"]
    assert remaining["id"] == french["id"]
    assert (await translate(client, root, "Noch einmal", "de"))["translationOf"] == root["id"]


async def test_no_translation_is_made_of_a_deleted_article(client: Client) -> None:
    root = await create_article(client)
    await delete(client, "install")

    body = {"title": "Einrichten", "contentMarkdown": "", "locale": "de", "translationOf": root["id"]}

    assert error(await client.post("/v1/articles", json=body)) == (400, "invalid_request")


async def test_pending_edits_of_a_deleted_article_leave_the_queue(client: Client) -> None:
    await create_article(client)
    created(await client.post(f"{INSTALL}/drafts", json={"contentMarkdown": "Two."}))

    await delete(client, "install")

    assert await all_pages(client, "/v1/drafts") == []


@pytest.mark.parametrize("queue", [queue_new_article, queue_gap_draft])
async def test_deleting_an_article_in_review_dismisses_its_draft(
    client: Client, cast: Cast, database: Database, owner: Tx, queue: Queue
) -> None:
    draft_id = await put_into_review(database, cast.acme, queue)

    await delete(client, "install")

    assert await draft_status(owner, draft_id) == ("dismissed", True)


async def test_a_translation_in_review_is_settled_with_its_root(
    client: Client, cast: Cast, database: Database, owner: Tx
) -> None:
    await create_article(client)
    draft_id = await put_into_review(database, cast.acme)
    await owner.execute(
        """
        update articles set locale = 'de', translation_of = root.id
        from (select id from articles where status = 'draft' and bot_id = %(bot)s) as root
        where status = 'in_review' and bot_id = %(bot)s
        """,
        bot=cast.acme.bot_id,
    )

    await delete(client, "install")

    assert await draft_status(owner, draft_id) == ("dismissed", True)


async def test_twenty_parallel_requests_delete_once(client: Client) -> None:
    root = await create_article(client)
    await translate(client, root, "Einrichten", "de")

    answers = await at_once(20, lambda _: client.delete(INSTALL))

    assert sorted(answer.status_code for answer in answers) == [200] + [404] * 19


async def test_no_translation_outlives_its_article_whoever_is_first(client: Client) -> None:
    root = await create_article(client)
    body = {"title": "T", "contentMarkdown": "", "translationOf": root["id"]}

    async def ask(number: int) -> Response:
        if number == 10:
            return await client.delete(INSTALL)
        return await client.post("/v1/articles", json={**body, "locale": f"de-{number:03}"})

    answers = await at_once(20, ask)

    deletion = ok(answers.pop(10))
    ids = [answer.json()["id"] for answer in answers if answer.status_code == 201]
    assert sorted(deletion["translationIds"]) == sorted(ids)
    assert {answer.status_code for answer in answers} <= {201, 400}
    assert await all_pages(client, "/v1/articles") == []


async def test_a_translation_is_deleted_alone_or_with_its_article_but_once(client: Client) -> None:
    for number in range(10):
        root = await create_article(client, f"No {number}")
        translation = await translate(client, root, "T", "de")

        with_root, alone = await gather(
            client.delete(f"/v1/articles/{root['id']}"), client.delete(f"/v1/articles/{translation['id']}")
        )

        went_along = ok(with_root)["translationIds"] == [translation["id"]]
        assert alone.status_code == (404 if went_along else 200)


async def test_deleting_collections_and_articles_at_once_hinders_nobody(client: Client) -> None:
    for number in range(5):
        guides = await create_collection(client, f"Guides {number}")
        root = await create_article(client, f"No {number}", collectionId=guides["id"])
        for locale in ("de", "fr", "es"):
            body = {"title": "T", "contentMarkdown": "", "locale": locale, "translationOf": root["id"]}
            created(await client.post("/v1/articles", json={**body, "collectionId": guides["id"]}))

    async def ask(number: int) -> int:
        path = f"articles/no-{number // 2}" if number % 2 else f"collections/guides-{number // 2}"
        return (await client.delete(f"/v1/{path}")).status_code

    assert set(await at_once(10, ask)) == {200}

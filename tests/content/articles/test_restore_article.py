"""POST /v1/articles/{id}/restore."""

from datetime import timedelta

import pytest

from instep.platform.core.database import Database, Tx
from tests.support.articles import delete, draft_status, let_time_pass, put_into_review, restore, translate
from tests.support.cast import Cast, Client
from tests.support.http import (
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


async def test_a_restored_article_is_as_it_was_but_a_draft(client: Client, visitor: Client) -> None:
    guides = await create_collection(client)
    await create_article(client, collectionId=guides["id"], description="How to.", position=7)
    await client.patch(INSTALL, json={"contentMarkdown": "Two."})
    live = ok(await client.post(f"{INSTALL}/publish"))
    await delete(client, "install")

    restored = await client.post(f"/v1/articles/{live['id']}/restore")

    article = ok(restored)
    assert article == {**live, "status": "draft", "url": None, "updatedAt": article["updatedAt"]}
    assert article["updatedAt"] >= live["updatedAt"]
    again = await client.get(INSTALL)
    assert (ok(again), again.headers["ETag"]) == (article, restored.headers["ETag"])
    assert (await visitor.get(live["url"])).status_code == 404
    assert len(await all_pages(client, f"{INSTALL}/revisions")) == 1


async def test_clients_that_sync_see_it_again(client: Client) -> None:
    await create_article(client)
    await delete(client, "install")
    later = await create_article(client, "Later")

    restored = await restore(client, "install")

    assert await all_pages(client, "/v1/articles", updated_since=later["updatedAt"]) == [restored, later]


@pytest.mark.parametrize("status", ["archived", "in_review"])
async def test_restored_article_is_a_draft_whatever_its_status_was(
    client: Client, cast: Cast, database: Database, owner: Tx, status: str
) -> None:
    draft_id = await put_into_review(database, cast.acme)
    await owner.execute(
        "update articles set status = %(to)s where bot_id = %(bot)s", to=status, bot=cast.acme.bot_id
    )
    await delete(client, "install")

    assert (await restore(client, "install"))["status"] == "draft"
    assert (await draft_status(owner, draft_id))[0] == "dismissed"


async def test_the_translations_deleted_with_it_come_back_as_drafts(client: Client) -> None:
    root = await create_article(client)
    await translate(client, root, "Installer", "fr")
    await delete(client, "installer")
    german = await translate(client, root, "Einrichten", "de")
    await client.post("/v1/articles/einrichten/publish")
    await delete(client, "install")

    restored = await restore(client, root["id"])

    assert restored["translations"] == [
        {"id": german["id"], "locale": "de", "status": "draft", "outdated": False}
    ]
    assert ok(await client.get("/v1/articles/einrichten"))["translationOf"] == root["id"]
    assert error(await client.get("/v1/articles/installer")) == MISSING
    assert (await restore(client, "installer"))["status"] == "draft"


async def test_pending_edits_of_a_restored_article_come_back(client: Client) -> None:
    await create_article(client)
    draft = created(await client.post(f"{INSTALL}/drafts", json={"contentMarkdown": "Two."}))
    await delete(client, "install")

    await restore(client, "install")

    assert [row["id"] for row in await all_pages(client, "/v1/drafts")] == [draft["id"]]
    ok(await client.post(f"/v1/drafts/{draft['id']}/apply", json={}))
    assert ok(await client.get(INSTALL))["contentMarkdown"] == "Two."


async def test_a_slug_means_the_one_deleted_last(client: Client) -> None:
    for _ in range(2):
        article = await create_article(client)
        await delete(client, "install")

    assert (await restore(client, "install"))["id"] == article["id"]


async def test_a_former_slug_works_too(client: Client) -> None:
    article = await create_article(client)
    await client.patch(INSTALL, json={"slug": "set-up"})
    await delete(client, "install")

    assert (await restore(client, "install"))["id"] == article["id"]
    assert ok(await client.get(INSTALL))["slug"] == "set-up"


async def test_a_slug_taken_meanwhile_stays_with_its_new_owner(client: Client) -> None:
    article = await create_article(client)
    await translate(client, article, "Einrichten", "de")
    await delete(client, "install")
    newcomer = await create_article(client)
    await create_article(client, slug="einrichten", locale="de")

    restored = await restore(client, article["id"])

    assert restored["slug"] == "install-2"
    assert ok(await client.get(INSTALL))["id"] == newcomer["id"]
    assert ok(await client.get("/v1/articles/einrichten-2"))["translationOf"] == article["id"]
    await delete(client, "install")
    assert ok(await client.get(INSTALL))["id"] == article["id"]


async def test_articles_that_are_not_deleted_cant_be_restored(client: Client) -> None:
    first = await create_article(client)
    await delete(client, "install")
    second = await create_article(client)
    await client.patch("/v1/articles/install", json={"slug": "moved"})
    third = await create_article(client)

    for ref in (second["id"], "moved", third["id"], "install"):
        assert error(await client.post(f"/v1/articles/{ref}/restore")) == (400, "invalid_state")

    await restore(client, first["id"])
    assert error(await client.post(f"/v1/articles/{first['id']}/restore")) == (400, "invalid_state")


async def test_a_translation_waits_for_its_article(client: Client) -> None:
    root = await create_article(client)
    early, late = await translate(client, root, "Tôt", "fr"), await translate(client, root, "Spät", "de")
    await delete(client, early["id"])
    await delete(client, root["id"])

    for translation in (early, late):
        refusal = await client.post(f"/v1/articles/{translation['id']}/restore")
        assert error(refusal) == (400, "invalid_state")
        assert "Restore the original" in refusal.json()["error"]

    await restore(client, root["id"])
    assert (await restore(client, early["id"]))["translationOf"] == root["id"]


async def test_a_translation_whose_language_is_taken_meanwhile_stays_deleted(client: Client) -> None:
    root = await create_article(client)
    old = await translate(client, root, "Einrichten", "de")
    await delete(client, old["id"])
    new = await translate(client, root, "Aufsetzen", "de")

    refusal = await client.post(f"/v1/articles/{old['id']}/restore")

    assert error(refusal) == (400, "invalid_state")
    await delete(client, new["id"])
    assert (await restore(client, old["id"]))["slug"] == "einrichten"


async def test_after_30_days_it_is_gone(client: Client, cast: Cast, owner: Tx) -> None:
    article = await create_article(client)
    await delete(client, "install")

    await let_time_pass(owner, cast.acme, timedelta(days=30))

    for ref in (article["id"], "install"):
        assert error(await client.post(f"/v1/articles/{ref}/restore")) == MISSING


async def test_until_then_it_can_be_restored(client: Client, cast: Cast, owner: Tx) -> None:
    await create_article(client)
    await delete(client, "install")

    await let_time_pass(owner, cast.acme, timedelta(days=30, minutes=-1))

    assert (await restore(client, "install"))["slug"] == "install"


async def test_the_collection_may_be_gone_by_then(client: Client) -> None:
    guides = await create_collection(client)
    await create_article(client, collectionId=guides["id"])
    await delete(client, "install")
    ok(await client.delete("/v1/collections/guides"))

    assert (await restore(client, "install"))["collectionId"] is None


async def test_twenty_parallel_requests_restore_once(client: Client) -> None:
    root = await create_article(client)
    await translate(client, root, "Einrichten", "de")
    await delete(client, "install")

    answers = await at_once(20, lambda _: client.post(f"{INSTALL}/restore"))

    assert sorted(answer.status_code for answer in answers) == [200] + [400] * 19
    assert {error(a) for a in answers if a.status_code == 400} == {(400, "invalid_state")}
    assert len(await all_pages(client, "/v1/articles")) == 2


async def test_twenty_of_one_slug_restored_at_once_get_twenty_slugs(client: Client) -> None:
    ids = []
    for _ in range(20):
        ids.append((await create_article(client))["id"])
        await delete(client, "install")

    restored = await at_once(20, lambda number: restore(client, ids[number]))

    expected = {"install"} | {f"install-{number}" for number in range(2, 21)}
    assert {article["slug"] for article in restored} == expected


async def test_restoring_and_creating_at_once_share_out_the_slugs(client: Client) -> None:
    ids = []
    for _ in range(10):
        ids.append((await create_article(client))["id"])
        await delete(client, "install")

    async def ask(number: int) -> str:
        made_or_restored = restore(client, ids[number // 2]) if number % 2 else create_article(client)
        slug: str = (await made_or_restored)["slug"]
        return slug

    assert len(set(await at_once(20, ask))) == 20


async def test_one_text_a_language_whoever_is_first(client: Client) -> None:
    root = await create_article(client)
    ids = []
    for _ in range(10):
        ids.append((await translate(client, root, "Einrichten", "de"))["id"])
        await delete(client, ids[-1])
    body = {"title": "Neu", "contentMarkdown": "", "translationOf": root["id"], "locale": "de"}

    async def ask(number: int) -> Response:
        if number % 2:
            return await client.post(f"/v1/articles/{ids[number // 2]}/restore")
        return await client.post("/v1/articles", json=body)

    answers = await at_once(20, ask)

    assert sorted(answer.is_success for answer in answers) == [False] * 19 + [True]
    assert {answer.status_code for answer in answers} <= {200, 201, 400}
    assert len(ok(await client.get(INSTALL))["translations"]) == 1


async def test_deleting_and_restoring_at_once_keep_a_family_together(client: Client) -> None:
    root = await create_article(client)
    for locale in ("de", "fr"):
        await translate(client, root, "T", locale)

    async def ask(number: int) -> int:
        path = f"/v1/articles/{root['id']}"
        return (await (client.post(f"{path}/restore") if number % 2 else client.delete(path))).status_code

    assert set(await at_once(20, ask)) <= {200, 400, 404}
    assert len(await all_pages(client, "/v1/articles")) in (0, 3)

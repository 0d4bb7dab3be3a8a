"""`Idempotency-Key` on POST /v1/tasks: a repeated request is one task."""

from asyncio import gather

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, RunJobs
from tests.support.changes import article, change, get, send, write, write_articles
from tests.support.http import create_collection, error


async def test_the_same_key_and_body_are_the_same_task(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    first = await client.post("/v1/tasks", json=change(), headers={"Idempotency-Key": "deploy-1"})

    again = await client.post("/v1/tasks", json=change(), headers={"Idempotency-Key": "deploy-1"})

    assert (again.status_code, again.json()) == (202, first.json())
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["Idempotent-Replayed"] == "true"
    assert "Idempotent-Replayed" not in first.headers
    assert len((await get(client, "tasks"))["results"]) == 1


async def test_a_replay_shows_how_far_the_task_has_come(api: Api, cast: Cast, run_jobs: RunJobs) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    await send(client, "deploy-1")
    await run_jobs()

    again = await send(client, "deploy-1")

    assert (again["status"], len(again["drafts"])) == ("completed", 1)
    assert await run_jobs() == 0


async def test_a_field_that_is_null_or_absent_is_the_same_body(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)

    first = await write(client, "deploy-1")
    again = await write(client, "deploy-1", collectionId=None)

    assert again["id"] == first["id"]


async def test_a_new_article_that_is_asked_for_again_is_the_same_task(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    collection = await create_collection(client)
    first = await write(client, "write-1", collectionId=collection["id"])
    await client.delete(f"/v1/collections/{collection['id']}")

    again = await write(client, "write-1", collectionId=collection["id"])

    assert again == first
    for body in (article(), article(collectionId=collection["id"], instructions="Other words"), change()):
        refused = await client.post("/v1/tasks", json=body, headers={"Idempotency-Key": "write-1"})
        assert error(refused) == (400, "idempotency_mismatch")
    assert len((await get(client, "tasks"))["results"]) == 1


async def test_another_body_is_refused(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await send(client, "deploy-1")

    for fields in ({"title": "Another"}, {"diff": None}, {"body": "More words"}):
        refused = await client.post(
            "/v1/tasks", json=change(**fields), headers={"Idempotency-Key": "deploy-1"}
        )
        assert (refused.status_code, refused.json()["code"]) == (400, "idempotency_mismatch")
    assert len((await get(client, "tasks"))["results"]) == 1


async def test_another_bot_is_another_request(api: Api, cast: Cast) -> None:
    await send(api(cast.acme.write_key), "deploy-1")

    refused = await api(cast.wide_key).post(
        f"/v1/tasks?bot_id={cast.second_bot_id}", json=change(), headers={"Idempotency-Key": "deploy-1"}
    )

    assert (refused.status_code, refused.json()["code"]) == (400, "idempotency_mismatch")


async def test_companies_do_not_share_keys(api: Api, cast: Cast) -> None:
    ours = await send(api(cast.acme.write_key), "deploy-1")
    theirs = await send(api(cast.globex.write_key), "deploy-1")

    assert ours["id"] != theirs["id"]


async def test_twenty_requests_at_once_make_one_task(api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.acme.write_key)

    answers = await gather(*(send(client, "deploy-1") for _ in range(20)))

    assert len({answer["id"] for answer in answers}) == 1
    assert len((await get(client, "tasks"))["results"]) == 1
    assert await owner.value("select count(*) from jobs") == 1


async def test_a_key_is_forgotten_after_a_day(api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.acme.write_key)
    first = await send(client, "deploy-1")
    for hours, is_same in ((23, True), (2, False)):
        await owner.execute(
            "update idempotency_keys set created_at = created_at - make_interval(hours => %(hours)s)",
            hours=hours,
        )
        assert ((await send(client, "deploy-1"))["id"] == first["id"]) is is_same


async def test_a_refused_request_leaves_its_key_free(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    headers = {"Idempotency-Key": "deploy-1"}
    await client.post("/v1/tasks", json=change(diff="this is no diff"), headers=headers)

    assert (await client.post("/v1/tasks", json=change(), headers=headers)).status_code == 202


@pytest.mark.parametrize("key", ["k", "k" * 255, "~!@#$%^&*()[]{}<>?/|\\\"';:,."])
async def test_any_visible_characters_are_a_key(api: Api, cast: Cast, key: str) -> None:
    client = api(cast.acme.write_key)

    first, again = await send(client, key), await send(client, key)

    assert first["id"] == again["id"]


@pytest.mark.parametrize("key", [b"", b" ", b"two words", b"a\tb", b"k" * 256, "clé".encode(), b"\x7f"])
async def test_a_malformed_key_is_refused(api: Api, cast: Cast, key: bytes) -> None:
    client = api(cast.acme.write_key)

    refused = await client.post("/v1/tasks", json=change(), headers=[(b"Idempotency-Key", key)])

    assert (refused.status_code, refused.json()["code"]) == (400, "invalid_request")
    assert refused.json()["details"][0]["field"] == "Idempotency-Key"
    assert (await get(client, "tasks"))["results"] == []

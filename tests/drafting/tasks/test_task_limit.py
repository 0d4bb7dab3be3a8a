"""Three hundred tasks per hour and key: which requests count, and the error when they are used up."""

from asyncio import gather

from fastapi import FastAPI

from instep.accounts.workspaces.actions import create_key
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.database import Tx
from instep.platform.identity.scopes import Scope
from tests.support.cast import Api, Cast
from tests.support.changes import article, change, send, use_up, write
from tests.support.http import error, stranger
from tests.support.mcp import WORKSPACE, call, given
from tests.support.oauth import BOTH, browser_of, connect, member

NO_DIFF = "this is no diff\n"


async def test_the_task_after_the_last_of_an_hour_is_refused(api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.acme.write_key)
    await use_up(owner, cast.acme.write_key_id, 29)
    assert (await client.post("/v1/tasks", json=change(diff=None))).status_code == 202

    refused = await client.post("/v1/tasks", json=change())

    assert error(refused) == (429, "rate_limited")
    assert "30 tasks" in refused.json()["error"]
    assert "INSTEP_TASKS_PER_HOUR" in refused.json()["error"]
    assert 3_500 < int(refused.headers["Retry-After"]) <= 3_600
    assert refused.headers["RateLimit-Policy"] == '"api";q=120;w=60, "tasks";q=30;w=3600'
    assert '"api";r=118;' in refused.headers["RateLimit"]
    assert '"tasks";r=0;' in refused.headers["RateLimit"]


async def test_each_key_has_a_limit_of_its_own(api: Api, cast: Cast, owner: Tx) -> None:
    await use_up(owner, cast.acme.write_key_id, 30)

    same = await api(cast.acme.write_key).post("/v1/tasks", json=change(diff=None))
    another = await api(cast.wide_key).post(f"/v1/tasks?bot_id={cast.acme.bot_id}", json=change(diff=None))

    assert (same.status_code, another.status_code) == (429, 202)
    assert '"tasks";r=29;' in another.headers["RateLimit"]


async def test_many_keys_of_a_workspace_do_not_get_around_the_limit(api: Api, cast: Cast, owner: Tx) -> None:
    most = settings().tasks_per_hour * limits.MAX_TASK_QUOTAS_PER_WORKSPACE
    await use_up(owner, cast.acme.workspace_id, most, policy="workspace-tasks")
    made = await create_key(owner, cast.acme.workspace_id, "another", Scope.WRITE, [cast.acme.bot_id])

    refused = await api(made.key).post("/v1/tasks", json=change())
    elsewhere = await api(cast.globex.write_key).post("/v1/tasks", json=change())

    assert error(refused) == (429, "rate_limited")
    assert "300 tasks" in refused.json()["error"]
    assert elsewhere.status_code == 202


async def test_a_person_has_one_limit_over_all_apps(app: FastAPI, api: Api, cast: Cast, owner: Tx) -> None:
    person = await member(owner, cast.globex)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        [first, second] = [(await connect(browser, client, BOTH))[1]["access_token"] for _ in range(2)]
    await use_up(owner, person.id, 29)

    given(await call(api(first), WORKSPACE, "create_task", change(diff=None)))
    refused = await call(api(second), WORKSPACE, "create_task", change(diff=None))

    assert "30 tasks" in refused["content"][0]["text"]


async def test_changes_and_new_articles_share_the_limit(api: Api, cast: Cast, owner: Tx) -> None:
    client = api(cast.acme.write_key)
    await use_up(owner, cast.acme.write_key_id, 29)
    await write(client)

    answers = [await client.post("/v1/tasks", json=body) for body in (article(), change())]

    assert [answer.status_code for answer in answers] == [429, 429]


async def test_reads_go_on_when_the_tasks_are_used_up(api: Api, cast: Cast, owner: Tx) -> None:
    await use_up(owner, cast.acme.write_key_id, 30)

    assert (await api(cast.acme.write_key).get("/v1/tasks")).status_code == 200


async def test_refused_requests_do_not_count(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await send(client, "one-key")
    for body, headers in (
        ({}, {}),
        (change(diff=NO_DIFF), {}),
        (article(collectionId="nothing"), {}),
        (article() | change(), {}),
        (change(title="Another"), {"Idempotency-Key": "one-key"}),
        (change(), {"Idempotency-Key": "not visible"}),
    ):
        assert (await client.post("/v1/tasks", json=body, headers=headers)).status_code == 400

    accepted = await client.post("/v1/tasks", json=change())

    assert '"tasks";r=28;' in accepted.headers["RateLimit"]


async def test_a_replay_does_not_count_and_is_answered_when_the_limit_is_used_up(
    api: Api, cast: Cast, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    first = await send(client, "deploy-1")
    await use_up(owner, cast.acme.write_key_id, 30)

    replayed = await client.post("/v1/tasks", json=change(), headers={"Idempotency-Key": "deploy-1"})

    assert (replayed.status_code, replayed.json()["id"]) == (202, first["id"])
    assert replayed.headers["Idempotent-Replayed"] == "true"
    assert '"tasks";r=0;' in replayed.headers["RateLimit"]


async def test_a_key_that_was_refused_for_the_limit_is_free_for_later(
    api: Api, cast: Cast, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await use_up(owner, cast.acme.write_key_id, 30)

    for title in ("One", "Another"):
        refused = await client.post(
            "/v1/tasks", json=change(title=title), headers={"Idempotency-Key": "deploy-1"}
        )
        assert refused.status_code == 429


async def test_forty_concurrent_requests_use_exactly_the_remaining_quota(
    api: Api, cast: Cast, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await use_up(owner, cast.acme.write_key_id, 10)

    answers = await gather(*(client.post("/v1/tasks", json=change()) for _ in range(40)))

    assert sorted(answer.status_code for answer in answers) == [202] * 20 + [429] * 20

"""Thirty tasks an hour: what counts, and what is told when they are used up."""

from asyncio import gather

from tests.cast import Api, Cast, Client
from tests.tasks.changes import article, change, send, write

NO_DIFF = "this is no diff\n"


async def test_the_thirty_first_task_of_an_hour_is_refused(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await use_up(client, 30)

    refused = await client.post("/v1/tasks", json=change())

    assert (refused.status_code, refused.json()["code"]) == (429, "rate_limited")
    assert 3_500 < int(refused.headers["Retry-After"]) <= 3_600
    assert refused.headers["RateLimit-Policy"] == '"api";q=120;w=60, "tasks";q=30;w=3600'
    assert '"api";r=89;' in refused.headers["RateLimit"]
    assert '"tasks";r=0;' in refused.headers["RateLimit"]


async def test_all_bots_of_a_workspace_share_the_limit_and_other_companies_do_not(
    api: Api, cast: Cast
) -> None:
    await use_up(api(cast.acme.write_key), 30)

    second_bot = await api(cast.wide_key).post(f"/v1/tasks?bot_id={cast.second_bot_id}", json=change())
    elsewhere = await api(cast.globex.write_key).post("/v1/tasks", json=change())

    assert (second_bot.status_code, elsewhere.status_code) == (429, 202)


async def test_changes_and_new_articles_share_the_limit(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await use_up(client, 29)
    await write(client)

    answers = [await client.post("/v1/tasks", json=body) for body in (article(), change())]

    assert [answer.status_code for answer in answers] == [429, 429]


async def test_reads_go_on_when_the_tasks_are_used_up(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await use_up(client, 31)

    listed = await client.get("/v1/tasks?page_size=100")

    assert (listed.status_code, len(listed.json()["results"])) == (200, 30)


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
    api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    first = await send(client, "deploy-1")
    await use_up(client, 30)

    replayed = await client.post("/v1/tasks", json=change(), headers={"Idempotency-Key": "deploy-1"})

    assert (replayed.status_code, replayed.json()["id"]) == (202, first["id"])
    assert replayed.headers["Idempotent-Replayed"] == "true"
    assert '"tasks";r=0;' in replayed.headers["RateLimit"]


async def test_a_key_that_was_refused_for_the_limit_is_free_for_later(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await use_up(client, 30)

    for title in ("One", "Another"):
        refused = await client.post(
            "/v1/tasks", json=change(title=title), headers={"Idempotency-Key": "deploy-1"}
        )
        assert refused.status_code == 429


async def test_of_forty_at_once_exactly_thirty_are_accepted(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)

    answers = await gather(*(client.post("/v1/tasks", json=change()) for _ in range(40)))

    assert sorted(answer.status_code for answer in answers) == [202] * 30 + [429] * 10


async def use_up(client: Client, tasks: int) -> None:
    for _ in range(tasks):
        await client.post("/v1/tasks", json=change(diff=None))

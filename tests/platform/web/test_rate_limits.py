"""120 requests a minute for a key, 60 for an address without one, and the headers that report them."""

import asyncio
import re

from fastapi import FastAPI

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client
from tests.support.http import Response, error, stranger

POLICY = '"api";q=120;w=60'


async def test_the_121st_request_of_a_key_in_a_minute_is_refused(reader: Client) -> None:
    """Four concurrent clients get exactly 120 responses, and each remaining count appears once."""
    batches = await asyncio.gather(*(ask(reader, 32) for _ in range(4)))
    answers = [answer for part in batches for answer in part]

    accepted = [answer for answer in answers if answer.status_code == 200]
    refusals = [answer for answer in answers if answer.status_code != 200]
    assert sorted(state(answer)[0] for answer in accepted) == list(range(120))
    assert len(refusals) == 8
    for answer in refusals:
        assert error(answer) == (429, "rate_limited")
        remaining, seconds = state(answer)
        assert (remaining, answer.headers["Retry-After"]) == (0, str(seconds))
        assert 1 <= seconds <= 60
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {POLICY}


async def test_a_key_has_a_window_of_its_own(client: Client, reader: Client) -> None:
    await ask(reader, 5)

    [other] = await ask(client, 1)

    assert state(other)[0] == 119


async def test_the_window_ends(client: Client, cast: Cast, owner: Tx) -> None:
    await ask(client, 3)
    sql = "update rate_windows set started_at = started_at - interval '61 seconds' where subject = %(key)s"
    await owner.execute(sql, key=cast.acme.write_key_id)

    [answer] = await ask(client, 1)

    assert state(answer)[0] == 119


async def test_refused_requests_count_too(client: Client, cast: Cast) -> None:
    counts_left = [
        state(await client.post("/v1/articles", content=b"{"))[0],
        state(await client.get("/v1/articles/nothing"))[0],
        state(await client.get("/v1/articles", params={"bot_id": str(cast.globex.bot_id)}))[0],
    ]

    assert counts_left == [119, 118, 117]


async def test_calls_without_a_key_are_counted_and_refused_for_it(app: FastAPI, api: Api) -> None:
    async with stranger(app) as client, stranger(app) as neighbour:
        answers = await ask(client, 62)
        [other] = await ask(neighbour, 1)

    assert [error(answer) for answer in answers] == [(401, "unauthorized")] * 62
    assert {answer.headers["RateLimit-Policy"] for answer in answers} == {'"anonymous";q=60;w=60'}
    assert [state(answer)[0] for answer in (answers[0], answers[61], other)] == [59, 0, 59]


async def test_a_spent_address_does_not_stop_a_valid_key(app: FastAPI, api: Api, cast: Cast) -> None:
    async with stranger(app) as client:
        await ask(client, 61)
        answer = await client.get("/v1/bots", headers={"Authorization": f"Bearer {cast.acme.read_key}"})

    assert answer.status_code == 200


async def test_304_carries_the_headers(client: Client) -> None:
    await client.post("/v1/articles", json={"title": "Install", "contentMarkdown": ""})

    answer = await client.get("/v1/articles/install", headers={"If-None-Match": "*"})

    assert (answer.status_code, state(answer)[0]) == (304, 118)
    assert answer.headers["Request-Id"]


async def ask(client: Client, times: int) -> list[Response]:
    return [await client.get("/v1/bots") for _ in range(times)]


def state(answer: Response) -> tuple[int, int]:
    """The number of remaining requests, and the seconds until the reset."""
    parsed = re.fullmatch(r'"\w+";r=(\d+);t=(\d+)', answer.headers["RateLimit"])
    assert parsed, answer.headers["RateLimit"]
    return int(parsed[1]), int(parsed[2])

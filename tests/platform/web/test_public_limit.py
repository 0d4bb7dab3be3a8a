"""Pages, public documents and protocol calls share a high limit per address."""

import asyncio

import pytest
from fastapi import FastAPI

from instep.app import put_into
from instep.operations.ops import health
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.platform.web import custom_domains
from instep.platform.web.assets import asset_path
from instep.platform.web.public_limit import Buckets
from instep.runtime import Runtime
from tests.support.cast import Api, Cast, Client
from tests.support.http import stranger

QUOTA = 5
TOOLS_LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


def use_small_limit(app: FastAPI, database: Database) -> None:
    used = settings().model_copy(update={"public_requests_per_minute": QUOTA})
    put_into(app, Runtime(used, database, b"a key for the cursors of the tests"))


async def test_an_address_that_asks_too_often_is_told_how_long_to_wait(
    app: FastAPI, api: Api, cast: Cast, database: Database
) -> None:
    use_small_limit(app, database)
    async with stranger(app) as client, stranger(app) as neighbour:
        answers = [await client.get(f"/help/{cast.acme.slug}/") for _ in range(QUOTA + 1)]
        others = {
            path: await client.get(path)
            for path in (f"/help/{cast.acme.slug}/sitemap.xml", "/sign-in", "/nothing")
        }
        watched = await client.get("/healthz")
        look = [
            await client.get(path) for path in (asset_path("site.js"), "/static/icon.svg", "/favicon.ico")
        ]
        neighbours = await neighbour.get(f"/help/{cast.acme.slug}/")

    assert [answer.status_code for answer in answers] == [200] * QUOTA + [429]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= limits.REQUEST_WINDOW_SECONDS / QUOTA
    assert "a minute" in answers[-1].text
    assert {path: answer.status_code for path, answer in others.items()} == dict.fromkeys(others, 429)
    assert (watched.status_code, neighbours.status_code) == (200, 200)
    # The error page still gets its script and its icon.
    assert asset_path("site.js") in answers[-1].text
    assert [answer.status_code for answer in look] == [200] * 3


async def test_protocol_calls_without_a_tool_count_too(
    app: FastAPI, api: Api, cast: Cast, database: Database
) -> None:
    use_small_limit(app, database)
    accepted = {"Accept": "application/json, text/event-stream"}
    async with stranger(app) as client:
        answers = [await client.post("/mcp", json=TOOLS_LIST, headers=accepted) for _ in range(QUOTA + 1)]

    assert [answer.status_code for answer in answers] == [200] * QUOTA + [429]
    assert answers[-1].json()["code"] == "rate_limited"
    assert int(answers[-1].headers["Retry-After"]) > 0


async def test_hosts_are_not_looked_up_without_end(
    app: FastAPI, api: Api, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    use_small_limit(app, database)
    asked: list[str] = []

    async def is_custom_domain(database: Database, domain: str) -> bool:
        asked.append(domain)
        return False

    monkeypatch.setattr(custom_domains, "is_custom_domain", is_custom_domain)
    async with stranger(app) as client:
        hosts = [f"{number}.example.com" for number in range(4 * QUOTA)]
        answers = [await client.get("/healthz", headers={"Host": host}) for host in hosts]

    assert len(asked) == QUOTA
    assert [answer.status_code for answer in answers] == [200] * QUOTA + [429] * 3 * QUOTA


async def test_the_database_is_asked_once_for_many_who_ask_whether_it_is_ready(
    app: FastAPI, api: Api, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Database] = []

    async def find_problems(database: Database) -> list[str]:
        asked.append(database)
        return []

    monkeypatch.setattr(health, "find_problems", find_problems)
    async with stranger(app) as client:
        answers = await asyncio.gather(*(client.get("/readyz") for _ in range(50)))

    assert {answer.status_code for answer in answers} == {200}
    assert len(asked) == 1


async def test_calls_of_the_apis_keep_to_their_own_limits(
    app: FastAPI, reader: Client, database: Database
) -> None:
    use_small_limit(app, database)

    answers = [await reader.get("/v1/bots") for _ in range(QUOTA + 2)]

    assert {answer.status_code for answer in answers} == {200}


def test_a_bucket_fills_again_evenly() -> None:
    now = [0.0]
    buckets = Buckets(per_minute=30, clock=lambda: now[0])
    at_once = [buckets.take("a caller") for _ in range(31)]
    later = []
    for now[0] in (1.0, 2.0, 2.0):
        later.append(buckets.take("a caller"))

    assert at_once == [0] * 30 + [2]
    assert later == [1, 0, 2]


def test_many_callers_take_bounded_memory() -> None:
    buckets = Buckets(per_minute=1, clock=lambda: 0.0)

    for number in range(limits.MAX_BUCKETS + 10):
        buckets.take(str(number))

    assert len(buckets.buckets) == limits.MAX_BUCKETS

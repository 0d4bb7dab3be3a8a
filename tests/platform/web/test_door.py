"""Access checks: which keys and bots are accepted, and the order of refusals."""

import pytest
from fastapi import FastAPI

from instep.accounts.workspaces.actions import create_bot, create_key, create_workspace, pause_workspace
from instep.platform.core.database import Tx
from instep.platform.identity.keys import new_key
from instep.platform.identity.scopes import Scope
from tests.support.cast import Api, Cast, Client
from tests.support.http import create_article, error, ok, stranger

ARTICLES = "/v1/articles"
TOO_MUCH = b'{"title": "' + b"x" * (2 * 1024 * 1024) + b'"}'


async def spend(owner: Tx, policy: str, subject: str) -> None:
    """Use up a rate-limit window, as that many requests would."""
    await owner.execute(
        """
        insert into rate_windows (policy, subject, started_at, hits)
        values (%(policy)s, %(subject)s, clock_timestamp(), 1000)
        on conflict (policy, subject) do update set started_at = clock_timestamp(), hits = 1000
        """,
        policy=policy,
        subject=subject,
    )


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Basic {key}",
        "{key}",
        "Bearer {key} {key}",
        "Bearer {key}x",
        "Bearer isk_",
        "Bearer " + "x" * 5_000,
        "Bearer é",
        "Bearer {other}",
    ],
)
async def test_a_malformed_key_is_no_key(app: FastAPI, api: Api, cast: Cast, header: str) -> None:
    value = header.format(key=cast.acme.write_key, other=cast.acme.write_key.swapcase())
    async with stranger(app) as client:
        refusal = await client.get("/v1/bots", headers={b"Authorization": value.encode()})

    assert error(refusal) == (401, "unauthorized")
    assert refusal.headers["WWW-Authenticate"] == "Bearer"


async def test_two_keys_are_none(app: FastAPI, api: Api, cast: Cast) -> None:
    headers = [("Authorization", f"Bearer {cast.acme.write_key}")] * 2
    async with stranger(app) as client:
        assert error(await client.get("/v1/bots", headers=headers)) == (401, "unauthorized")


async def test_the_scheme_is_spelled_in_any_case(app: FastAPI, api: Api, cast: Cast) -> None:
    async with stranger(app) as client:
        answer = await client.get("/v1/bots", headers={"Authorization": f"bearer {cast.acme.write_key}"})
    assert answer.status_code == 200


async def test_a_key_is_not_taken_from_the_query(app: FastAPI, api: Api, cast: Cast) -> None:
    async with stranger(app) as client:
        for name in ("key", "api_key", "access_token"):
            refusal = await client.get("/v1/bots", params={name: cast.acme.write_key})
            assert error(refusal) == (401, "unauthorized")


async def test_an_expired_key_is_dead(app: FastAPI, api: Api, cast: Cast, owner: Tx) -> None:
    sql = "update api_keys set expires_at = now() - interval '1 second' where id = %(id)s"
    await owner.execute(sql, id=cast.acme.write_key_id)

    async with stranger(app, cast.acme.write_key) as client:
        assert error(await client.get("/v1/bots")) == (401, "unauthorized")


async def test_a_bot_is_named_by_query_or_header_or_both_alike(wide: Client, cast: Cast) -> None:
    client, bot = wide, str(cast.second_bot_id)
    body = {"title": "Install", "contentMarkdown": ""}

    query = await client.post(ARTICLES, json=body, params={"bot_id": bot})
    header = await client.post(ARTICLES, json=body, headers={"Service-Bot": bot})
    both = await client.post(ARTICLES, json=body, params={"bot_id": bot}, headers={"Service-Bot": bot})
    spelled = await client.post(
        ARTICLES, json=body, params={"bot_id": bot.upper()}, headers={"Service-Bot": bot}
    )

    assert [answer.json()["botId"] for answer in (query, header, both, spelled)] == [bot] * 4


async def test_query_and_header_that_differ_are_refused(wide: Client, cast: Cast) -> None:
    headers = {"Service-Bot": str(cast.second_bot_id)}

    refusal = await wide.get(ARTICLES, params={"bot_id": str(cast.acme.bot_id)}, headers=headers)

    assert error(refusal) == (400, "invalid_request")


async def test_a_key_of_one_bot_may_name_it(reader: Client, cast: Cast) -> None:
    assert (await reader.get(ARTICLES, params={"bot_id": str(cast.acme.bot_id)})).status_code == 200


async def test_a_key_of_all_bots_from_before_the_first_needs_no_name_while_there_is_one(
    api: Api, owner: Tx
) -> None:
    empty = await create_workspace(owner, "Umbrella")
    new_key = await create_key(owner, empty.id, "all", Scope.READ, [])
    client = api(new_key.key)
    await create_bot(owner, empty.id, "Umbrella", None, "en")
    assert (await client.get(ARTICLES)).status_code == 200

    await create_bot(owner, empty.id, "Umbrella second", None, "en")

    assert error(await client.get(ARTICLES)) == (400, "bot_required")


@pytest.mark.parametrize("bot", ["nonsense", "", "acme"])
async def test_a_name_that_is_no_bots_id_is_refused(reader: Client, bot: str) -> None:
    refusal = await reader.get(ARTICLES, params={"bot_id": bot})

    assert refusal.status_code in (400, 403)


async def test_articles_of_a_key_stay_in_its_workspace(client: Client, api: Api, cast: Cast) -> None:
    await create_article(client)

    assert ok(await api(cast.globex.read_key).get(ARTICLES))["results"] == []


async def test_the_refusals_come_in_order(app: FastAPI, wide: Client, cast: Cast, owner: Tx) -> None:
    """Each request has all faults from its position in the order on; the first one is reported."""
    await pause_workspace(owner, cast.paused.workspace_id)
    await spend(owner, "api", cast.acme.write_key_id)
    other = {"bot_id": str(cast.globex.bot_id)}
    acme_bot, nowhere = {"bot_id": str(cast.acme.bot_id)}, "/v1/articles/nothing"

    async def code_of(key: str, params: dict[str, str]) -> tuple[int, str]:
        async with stranger(app, key) as client:
            return error(await client.patch(nowhere, params=params, content=b"{"))

    assert await code_of(new_key(), other) == (401, "unauthorized")
    assert await code_of(cast.acme.write_key, other) == (429, "rate_limited")
    assert await code_of(cast.paused.read_key, other) == (403, "insufficient_scope")
    assert await code_of(cast.wide_key, {}) == (400, "bot_required")
    assert await code_of(cast.paused.read_key, {}) == (403, "insufficient_scope")
    assert await code_of(cast.paused.write_key, {}) == (402, "plan_inactive")
    assert await code_of(cast.wide_key, acme_bot) == (400, "invalid_request")
    unknown = await wide.patch(nowhere, params=acme_bot, json={"title": "New"})
    assert error(unknown) == (404, "not_found")


async def test_no_key_is_told_before_two_bots(app: FastAPI, api: Api, cast: Cast) -> None:
    async with stranger(app) as client:
        refusal = await client.get(ARTICLES, params={"bot_id": "a"}, headers={"Service-Bot": "b"})

    assert error(refusal) == (401, "unauthorized")


async def test_no_key_is_told_before_a_body_that_is_too_large(app: FastAPI, api: Api) -> None:
    async with stranger(app) as client:
        assert error(await client.post(ARTICLES, content=TOO_MUCH)) == (401, "unauthorized")


@pytest.mark.parametrize("fault", ["two bots", "too large"])
async def test_rate_headers_are_on_the_earliest_refusals(client: Client, fault: str) -> None:
    if fault == "two bots":
        refusal = await client.get(ARTICLES, params={"bot_id": "a"}, headers={"Service-Bot": "b"})
    else:
        refusal = await client.post(ARTICLES, content=TOO_MUCH)

    assert refusal.status_code == 400
    assert refusal.headers["RateLimit-Policy"] == '"api";q=120;w=60'

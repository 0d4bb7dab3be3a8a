"""The apps that a person has connected: listed, disconnected, and pruned when they expire."""

import pytest
from fastapi import FastAPI

from instep.accounts.oauth import actions
from instep.operations.ops import prune
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import NotFound
from instep.platform.core.jobs import Job
from tests.support.cast import Api, Cast
from tests.support.http import at_once, stranger
from tests.support.limits import SetLimit
from tests.support.mcp import WORKSPACE, post
from tests.support.oauth import (
    BOTH,
    Request,
    browser_of,
    connect,
    connect_somebody,
    decide,
    member,
    redeem,
    refresh,
    refusal,
    register,
)


async def test_a_person_sees_and_ends_their_own_connections(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, database: Database
) -> None:
    person, colleague = await member(owner, cast.acme), await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        # The app never redeems this code, so it is not connected.
        await decide(browser, Request(await register(client)))
        client_id, tokens = await connect(browser, client, BOTH, bot=str(cast.acme.bot_id))
        async with database.enter_workspace(person.workspace_id) as tx:
            [grant] = await actions.list_grants(tx, person)
            assert await actions.list_grants(tx, colleague) == []
            with pytest.raises(NotFound):
                await actions.revoke_grant(tx, colleague, grant.id)
            assert (await post(api(tokens["access_token"]), WORKSPACE, "tools/list")).status_code == 200

            await actions.revoke_grant(tx, person, grant.id)

            assert await actions.list_grants(tx, person) == []
        async with stranger(app, tokens["access_token"]) as agent:
            assert (await post(agent, WORKSPACE, "tools/list")).status_code == 401
        renewed = await refresh(client, client_id, tokens["refresh_token"])

    assert (grant.app_name, grant.scope, grant.bot_names) == ("Claude", "content:write", ["Acme"])
    assert grant.target == "127.0.0.1"
    assert refusal(renewed) == (400, "invalid_grant")


async def test_the_connection_used_least_lately_makes_room(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, database: Database, set_limit: SetLimit
) -> None:
    set_limit("MAX_CONNECTIONS_PER_PERSON", 2)
    person = await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        first, second = [(await connect(browser, client))[1] for _ in range(2)]
        await post(api(first["access_token"]), WORKSPACE, "tools/list")
        third = (await connect(browser, client))[1]

    statuses = []
    for tokens in (first, second, third):
        async with stranger(app, tokens["access_token"]) as agent:
            statuses.append((await post(agent, WORKSPACE, "tools/list")).status_code)
    assert statuses == [200, 401, 200]


async def test_connections_that_begin_at_once_make_room_for_each_other(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, database: Database, set_limit: SetLimit
) -> None:
    set_limit("MAX_CONNECTIONS_PER_PERSON", 2)
    person = await member(owner, cast.acme)
    async with browser_of(app, owner, person) as browser, stranger(app) as client:
        requests = [Request(await register(client)) for _ in range(6)]
        codes = [(await decide(browser, request))["code"] for request in requests]

        answers = await at_once(6, lambda number: redeem(client, requests[number], codes[number]))

    assert [answer.status_code for answer in answers] == [200] * 6
    async with database.enter_workspace(person.workspace_id) as tx:
        assert len(await actions.list_grants(tx, person)) == 2


async def test_pruning_deletes_only_expired_grants_and_unused_apps(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, database: Database
) -> None:
    living, over = [await connect_somebody(app, owner, cast.acme) for _ in range(2)]
    sql = "select grant_id from oauth_tokens where token_hash = sha256(%(token)s)"
    grant = await owner.value(sql, token=over["access_token"].encode())
    sql = "update oauth_grants set expires_at = now() - interval '2 days' where id = %(id)s"
    await owner.execute(sql, id=grant)
    await owner.execute(
        "update oauth_clients set used_at = used_at - %(age)s", age=limits.UNUSED_APP_RETENTION
    )

    await prune.prune(database, Job(1, prune.PRUNE, {}, 1))

    count = "select count(*) from oauth_tokens where grant_id = %(id)s"
    assert await owner.value(count, id=grant) == 0
    assert await owner.value("select count(*) from oauth_clients") == 0
    assert (await post(api(living["access_token"]), WORKSPACE, "tools/list")).status_code == 200

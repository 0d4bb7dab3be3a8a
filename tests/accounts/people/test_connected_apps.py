"""/app/connected-apps: people see and disconnect their own apps, and no others."""

import re

from fastapi import FastAPI

from instep.accounts.people.actions import change_password, list_audit
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast
from tests.support.http import stranger
from tests.support.mcp import WORKSPACE, post
from tests.support.oauth import browser_of, connect, member, refresh, submit
from tests.support.sign_in import OTHER_PASSWORD

PAGE = "/app/connected-apps"
ID = re.compile(r'name="id" value="([^"]+)"')


async def test_a_person_sees_and_ends_their_own_apps_and_nobody_elses(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    ann, bob = await member(owner, cast.acme), await member(owner, cast.acme)
    async with (
        browser_of(app, owner, ann) as hers,
        browser_of(app, owner, bob) as his,
        stranger(app) as client,
    ):
        _, tokens = await connect(hers, client)
        page, other = await hers.get(PAGE), await his.get(PAGE)
        [grant] = ID.findall(page.text)
        assert ID.findall(other.text) == []
        assert "/mcp/admin" in other.text

        # The colleague's page has no form to disconnect apps, so this uses the token of the sign-out form.
        answer = await submit(his, other, PAGE, id=grant)
        async with stranger(app, tokens["access_token"]) as agent:
            assert (answer.status_code, (await post(agent, WORKSPACE, "tools/list")).status_code) == (
                404,
                200,
            )
            ended = await submit(hers, page, PAGE, id=grant)
            assert (ended.status_code, ended.headers["Location"]) == (303, PAGE)
            assert (await post(agent, WORKSPACE, "tools/list")).status_code == 401
        assert ID.findall((await hers.get(PAGE)).text) == []

    [entry] = await list_audit(owner, cast.acme.workspace_id, 1)
    assert (entry.action, entry.actor_name, entry.channel) == ("disconnect_app", ann.email, "page")


async def test_a_new_password_ends_every_app_of_the_person_and_nobody_elses(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    ann, bob = await member(owner, cast.acme), await member(owner, cast.acme)
    async with (
        browser_of(app, owner, ann) as hers,
        browser_of(app, owner, bob) as his,
        stranger(app) as client,
    ):
        first_id, first = await connect(hers, client)
        _, second = await connect(hers, client)
        _, others = await connect(his, client)
        await change_password(owner, cast.acme.workspace_id, ann.email, OTHER_PASSWORD)

        renewed = await refresh(client, first_id, first["refresh_token"])
        opened = []
        for tokens in (first, second, others):
            async with stranger(app, tokens["access_token"]) as agent:
                opened.append((await post(agent, WORKSPACE, "tools/list")).status_code)

    assert (opened, renewed.status_code, renewed.json()["error"]) == ([401, 401, 200], 400, "invalid_grant")
    entries = await list_audit(owner, cast.acme.workspace_id, 3)
    assert [entry.action for entry in entries] == ["change_password", "disconnect_app", "disconnect_app"]
    assert {entry.channel for entry in entries} == {"command"}

"""While a workspace is paused, no form and no visitor's call changes it, by any route."""

import re

import pytest
from fastapi import FastAPI

from instep.accounts.workspaces.actions import pause_workspace, resume_workspace
from instep.accounts.workspaces.queries import list_workspaces
from instep.app import create_app
from instep.operations.ops.routes import list_routes
from instep.platform.core.database import Database, Tx
from instep.platform.identity.scopes import Role
from tests.accounts.people.test_invitations import invite
from tests.support.cast import Api, Cast, Company
from tests.support.http import body_of, stranger
from tests.support.oauth import Request, register, submit
from tests.support.sign_in import HERE, PASSWORD, TOKEN, Browser, browser, fresh_email, sign_up
from tests.support.site_pages import publish

ROUTES = list_routes(create_app()).results
# Forms that change no content or that revoke access. Add a line only after verifying that.
OPEN_FORMS = {
    "/app/{bot_slug}/conversations/visitor/export",
    "/app/{bot_slug}/review/{draft_id}/presence",
    "/app/{bot_slug}/settings/apps",
    "/app/{bot_slug}/settings/export",
    "/app/{bot_slug}/settings/keys/revoke",
    "/app/{bot_slug}/inbox/read",
    "/app/{bot_slug}/inbox/{notice_id}/open",
    "/app/{bot_slug}/settings/pause",
    "/app/{bot_slug}/settings/people/disable",
    "/app/{bot_slug}/settings/people/revoke",
    "/app/{bot_slug}/settings/trusts/revoke",
    "/app/{bot_slug}/writing/pasted",
    "/app/{bot_slug}/writing/preview",
    "/app/{bot_slug}/writing/style",
}
# A paused workspace still answers questions, and feedback on an answer is part of that.
OPEN_CALLS = {"/chat", "/chat/messages/{messageId}/feedback"}
FORMS = sorted(
    route.path
    for route in ROUTES
    if route.method == "POST" and (route.path.startswith("/app/{bot_slug}/") or "new-help" in route.path)
)
CALLS = sorted(route.path for route in ROUTES if route.method == "POST" and route.access == "bot key")


async def owner_of(app: FastAPI, owner: Tx, company: Company, ann: Browser) -> str:
    """Sign in an owner of the company; return the token of their forms."""
    await ann.sign_in((await sign_up(owner, company.workspace_id)).email)
    token: str = TOKEN.findall((await ann.get("/app/account")).text)[0]
    return token


async def test_every_form_is_refused_but_those_that_end_something(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    async with browser(app) as ann:
        token = await owner_of(app, owner, cast.paused, ann)
        await pause_workspace(owner, cast.paused.workspace_id)
        refused = set()
        for path in FORMS:
            address = re.sub(r"\{\w+\}", "x", path.replace("{bot_slug}", cast.paused.slug))
            answer = await ann.client.post(address, data={"form-token": token}, headers=HERE)
            if answer.status_code == 402:
                refused.add(path)

    assert set(FORMS) - refused == OPEN_FORMS


async def test_every_call_of_a_visitor_is_refused_but_questions(api: Api, cast: Cast, owner: Tx) -> None:
    company = cast.paused
    await pause_workspace(owner, company.workspace_id)
    refused = set()
    for path in CALLS:
        body = {"botId": str(company.bot_id), "botKey": company.bot_key, "question": "How?", "visitor": "v"}
        answer = await api(None).post(re.sub(r"\{\w+\}", "x", path), json=body)
        if answer.status_code == 402:
            assert body_of(answer)["code"] == "plan_inactive"
            refused.add(path)

    assert set(CALLS) - refused == OPEN_CALLS


async def test_the_forms_of_the_help_center_are_refused_too(
    app: FastAPI, api: Api, cast: Cast, owner: Tx
) -> None:
    article = await publish(api(cast.paused.write_key), "Invite people")
    await pause_workspace(owner, cast.paused.workspace_id)
    async with stranger(app) as visitor:
        fields = {"article": article["id"], "helpful": "yes"}
        answer = await visitor.post(f"/help/{cast.paused.slug}/feedback", data=fields, headers=HERE)

    assert answer.status_code == 402
    assert (
        await owner.value("select count(*) from article_feedback where bot_id = %(b)s", b=cast.paused.bot_id)
        == 0
    )


async def test_invitations_and_apps_are_refused(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, database: Database
) -> None:
    email = fresh_email()
    invitation = await invite(database, cast.paused.workspace_id, email, Role.EDITOR)
    async with browser(app) as ann, browser(app) as bob, stranger(app) as agent:
        await owner_of(app, owner, cast.paused, ann)
        request = Request(await register(agent))
        page = await ann.get(request.path())
        await pause_workspace(owner, cast.paused.workspace_id)
        joined = await bob.send(invitation.path, "/join", token=invitation.token, password=PASSWORD)
        connected = await submit(ann.client, page, request.path(), decision="allow", scope="content:read")
        await resume_workspace(owner, cast.paused.workspace_id)
        later = await bob.send(invitation.path, "/join", token=invitation.token, password=PASSWORD)

    assert (joined.status_code, connected.status_code, later.status_code) == (402, 402, 303)


@pytest.mark.parametrize("first", ["operator", "owner"])
async def test_an_owner_resumes_their_own_pause_and_not_the_operators(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, first: str
) -> None:
    company, settings = cast.paused, f"/app/{cast.paused.slug}/settings"
    async with browser(app) as ann:
        await owner_of(app, owner, company, ann)
        await ann.send(f"{settings}/general", f"{settings}/pause")
        if first == "operator":
            # The owner pauses it before the operator and again after.
            await pause_workspace(owner, company.workspace_id)
            await ann.send(f"{settings}/general", f"{settings}/pause")
        page = await ann.get(f"{settings}/general")
        answer = await ann.send(f"{settings}/general", f"{settings}/resume")

    [workspace] = [row for row in await list_workspaces(owner) if row.id == company.workspace_id]
    is_operators = first == "operator"
    assert (answer.status_code, workspace.paused_at is not None) == (
        (402, True) if is_operators else (303, False)
    )
    assert ("resume it" in page.text) is is_operators
    await resume_workspace(owner, company.workspace_id)

"""Every credential of a person, a key or a trust, and which of them each ending revokes, in one table."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import timedelta

import pytest
from fastapi import FastAPI

from instep.accounts.oauth.queries import list_grants
from instep.accounts.people import actions, factor_queries, first_person, invitations
from instep.accounts.people.schemas import NewInvitation, User
from instep.accounts.trusts.actions import revoke_trust
from instep.accounts.trusts.queries import insert_key
from instep.accounts.trusts.schemas import Trust
from instep.accounts.workspaces.actions import revoke_key
from instep.drafting.drafts.previews import create_preview, list_previews, preview_token
from instep.platform.core.database import Database, Tx
from instep.platform.core.ids import new_id
from instep.platform.identity.keys import hash_key, new_key
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role
from tests.support.articles import acting
from tests.support.cast import Api, Cast, Client, Json
from tests.support.drafts import propose, write_article
from tests.support.http import stranger
from tests.support.issuers import trust_somebody
from tests.support.mcp import WORKSPACE, post
from tests.support.oauth import connect, refresh
from tests.support.second_factors import add_second_factors, person_of
from tests.support.sign_in import OTHER_PASSWORD, PASSWORD, Browser, browser, is_signed_in, sign_up

ACCOUNT = "/app/account"
OWN = {"old password", "session", "session elsewhere", "access token", "refresh token", "app elsewhere"}
FACTORS = {"passkey", "recovery codes"}
LINKS = {"invitation by them", "sign-in link"}
HERE_ALONE = {"session", "access token", "refresh token", "invitation by them"}
# The credentials that each ending revokes; all others stay valid. Keys, trusts and previews belong to the
# workspace.
ENDS: dict[str, set[str]] = {
    "own password": OWN | FACTORS,
    "own password that keeps the rest": OWN,
    "password by the operator": OWN | FACTORS | LINKS,
    "disabled": HERE_ALONE | {"sign-in link"},
    "disabled and enabled": HERE_ALONE,
    "editor": {"invitation by them"},
    "viewer": {"invitation by them"},
    "second factors removed": FACTORS | {"authenticator"},
    "signed out elsewhere": {"session elsewhere"},
    "app disconnected": {"access token", "refresh token"},
    "app disconnected by an owner": {"access token", "refresh token"},
    "key revoked": {"API key"},
    "trust revoked": {"CI token"},
    "deleted": OWN | FACTORS | {"authenticator", "sign-in link"},
}


@dataclass
class Scene:
    """Ann, who owns Acme and edits Globex, with every kind of credential."""

    app: FastAPI
    database: Database
    owner: Tx
    cast: Cast
    user: User
    here: Browser
    elsewhere: Browser
    third: Browser
    agent: Client
    client_id: str
    tokens: Json
    app_elsewhere: Json
    invitation: NewInvitation
    sign_in_token: str
    preview: str
    ci_key: str
    trust: Trust

    @property
    def person(self) -> Person:
        return person_of(self.user)

    async def is_open(self, token: str) -> bool:
        async with stranger(self.app, token) as agent:
            return (await post(agent, WORKSPACE, "tools/list")).status_code == 200

    async def has_key(self, key: str) -> bool:
        async with stranger(self.app, key) as client:
            return (await client.get("/v1/bots")).status_code == 200

    async def works(self) -> set[str]:
        """The credentials that still work. Call it once, because some are used up."""
        owner, person_id, email = self.owner, self.user.id, self.user.email
        count = "select count(*) from {} where person_id = %(id)s"
        async with (
            stranger(self.app) as visitor,
            browser(self.app) as old,
            self.database.enter_workspace("") as tx,
        ):
            preview = await visitor.get(f"/preview/{self.preview}", follow_redirects=True)
            found = {
                "session": await is_signed_in(self.here),
                "session elsewhere": await is_signed_in(self.elsewhere),
                "access token": await self.is_open(self.tokens["access_token"]),
                "app elsewhere": await self.is_open(self.app_elsewhere["access_token"]),
                "passkey": await factor_queries.find_passkey(tx, f"credential of {person_id}") is not None,
                "recovery codes": await owner.value(count.format("recovery_codes"), id=person_id) > 0,
                "authenticator": await owner.value(count.format("totp_secrets"), id=person_id) > 0,
                "invitation by them": (await visitor.get(self.invitation.path)).status_code == 200,
                "sign-in link": await owner.value(
                    "select count(*) from use_sign_in_link(%(hash)s)", hash=hash_key(self.sign_in_token)
                )
                > 0,
                "preview": preview.status_code == 200,
                "API key": await self.has_key(self.cast.acme.write_key),
                "CI token": await self.has_key(self.ci_key),
                "refresh token": (
                    await refresh(self.agent, self.client_id, self.tokens["refresh_token"])
                ).status_code
                == 200,
                "old password": (await old.sign_in(email)).status_code == 303,
            }
        return {name for name, works in found.items() if works}


@pytest.fixture
async def scene(
    app: FastAPI, api: Api, client: Client, cast: Cast, owner: Tx, database: Database
) -> AsyncIterator[Scene]:
    user = await sign_up(owner, cast.acme.workspace_id)
    await sign_up(owner, cast.acme.workspace_id)
    await owner.execute(
        "insert into memberships (workspace_id, person_id, role) values (%(there)s, %(id)s, 'editor')",
        there=cast.globex.workspace_id,
        id=user.id,
    )
    async with AsyncExitStack() as stack:
        here, elsewhere, third = [await stack.enter_async_context(browser(app)) for _ in range(3)]
        agent = await stack.enter_async_context(stranger(app))
        for visitor in (here, elsewhere, third):
            await visitor.sign_in(user.email)
        for visitor, company in ((here, cast.acme), (elsewhere, cast.globex)):
            await visitor.send(ACCOUNT, f"{ACCOUNT}/workspace", workspace=company.workspace_id)
        client_id, tokens = await connect(here.client, agent)
        _, app_elsewhere = await connect(elsewhere.client, agent)
        await add_second_factors(owner, user)
        async with database.enter_workspace(cast.acme.workspace_id) as tx, tx.transaction():
            actor = person_of(user).as_actor("page")
            invitation = await invitations.invite(
                tx, cast.acme.workspace_id, "second@acme.example", Role.OWNER, actor
            )
        path = await first_person.new_sign_in_link(owner, cast.acme.workspace_id, user.id)
        draft = await propose(client, await write_article(client))
        async with acting(database, cast.acme) as ctx:
            await create_preview(ctx, draft["id"])
            [preview] = await list_previews(ctx, draft["id"])
        trust, ci_key = await trust_somebody(owner, cast.acme), new_key()
        await insert_ci_key(owner, cast, trust, ci_key)
        yield Scene(
            *(app, database, owner, cast, user, here, elsewhere, third, agent, client_id, tokens),
            *(app_elsewhere, invitation, path.partition("token=")[2]),
            *(preview_token(app.state.cursor_key, preview.id), ci_key, trust),
        )


async def insert_ci_key(owner: Tx, cast: Cast, trust: Trust, key: str) -> None:
    row = {
        "id": new_id("key"),
        "workspace_id": cast.acme.workspace_id,
        "name": "CI",
        "key_hash": hash_key(key),
        "last_four": key[-4:],
        "scope": "content:write",
        "bot_ids": None,
        "trust_id": trust.id,
        "subject_hash": hash_key("an ID token"),
    }
    await insert_key(owner, row, timedelta(minutes=15))


async def own_password(scene: Scene, *, keeps: bool) -> None:
    page = await scene.third.get(ACCOUNT)
    # The page has all of them selected.
    assert page.text.count(" checked") == 2
    removed = {} if keeps else {"passkeys": f"credential of {scene.user.id}", "recovery_codes": "all"}
    fields = {"current": PASSWORD, "password": OTHER_PASSWORD, **removed}
    answer = await scene.third.send(ACCOUNT, f"{ACCOUNT}/password", **fields)
    assert answer.status_code == 303, answer.text


async def end(scene: Scene, ending: str) -> None:
    owner, email, acme = scene.owner, scene.user.email, scene.cast.acme
    workspace_id = acme.workspace_id
    acts: dict[str, Callable[[], Awaitable[object]]] = {
        "own password": lambda: own_password(scene, keeps=False),
        "own password that keeps the rest": lambda: own_password(scene, keeps=True),
        "password by the operator": lambda: actions.change_password(
            owner, workspace_id, email, OTHER_PASSWORD
        ),
        "disabled": lambda: actions.disable_user(owner, workspace_id, email),
        "disabled and enabled": lambda: disable_and_enable(scene),
        "editor": lambda: actions.change_role(owner, workspace_id, email, Role.EDITOR),
        "viewer": lambda: actions.change_role(owner, workspace_id, email, Role.VIEWER),
        "second factors removed": lambda: actions.unlock_user(owner, workspace_id, email),
        "signed out elsewhere": lambda: scene.here.send(ACCOUNT, f"{ACCOUNT}/sessions", id="others"),
        "app disconnected": lambda: disconnect(scene, "/app/connected-apps"),
        "app disconnected by an owner": lambda: disconnect(scene, f"/app/{acme.slug}/settings/apps"),
        "key revoked": lambda: revoke_key(owner, workspace_id, acme.write_key_id),
        "trust revoked": lambda: revoke_trust(owner, workspace_id, scene.trust.id),
        "deleted": lambda: owner.execute("delete from people where id = %(id)s", id=scene.user.id),
    }
    await acts[ending]()


async def disable_and_enable(scene: Scene) -> None:
    for act in (actions.disable_user, actions.enable_user):
        await act(scene.owner, scene.cast.acme.workspace_id, scene.user.email)


async def disconnect(scene: Scene, page: str) -> None:
    async with scene.database.enter_workspace(scene.cast.acme.workspace_id) as tx:
        [grant] = await list_grants(tx, scene.person.id)
    assert (await scene.here.send(page, page, id=grant.id)).status_code == 303


EVERYTHING = set().union(*ENDS.values()) | {"preview"}


@pytest.mark.parametrize("ending", ENDS)
async def test_each_ending_ends_what_it_must_and_nothing_else(scene: Scene, ending: str) -> None:
    await end(scene, ending)

    assert EVERYTHING - await scene.works() == ENDS[ending]


async def test_credentials_work_before_any_ending(scene: Scene) -> None:
    assert await scene.works() == EVERYTHING

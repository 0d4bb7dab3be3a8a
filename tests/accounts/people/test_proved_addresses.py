"""An address belongs to no account until proved; an invitation link, which its owner sees, is no proof."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from html import unescape

import pytest
from fastapi import FastAPI

from instep.accounts.people import actions, invitations, passwords, queries
from instep.accounts.people.schemas import NewInvitation, User
from instep.app import put_into
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.embedded import EmbeddedPostgres
from instep.platform.identity.scopes import Role
from instep.runtime import Runtime
from tests.accounts.people.test_invitations import invite, set_password
from tests.accounts.people.test_oidc import Issuer, come_back, configure, go, serving
from tests.support.cast import Api, Cast
from tests.support.databases import create_database
from tests.support.http import stranger
from tests.support.limits import SetLimit
from tests.support.mcp import WORKSPACE, post
from tests.support.oauth import connect, refresh
from tests.support.second_factors import add_second_factors
from tests.support.sign_in import OTHER_PASSWORD, PASSWORD, Browser, browser, fresh_email, is_signed_in


@pytest.fixture
async def issuer(app: FastAPI, api: Api, database: Database) -> AsyncIterator[Issuer]:
    issuer = Issuer(email=fresh_email("victim"))
    async with serving(issuer):
        configure(app, database, issuer)
        yield issuer
        await app.state.outbound.aclose()
    put_into(app, Runtime(settings(), database, b"a key for the cursors of the tests"))


@asynccontextmanager
async def attacker(
    app: FastAPI, database: Database, workspace_id: str, email: str, role: Role = Role.OWNER
) -> AsyncIterator[Browser]:
    """The browser of an owner who has opened the invitation for someone else's address."""
    async with browser(app) as mallory:
        assert await set_password(mallory, await invite(database, workspace_id, email, role)) == 303
        assert (await mallory.sign_in(email)).status_code == 303
        assert await is_signed_in(mallory)
        yield mallory


async def member_of(owner: Tx, email: str) -> dict[str, str]:
    """The roles of all accounts with this address, by workspace."""
    roles: dict[str, str] = await owner.value(
        """
        select coalesce(jsonb_object_agg(m.workspace_id, m.role), '{}')
        from memberships m join people p on p.id = m.person_id where p.email = %(email)s
        """,
        email=email,
    )
    return roles


async def workspaces_in(visitor: Browser, cast: Cast) -> set[str]:
    """The workspaces that the person in this browser can enter."""
    slugs = {"acme": cast.acme.slug, "globex": cast.globex.slug}
    return {
        name
        for name, slug in slugs.items()
        if (await visitor.get(f"/app/{slug}/articles")).status_code == 200
    }


async def join_by_proof(victim: Browser, invitation: NewInvitation, issuer: Issuer) -> None:
    """Continue with the provider on the invitation page, and join."""
    page = await victim.get(invitation.path)
    assert "/sign-in/oidc?next=" in page.text
    await go(victim, issuer, invitation.path)
    answer = await come_back(victim, issuer)
    if answer.status_code == 303:
        assert answer.headers["Location"] == invitation.path
    assert (await victim.send(invitation.path, "/join", token=invitation.token)).status_code == 303


async def test_a_proof_ends_what_an_inviting_owner_has_set_up(
    app: FastAPI, issuer: Issuer, cast: Cast, owner: Tx, database: Database
) -> None:
    email, acme = issuer.email, cast.acme
    async with (
        attacker(app, database, acme.workspace_id, email) as mallory,
        browser(app) as victim,
        stranger(app) as agent,
    ):
        client_id, tokens = await connect(mallory.client, agent)
        [account] = [
            user for user in await actions.list_users(owner, acme.workspace_id) if user.email == email
        ]
        await add_second_factors(owner, account)
        invitation = await invite(database, cast.globex.workspace_id, email, Role.EDITOR)
        await join_by_proof(victim, invitation, issuer)

        assert await workspaces_in(victim, cast) == {"globex"}
        assert not await is_signed_in(mallory)
        assert (await mallory.sign_in(email)).status_code == 401
        assert (await refresh(agent, client_id, tokens["refresh_token"])).status_code == 400
        async with stranger(app, tokens["access_token"]) as with_token:
            assert (await post(with_token, WORKSPACE, "tools/list")).status_code == 401
    for table in ("passkeys", "totp_secrets", "recovery_codes"):
        left = await owner.value(f"select count(*) from {table} where person_id = %(id)s", id=account.id)
        assert left == 0, table
    assert await member_of(owner, email) == {cast.globex.workspace_id: "editor"}


async def test_an_account_at_the_provider_proves_no_address_that_it_has_left(
    app: FastAPI, issuer: Issuer, cast: Cast, owner: Tx, database: Database
) -> None:
    email = issuer.email
    async with browser(app) as ann:
        await join_by_proof(ann, await invite(database, cast.acme.workspace_id, email, Role.EDITOR), issuer)
    async with browser(app) as ann:
        await go(ann, issuer)
        await come_back(ann, issuer)
    async with attacker(app, database, cast.globex.workspace_id, email) as newer, browser(app) as ann:
        issuer.claims = {"sub": f"account of {email}", "email": fresh_email("ann")}
        await go(ann, issuer)
        await come_back(ann, issuer)

        assert await workspaces_in(ann, cast) == {"acme"}
        assert await is_signed_in(newer)
    assert await member_of(owner, email) == {
        cast.acme.workspace_id: "editor",
        cast.globex.workspace_id: "owner",
    }


async def test_a_membership_without_a_proof_becomes_an_invitation_that_its_person_may_take(
    app: FastAPI, issuer: Issuer, cast: Cast, owner: Tx, database: Database
) -> None:
    async with (
        attacker(app, database, cast.acme.workspace_id, issuer.email, Role.VIEWER) as mallory,
        browser(app) as victim,
        browser(app) as other,
    ):
        await go(victim, issuer)
        page = await come_back(victim, issuer)
        assert (page.status_code, await is_signed_in(victim)) == (200, False)
        [path] = [unescape(path) for path in re.findall(r'href="(/join\?token=[^"]+)"', page.text)]
        # Other browsers can't join with this browser's proof.
        token = path.partition("=")[2]
        assert "Your address is confirmed" not in (await other.get(path)).text
        assert (await victim.send(path, "/join", token=token)).status_code == 303

        assert await workspaces_in(victim, cast) == {"acme"}
        assert not await is_signed_in(mallory)
        assert (await victim.get(path)).status_code == 404
    assert await member_of(owner, issuer.email) == {cast.acme.workspace_id: "viewer"}


async def test_the_attacker_never_enters_another_workspace(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, database: Database
) -> None:
    email = fresh_email("victim")
    async with attacker(app, database, cast.acme.workspace_id, email) as mallory, browser(app) as victim:
        invitation = await invite(database, cast.globex.workspace_id, email, Role.EDITOR)
        # The attacker has no right to the other invitation's link, and the account can't join even with it.
        refusal = await mallory.send("/app/account", "/join/workspace", token=invitation.token)
        assert refusal.status_code == 400
        assert await set_password(victim, invitation, OTHER_PASSWORD) == 303
        assert (await victim.sign_in(email, OTHER_PASSWORD)).status_code == 303

        assert await workspaces_in(victim, cast) == {"globex"}
        assert await workspaces_in(mallory, cast) == {"acme"}
        async with browser(app) as again:
            await again.sign_in(email)
            assert await workspaces_in(again, cast) == {"acme"}
    assert await member_of(owner, email) == {
        cast.acme.workspace_id: "owner",
        cast.globex.workspace_id: "editor",
    }


async def test_an_owner_does_not_learn_whether_an_address_has_an_account(
    app: FastAPI,
    api: Api,
    cast: Cast,
    owner: Tx,
    database: Database,
    user: User,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    computed: list[str] = []
    compute = passwords.compute_like

    def count(stored: str, typed: str) -> str:
        computed.append(stored)
        return compute(stored, typed)

    monkeypatch.setattr(passwords, "compute_like", count)
    seen = []
    for email in (user.email, fresh_email()):
        async with browser(app) as mallory:
            invitation = await invite(database, cast.globex.workspace_id, email, Role.EDITOR)
            page = (await mallory.get(invitation.path)).text.replace(invitation.token, "")
            form = re.sub(r'form-token" value="\w+"', "", page.replace(email.partition("@")[0], ""))
            joined = await set_password(mallory, invitation, OTHER_PASSWORD)
            computed.clear()
            wrong = await mallory.sign_in(email, "no such password was set")
            right = await mallory.sign_in(email, OTHER_PASSWORD)
            seen.append((form, joined, wrong.status_code, right.status_code, len(computed)))
            assert await workspaces_in(mallory, cast) == {"globex"}
    assert seen[0] == seen[1]

    async with browser(app) as ann:
        await ann.sign_in(user.email)
        assert await workspaces_in(ann, cast) == {"acme"}


async def test_a_browser_that_knows_one_account_is_a_stranger_to_the_others_of_the_address(
    app: FastAPI, api: Api, cast: Cast, database: Database, user: User, set_limit: SetLimit
) -> None:
    set_limit("MAX_SIGN_INS_PER_ACCOUNT_AND_ADDRESS", 3, limits)
    async with browser(app) as mallory:
        invitation = await invite(database, cast.globex.workspace_id, user.email, Role.EDITOR)
        assert await set_password(mallory, invitation, OTHER_PASSWORD) == 303
        for _ in range(3):
            # Each sign-in makes one more browser known.
            assert (await mallory.sign_in(user.email, OTHER_PASSWORD)).status_code == 303
            mallory.client.cookies.delete("instep-session")
        guessed = await mallory.sign_in(user.email, PASSWORD)
        own = await mallory.sign_in(user.email, OTHER_PASSWORD)

        assert (guessed.status_code, own.status_code) == (401, 303)
        assert await workspaces_in(mallory, cast) == {"globex"}


async def test_the_operator_proves_an_address_with_a_password(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, database: Database
) -> None:
    email = fresh_email()
    async with attacker(app, database, cast.acme.workspace_id, email) as mallory, browser(app) as victim:
        await actions.change_password(owner, cast.acme.workspace_id, email, OTHER_PASSWORD)
        invitation = await invite(database, cast.globex.workspace_id, email, Role.VIEWER)
        await victim.sign_in(email, OTHER_PASSWORD)
        answer = await victim.send(invitation.path, "/join/workspace", token=invitation.token)

        assert answer.status_code == 303
        assert not await is_signed_in(mallory)
    assert (await member_of(owner, email)).keys() == {cast.acme.workspace_id, cast.globex.workspace_id}


@pytest.mark.parametrize("command", ["user create", "user password"])
async def test_an_account_that_the_operator_vouches_for_ends_those_that_others_made_of_its_address(
    app: FastAPI, cast: Cast, owner: Tx, database: Database, command: str
) -> None:
    email, acme, globex = fresh_email("victim"), cast.acme.workspace_id, cast.globex.workspace_id
    async with attacker(app, database, globex, email) as mallory:
        if command == "user create":
            await actions.create_user(owner, acme, email, Role.EDITOR, OTHER_PASSWORD)
        else:
            invitation = await invite(database, acme, email, Role.EDITOR)
            await invitations.accept_with_password(database, invitation.token, PASSWORD)
            await actions.change_password(owner, acme, email, OTHER_PASSWORD)

        assert not await is_signed_in(mallory)
        assert (await mallory.sign_in(email)).status_code != 303
    assert await member_of(owner, email) == {acme: "editor"}
    # The membership in the other workspace is not lost: the person can join again.
    [waiting] = await invitations.list_invitations(owner, globex)
    assert (waiting.email, waiting.role) == (email, "owner")


async def test_one_workspace_keeps_its_members_when_they_prove_their_address(
    cluster: EmbeddedPostgres,
) -> None:
    database = Database(create_database(cluster, "proved_addresses"), size=2)
    await database.open()
    try:
        async with database.enter_workspace("") as tx:
            workspace_id = await queries.create_person_of_provider(tx, "per_1", "bob@acme.example", "owner")
        assert workspace_id is not None
        invitation = await invite(database, workspace_id, "ann@acme.example", Role.EDITOR)
        await invitations.accept_with_password(database, invitation.token, PASSWORD)
        async with database.enter_workspace("") as tx:
            [before] = await queries.find_for_sign_in(tx, "ann@acme.example")
            waiting = await queries.prove_address(tx, "ann@acme.example", "secret")
            [after] = await queries.find_for_sign_in(tx, "ann@acme.example")
    finally:
        await database.close()

    assert (before.is_proved, after.is_proved, waiting) == (False, True, [])
    assert (after.id, after.role, after.password_hash) == (before.id, "editor", None)

"""Invitations: a link makes exactly the invited person a member, once, in the assigned role."""

import asyncio
import re
from datetime import timedelta
from html import unescape

import pytest
from fastapi import FastAPI

from instep.accounts.people import actions, invitations
from instep.accounts.people.schemas import NewInvitation, User
from instep.operations.ops import prune
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest, NotFound
from instep.platform.core.jobs import Job
from instep.platform.identity.scopes import Role
from tests.support.cast import Api, Cast
from tests.support.databases import until_blocked
from tests.support.http import at_once
from tests.support.limits import SetLimit
from tests.support.second_factors import person_of
from tests.support.sign_in import PASSWORD, Browser, browser, fresh_email, is_signed_in, sign_up


async def invite(database: Database, workspace_id: str, email: str, role: Role) -> NewInvitation:
    """Create an invitation with the application's database rights."""
    async with database.enter_workspace(workspace_id) as tx, tx.transaction():
        return await invitations.invite(tx, workspace_id, email, role)


async def roles_of(owner: Tx, cast: Cast, email: str) -> dict[str, str]:
    """A person's role in each workspace."""
    workspaces = {"acme": cast.acme.workspace_id, "globex": cast.globex.workspace_id}
    return {
        name: user.role
        for name, workspace_id in workspaces.items()
        for user in await actions.list_users(owner, workspace_id)
        if user.email == email
    }


async def set_password(ann: Browser, invitation: NewInvitation, password: str = PASSWORD) -> int:
    answer = await ann.send(invitation.path, "/join", token=invitation.token, password=password)
    return answer.status_code


async def test_somebody_new_sets_a_password_and_is_a_member(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, database: Database
) -> None:
    email = fresh_email()
    invitation = await invite(database, cast.acme.workspace_id, email.upper(), Role.VIEWER)
    async with browser(app) as ann, browser(app) as thief:
        assert await set_password(ann, invitation, "password12345") == 400
        assert await set_password(ann, invitation) == 303
        assert (await thief.get(invitation.path)).status_code == 404
        assert (await ann.sign_in(email)).status_code == 303
        assert await is_signed_in(ann)

    assert await roles_of(owner, cast, email) == {"acme": "viewer"}
    entries = await actions.list_audit(owner, cast.acme.workspace_id, 3)
    assert [entry.action for entry in entries][1:] == ["accept_invitation", "invite_user"]
    async with database.enter_workspace(cast.acme.workspace_id) as tx:
        assert await invitations.list_invitations(tx, cast.acme.workspace_id) == []


async def test_invited_account_joins_and_no_other_account_can_use_the_link(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, database: Database, user: User
) -> None:
    invitation = await invite(database, cast.globex.workspace_id, user.email, Role.EDITOR)
    async with browser(app) as ann, browser(app) as bobs:
        bob = await sign_up(owner, cast.acme.workspace_id, email=fresh_email("bob"))
        await bobs.sign_in(bob.email)
        assert (await bobs.send("/app/account", "/join/workspace", token=invitation.token)).status_code == 400
        await ann.sign_in(user.email)
        form = await ann.get(invitation.path)
        assert 'type="password"' not in form.text
        answer = await ann.send(invitation.path, "/join/workspace", token=invitation.token)
        account = await ann.get("/app/account")

    assert answer.status_code == 303
    assert "Your role: editor." in account.text
    assert await roles_of(owner, cast, user.email) == {"acme": "owner", "globex": "editor"}
    assert await roles_of(owner, cast, bob.email) == {"acme": "owner"}


async def test_the_sign_in_form_knows_who_was_invited(
    app: FastAPI, api: Api, cast: Cast, database: Database
) -> None:
    email = fresh_email()
    invitation = await invite(database, cast.acme.workspace_id, email, Role.VIEWER)
    async with browser(app) as ann:
        page = await ann.get(invitation.path)
        [sign_in] = re.findall(r'href="(/sign-in\?email=[^"]+)"', page.text)
        to_join = await ann.get(unescape(sign_in))
        joined = await ann.send(invitation.path, "/join", token=invitation.token, password=PASSWORD)
        after = await ann.get(joined.headers["Location"])

    for form, sentence in ((to_join, "to the invitation"), (after, "the password you set")):
        assert f'value="{email}"' in form.text
        assert sentence in form.text


@pytest.mark.parametrize("end", ["revoked", "expired", "unknown"])
async def test_a_link_that_has_ended_leads_nowhere(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, database: Database, end: str
) -> None:
    workspace_id = cast.acme.workspace_id
    invitation = await invite(database, workspace_id, fresh_email(), Role.OWNER)
    async with browser(app) as ann:
        form = await ann.get(invitation.path)
        assert form.status_code == 200
        if end == "revoked":
            async with database.enter_workspace(workspace_id) as tx:
                await invitations.revoke_invitation(tx, workspace_id, invitation.invitation.id)
                with pytest.raises(NotFound):
                    await invitations.revoke_invitation(tx, workspace_id, invitation.invitation.id)
        elif end == "expired":
            await owner.execute(
                "update invitations set expires_at = now() - %(age)s where id = %(id)s",
                age=timedelta(seconds=1),
                id=invitation.invitation.id,
            )
        path = "/join?token=nothing" if end == "unknown" else invitation.path
        assert (await ann.get(path)).status_code == 404
        if end != "unknown":
            token = form.text.split('form-token" value="')[1].split('"')[0]
            fields = {"form-token": token, "token": invitation.token, "password": PASSWORD}
            assert (await ann.client.post("/join", data=fields)).status_code == 404
    await prune.prune(database, Job(1, prune.PRUNE, {}, 1))
    remaining = await owner.value(
        "select count(*) from invitations where id = %(id)s", id=invitation.invitation.id
    )
    assert remaining == (end == "unknown")


async def test_another_workspace_neither_sees_nor_revokes_an_invitation(
    api: Api, cast: Cast, database: Database
) -> None:
    invitation = await invite(database, cast.acme.workspace_id, fresh_email(), Role.EDITOR)
    async with database.enter_workspace(cast.globex.workspace_id) as tx:
        assert await invitations.list_invitations(tx, cast.acme.workspace_id) == []
        with pytest.raises(NotFound):
            await invitations.revoke_invitation(tx, cast.acme.workspace_id, invitation.invitation.id)
    assert (await invitations.open_invitation(database, invitation.token)).role == "editor"


async def test_members_and_too_many_are_not_invited(
    api: Api, cast: Cast, database: Database, user: User, set_limit: SetLimit
) -> None:
    with pytest.raises(InvalidRequest, match="already in this workspace"):
        await invite(database, cast.acme.workspace_id, user.email, Role.EDITOR)
    with pytest.raises(InvalidRequest, match="valid email"):
        await invite(database, cast.acme.workspace_id, "nobody", Role.EDITOR)
    await invite(database, cast.globex.workspace_id, fresh_email(), Role.EDITOR)
    set_limit("MAX_INVITATIONS", 1, limits)
    with pytest.raises(InvalidRequest, match="At most 1"):
        await invite(database, cast.globex.workspace_id, fresh_email(), Role.EDITOR)


async def test_invitations_at_once_stay_within_their_number(
    database: Database, cast: Cast, set_limit: SetLimit
) -> None:
    set_limit("MAX_INVITATIONS", 2, limits)
    emails = [fresh_email() for _ in range(6)]

    async def send(number: int) -> bool:
        try:
            await invite(database, cast.globex.workspace_id, emails[number], Role.EDITOR)
        except InvalidRequest:
            return False
        return True

    assert sorted(await at_once(6, send)) == [False] * 4 + [True] * 2


async def accept(database: Database, invitation: NewInvitation, user: User) -> None:
    await invitations.accept_as(database, invitation.token, person_of(user))


async def leads_nowhere(database: Database, invitation: NewInvitation) -> bool:
    try:
        await invitations.open_invitation(database, invitation.token)
    except invitations.UnknownInvitation:
        return True
    return False


async def keep_link(
    owner: Tx, database: Database, workspace_id: str, role: Role, email: str
) -> NewInvitation:
    """Create a second link for the address, as earlier versions left behind."""
    kept = await invite(database, workspace_id, fresh_email(), role)
    await owner.execute(
        "update invitations set email = %(email)s where id = %(id)s", email=email, id=kept.invitation.id
    )
    return kept


async def test_a_new_invitation_replaces_the_earlier_ones_of_the_address(
    api: Api, cast: Cast, database: Database, set_limit: SetLimit
) -> None:
    email = fresh_email()
    old = await invite(database, cast.acme.workspace_id, email, Role.OWNER)
    others = [
        await invite(database, cast.globex.workspace_id, email, Role.OWNER),
        await invite(database, cast.acme.workspace_id, fresh_email(), Role.OWNER),
    ]
    async with database.enter_workspace(cast.acme.workspace_id) as tx:
        count = len(await invitations.list_invitations(tx, cast.acme.workspace_id))
    # At the limit, the same people can still be invited again.
    set_limit("MAX_INVITATIONS", count, limits)

    new = await invite(database, cast.acme.workspace_id, email, Role.VIEWER)

    assert await leads_nowhere(database, old)
    assert not await leads_nowhere(database, new)
    assert [await leads_nowhere(database, other) for other in others] == [False, False]


async def test_joining_ends_all_invitations_of_the_email(
    api: Api, cast: Cast, owner: Tx, database: Database, user: User
) -> None:
    workspace_id = cast.globex.workspace_id
    viewer = await invite(database, workspace_id, user.email, Role.VIEWER)
    kept = await keep_link(owner, database, workspace_id, Role.OWNER, user.email)

    await accept(database, viewer, user)

    assert await leads_nowhere(database, kept)
    assert (await roles_of(owner, cast, user.email))["globex"] == "viewer"


async def test_a_link_that_was_left_over_changes_no_role_of_a_member(
    api: Api, cast: Cast, owner: Tx, database: Database, user: User
) -> None:
    workspace_id = cast.acme.workspace_id
    kept = await keep_link(owner, database, workspace_id, Role.VIEWER, user.email)

    await accept(database, kept, user)

    # The new role would also have left the workspace without an owner.
    assert await roles_of(owner, cast, user.email) == {"acme": "owner"}


@pytest.mark.parametrize("change", ["role", "disabled"])
async def test_old_invitation_cant_undo_a_change_of_role_or_access(
    api: Api, cast: Cast, owner: Tx, database: Database, user: User, change: str
) -> None:
    workspace_id = cast.acme.workspace_id
    kept = await keep_link(owner, database, workspace_id, Role.OWNER, user.email)
    async with database.enter_workspace(workspace_id) as tx, tx.transaction():
        if change == "role":
            await actions.change_role(tx, workspace_id, user.email, Role.VIEWER)
        else:
            await actions.disable_user(tx, workspace_id, user.email)

    assert await leads_nowhere(database, kept)
    with pytest.raises(invitations.UnknownInvitation):
        await accept(database, kept, user)


async def test_disabled_member_returns_with_the_role_of_a_new_invitation(
    api: Api, cast: Cast, owner: Tx, database: Database, user: User
) -> None:
    workspace_id = cast.acme.workspace_id
    await actions.disable_user(owner, workspace_id, user.email)
    invitation = await invite(database, workspace_id, user.email, Role.VIEWER)

    await accept(database, invitation, user)

    members = {other.email: other for other in await actions.list_users(owner, workspace_id)}
    assert (members[user.email].role, members[user.email].disabled_at) == ("viewer", None)


async def test_parallel_uses_of_several_invitations_accept_one(
    api: Api, cast: Cast, owner: Tx, database: Database, user: User
) -> None:
    workspace_id = cast.globex.workspace_id
    links = [
        await invite(database, workspace_id, user.email, Role.VIEWER),
        *[await keep_link(owner, database, workspace_id, Role.OWNER, user.email) for _ in range(3)],
    ]

    outcomes = await asyncio.gather(*(accept(database, link, user) for link in links), return_exceptions=True)

    refusals = [outcome for outcome in outcomes if outcome is not None]
    assert [type(refusal) for refusal in refusals] == [invitations.UnknownInvitation] * 3


async def test_the_last_of_two_invitations_at_once_replaces_the_other(
    database: Database, cast: Cast, owner: Tx
) -> None:
    email = fresh_email()
    roles = (Role.OWNER, Role.VIEWER)

    async with owner.transaction():
        # Invitations can be read but not inserted: both tasks read before either one inserts.
        await owner.execute("lock table invitations in share mode")
        sending = [
            asyncio.create_task(invite(database, cast.acme.workspace_id, email, role)) for role in roles
        ]
        await until_blocked(owner, len(sending))
    await asyncio.gather(*sending)

    async with database.enter_workspace(cast.acme.workspace_id) as tx:
        waiting = await invitations.list_invitations(tx, cast.acme.workspace_id)
    assert [invitation.email for invitation in waiting].count(email) == 1

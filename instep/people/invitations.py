"""Invitations: a link that makes somebody a member of a workspace, shown once, valid for days, revocable."""

from instep.core import limits
from instep.core.database import Database, Tx
from instep.core.errors import InvalidRequest, NotFound
from instep.core.ids import new_id
from instep.identity.audit import record
from instep.identity.keys import hash_key
from instep.identity.schemas import OPERATOR, Actor, Person
from instep.identity.scopes import Role
from instep.identity.sessions import new_token
from instep.people import queries
from instep.people.actions import guessable_words, valid_email
from instep.people.passwords import hash_new_password
from instep.people.schemas import Invitation, NewInvitation, OpenInvitation


class UnknownInvitation(NotFound):
    """This invitation was used, revoked, or is older than seven days: ask for a new one."""


async def invite(tx: Tx, workspace_id: str, email: str, role: Role, actor: Actor = OPERATOR) -> NewInvitation:
    """Invite somebody in place of earlier invitations; only the hash of the link's token is stored."""
    address = valid_email(email)
    user = await queries.lock_user(tx, workspace_id, address)
    if user is not None and user.disabled_at is None:
        raise InvalidRequest(f"{address} is in this workspace already.")
    await queries.lock_invitations(tx, workspace_id)
    await queries.delete_invitations_to(tx, workspace_id, address)
    if await queries.count_invitations(tx, workspace_id) >= limits.MAX_INVITATIONS:
        raise InvalidRequest(f"At most {limits.MAX_INVITATIONS} invitations may wait: revoke some first.")
    token = new_token()
    row = {
        "id": new_id("inv"),
        "workspace_id": workspace_id,
        "email": address,
        "role": role.value,
        "token_hash": hash_key(token),
        "invited_by": actor.name,
        "ttl": limits.INVITATION_TTL,
    }
    invitation = await queries.insert_invitation(tx, row)
    await record(tx, workspace_id, actor, "invite_user", invitation.id)
    return NewInvitation(invitation, token)


async def list_invitations(tx: Tx, workspace_id: str) -> list[Invitation]:
    """The invitations that can still be accepted, the newest first."""
    return await queries.list_invitations(tx, workspace_id)


async def revoke_invitation(tx: Tx, workspace_id: str, invitation_id: str, actor: Actor = OPERATOR) -> None:
    """Revoke an invitation: from the commit on its link leads nowhere."""
    if not await queries.delete_invitation(tx, workspace_id, invitation_id):
        raise NotFound("There is no such invitation: it may have been accepted or revoked already.")
    await record(tx, workspace_id, actor, "revoke_invitation", invitation_id)


async def open_invitation(database: Database, token: str) -> OpenInvitation:
    """The invitation of the link with this token; raises `UnknownInvitation`."""
    async with database.enter_workspace("") as tx:
        invitation = await queries.find_invitation(tx, hash_key(token))
    if invitation is None:
        raise UnknownInvitation
    return invitation


async def accept_with_password(database: Database, token: str, password: str) -> None:
    """Make a new person of the invited one, with this password."""
    invitation = await open_invitation(database, token)
    async with database.enter_workspace(invitation.workspace_id) as tx:
        words = await guessable_words(tx, invitation.workspace_id, invitation.email)
    password_hash = await hash_new_password(password, *words)
    await _accept(database, token, invitation, new_id("per"), password_hash)


async def accept_as(database: Database, token: str, person: Person) -> str:
    """Let a person who is signed in join with the invitation to their address; the workspace's id."""
    invitation = await open_invitation(database, token)
    if invitation.email != person.email:
        raise InvalidRequest(
            f"This invitation is for {invitation.email}: sign out, then open the link again."
        )
    await _accept(database, token, invitation, person.id, None)
    return invitation.workspace_id


async def _accept(
    database: Database, token: str, invitation: OpenInvitation, person_id: str, password_hash: str | None
) -> None:
    async with database.enter_workspace(invitation.workspace_id) as tx, tx.transaction():
        if not await queries.accept_invitation(tx, hash_key(token), person_id, password_hash):
            raise UnknownInvitation
        member = Person(person_id, invitation.workspace_id, invitation.email, Role(invitation.role))
        await record(tx, invitation.workspace_id, member.as_actor("page"), "accept_invitation", invitation.id)

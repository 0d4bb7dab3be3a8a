"""Invitations: a link that makes someone a member of a workspace, shown once, valid for days, revocable."""

from instep.accounts.people import queries
from instep.accounts.people.actions import find_salt, guessable_words, valid_email
from instep.accounts.people.challenges import find_challenge, take_challenge
from instep.accounts.people.known_browsers import new_cookie
from instep.accounts.people.letters_to_people import invitation_letter
from instep.accounts.people.passwords import hash_new_password
from instep.accounts.people.schemas import Attempt, Invitation, NewInvitation, OpenInvitation, SignedIn
from instep.accounts.people.second_step import begin_in
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest, NotFound
from instep.platform.core.ids import new_id
from instep.platform.core.rate_window import count_hit
from instep.platform.email.outgoing import can_send_email, email_locale, send_email
from instep.platform.identity.access import hold_open
from instep.platform.identity.audit import record
from instep.platform.identity.keys import hash_key
from instep.platform.identity.schemas import OPERATOR, Actor, Person
from instep.platform.identity.scopes import Role
from instep.platform.identity.sessions import new_token


class UnknownInvitation(NotFound):
    """This invitation was used, revoked, or is older than seven days: ask for a new one."""


async def invite(tx: Tx, workspace_id: str, email: str, role: Role, actor: Actor = OPERATOR) -> NewInvitation:
    """Invite someone, replacing earlier invitations; only the hash of the link's token is stored."""
    address = valid_email(email)
    user = await queries.lock_user(tx, workspace_id, address)
    if user is not None and user.disabled_at is None:
        raise InvalidRequest(f"{address} is already in this workspace.")
    await queries.lock_invitations(tx, workspace_id)
    await queries.delete_invitations_to(tx, workspace_id, address)
    if await queries.count_invitations(tx, workspace_id) >= limits.MAX_INVITATIONS:
        raise InvalidRequest(
            f"At most {limits.MAX_INVITATIONS} invitations can be open at a time: revoke some first."
        )
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
    new = NewInvitation(invitation, token, await _may_email(tx, invitation))
    if new.is_emailed:
        await _send(tx, new, actor)
    return new


async def _may_email(tx: Tx, invitation: Invitation) -> bool:
    """True if email is set up and neither the workspace nor anybody has sent the address too much of it."""
    if not can_send_email():
        return False
    to_address = await count_hit(tx, "invitations-to", hash_key(invitation.email).hex(), limits.DAY_SECONDS)
    of_workspace = await count_hit(tx, "invitations-of", invitation.workspace_id, limits.DAY_SECONDS)
    return (
        to_address.hits <= limits.MAX_INVITATION_EMAILS_TO_ADDRESS
        and of_workspace.hits <= limits.MAX_INVITATION_EMAILS
    )


async def _send(tx: Tx, new: NewInvitation, actor: Actor) -> None:
    invitation = new.invitation
    locale = await email_locale(tx, invitation.workspace_id, invitation.email)
    name = await queries.name_of_workspace(tx, invitation.workspace_id)
    inviter = None if actor is OPERATOR else actor.name
    letter = invitation_letter(locale, name, inviter, settings().base_url + new.path)
    await send_email(
        tx, invitation.workspace_id, invitation.email, letter, locale, until=invitation.expires_at
    )


async def list_invitations(tx: Tx, workspace_id: str) -> list[Invitation]:
    """The invitations that can still be accepted, newest first."""
    return await queries.list_invitations(tx, workspace_id)


async def revoke_invitation(tx: Tx, workspace_id: str, invitation_id: str, actor: Actor = OPERATOR) -> None:
    """Revoke an invitation: from the commit on its link is invalid."""
    if not await queries.delete_invitation(tx, workspace_id, invitation_id):
        raise NotFound("This invitation does not exist: it may already have been accepted or revoked.")
    await record(tx, workspace_id, actor, "revoke_invitation", invitation_id)


async def open_invitation(database: Database, token: str) -> OpenInvitation:
    """The invitation of the link with this token; raises `UnknownInvitation`."""
    async with database.enter_workspace("") as tx:
        invitation = await queries.find_invitation(tx, hash_key(token))
    if invitation is None:
        raise UnknownInvitation
    return invitation


async def accept_with_password(database: Database, token: str, password: str) -> None:
    """Create an account with this password that is valid only in the invitation's workspace.

    The inviting owner has seen the link too, so it proves no address: another account with the address keeps
    its password and its workspaces, and the answer is the same whether or not it exists.
    """
    invitation = await open_invitation(database, token)
    async with database.enter_workspace(invitation.workspace_id) as tx:
        words = await guessable_words(tx, invitation.workspace_id, invitation.email)
        salt = await find_salt(tx, invitation.email)
    password_hash = await hash_new_password(password, *words, salt=salt)
    async with database.enter_workspace(invitation.workspace_id) as tx, tx.transaction():
        await _accept(tx, token, invitation, new_id("per"), password_hash)


async def accept_as(database: Database, token: str, person: Person) -> str:
    """Let a signed-in person join with the invitation to their address; return the workspace's id."""
    invitation = await open_invitation(database, token)
    if not await may_accept(database, invitation, person):
        raise InvalidRequest(
            f"This invitation is for {invitation.email}: sign out, then open the link again."
        )
    async with database.enter_workspace(invitation.workspace_id) as tx, tx.transaction():
        await _accept(tx, token, invitation, person.id, None)
    return invitation.workspace_id


async def may_accept(database: Database, invitation: OpenInvitation, person: Person | None) -> bool:
    """True if a signed-in person may join: the address is theirs, and proved for other workspaces."""
    if person is None or person.email != invitation.email:
        return False
    async with database.enter_workspace(person.workspace_id) as tx:
        return person.workspace_id == invitation.workspace_id or await queries.is_proved(tx, person.id)


async def has_proof(database: Database, invitation: OpenInvitation, proof: str) -> bool:
    """True if the browser with the token `proof` has just proved the invited address."""
    async with database.enter_workspace("") as tx:
        challenge = await find_challenge(tx, "proved_address", proof)
    return challenge is not None and challenge.data["email"] == invitation.email


async def accept_with_proof(
    database: Database, key: bytes, token: str, proof: str, attempt: Attempt
) -> SignedIn:
    """Let a person who has just proved the invited address join, and begin their session."""
    invitation, session_token = await open_invitation(database, token), new_token()
    async with database.enter_workspace(invitation.workspace_id) as tx, tx.transaction():
        challenge = await take_challenge(tx, "proved_address", proof)
        if challenge is None or challenge.data["email"] != invitation.email:
            raise UnknownInvitation
        person_id = await _accept(tx, token, invitation, new_id("per"), None, has_proof=True)
        candidate = await queries.find_account(tx, person_id)
        assert candidate is not None, "a member has an account"
        # The person who has forgotten a password and then proved the address has set a new one.
        new_hash = challenge.data.get("password_hash") if candidate.password_hash is None else None
        await begin_in(tx, key, candidate, new_hash, session_token, attempt)
    current_hash = new_hash or candidate.password_hash
    return SignedIn(session_token, new_cookie(key, candidate.id, current_hash, utc_now()))


async def _accept(
    tx: Tx,
    token: str,
    invitation: OpenInvitation,
    person_id: str,
    password_hash: str | None,
    *,
    has_proof: bool = False,
) -> str:
    """Make the person, or a new one with this id, a member; return the id."""
    await hold_open(tx, invitation.workspace_id)
    member_id = await queries.accept_invitation(
        tx, hash_key(token), person_id, password_hash, has_proof=has_proof
    )
    if member_id is None:
        raise UnknownInvitation
    member = Person(member_id, invitation.workspace_id, invitation.email, Role(invitation.role))
    await record(tx, invitation.workspace_id, member.as_actor("page"), "accept_invitation", invitation.id)
    return member_id

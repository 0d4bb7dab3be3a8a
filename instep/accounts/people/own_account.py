"""Operations of people on their own accounts: workspaces, sessions and password."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from instep.accounts.oauth.actions import end_connections
from instep.accounts.people import factor_queries, queries
from instep.accounts.people.actions import find_salt, guessable_words
from instep.accounts.people.attempts import count_known_browser
from instep.accounts.people.browsers import browser_name
from instep.accounts.people.known_browsers import new_cookie
from instep.accounts.people.passwords import hash_new_password, matching_hash
from instep.accounts.people.schemas import Candidate, Membership, OpenSession, SignedIn
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest, NotFound
from instep.platform.core.ids import new_id
from instep.platform.identity.audit import record
from instep.platform.identity.keys import hash_key
from instep.platform.identity.schemas import Person
from instep.platform.identity.sessions import Session, new_token
from instep.platform.web.catalogues import LANGUAGES

Digest = Literal["never", "daily", "weekly"]


class WrongPassword(InvalidRequest):
    """This is not your password: type it again."""


async def list_memberships(tx: Tx, person: Person) -> list[Membership]:
    """The workspaces that the person may enter, by name."""
    return await queries.list_memberships(tx, person.id)


async def switch_workspace(database: Database, token: str, person: Person, workspace_id: str) -> None:
    """Switch a session to another workspace of its person; `token` is the session's."""
    async with database.enter_workspace(workspace_id) as tx, tx.transaction():
        if not await queries.switch_session(tx, hash_key(token), workspace_id):
            raise NotFound("You are not a member of this workspace: an owner of it can invite you.")
        await record(tx, workspace_id, person.as_actor("page"), "switch_workspace")


async def list_sessions(tx: Tx, person: Person) -> list[OpenSession]:
    """The browsers in which the person is signed in, in all workspaces; the last used first."""
    return await queries.list_sessions(tx, person.id)


async def end_own_session(tx: Tx, person: Person, session_id: str) -> None:
    """End one of the person's own sessions."""
    if not await queries.end_sessions(tx, person.id, session_id):
        raise NotFound("This session has already ended.")
    await record(tx, person.workspace_id, person.as_actor("page"), "end_session", session_id)


async def end_other_sessions(tx: Tx, session: Session) -> None:
    """End all other sessions of the person."""
    person = session.person
    await queries.end_sessions(tx, person.id, but=session.id)
    await record(tx, person.workspace_id, person.as_actor("page"), "end_other_sessions")


async def set_digest(tx: Tx, person: Person, digest: str) -> None:
    """Choose how often the person gets the digest of the workspace by email."""
    if digest not in get_args(Digest):
        raise InvalidRequest(f"Choose one of {', '.join(get_args(Digest))}.")
    await queries.set_digest(tx, person.workspace_id, person.id, digest)


async def find_digest(tx: Tx, person: Person) -> str:
    return await queries.find_digest(tx, person)


async def find_locale(tx: Tx, person: Person) -> str | None:
    """The language that the person has chosen for emails; None means that of the first help center."""
    return await queries.find_locale(tx, person)


async def set_locale(tx: Tx, person: Person, locale: str) -> None:
    """Choose the language of emails to the person; empty means that of the first help center."""
    if locale and locale not in LANGUAGES:
        raise InvalidRequest(f"Choose one of {', '.join(LANGUAGES)}.")
    await queries.set_locale(tx, person, locale or None)


async def end_digest(database: Database, workspace_id: str, person_id: str) -> None:
    """Send a member no more digests, as the link in one of them asks."""
    async with database.enter_workspace(workspace_id) as tx:
        await queries.set_digest(tx, workspace_id, person_id, "never")


async def prove_password(database: Database, session: Session, password: str) -> Candidate:
    """Check the password of the signed-in person; attempts are counted. Raises `WrongPassword`."""
    async with database.enter_workspace("") as tx:
        await count_known_browser(tx, f"session {session.id}")
        candidate = await queries.find_account(tx, session.person.id)
    match = await matching_hash(password, [candidate.password_hash] if candidate else [])
    if candidate is None or match is None:
        raise WrongPassword
    return candidate


async def verify_by_password(database: Database, session: Session, token: str, password: str) -> None:
    """Record in the session with this token that its person has proved their identity again."""
    await prove_password(database, session, password)
    async with database.enter_workspace(session.person.workspace_id) as tx, tx.transaction():
        await queries.verify_session(tx, hash_key(token))
        await record(tx, session.person.workspace_id, session.person.as_actor("page"), "verify_session")


@dataclass(frozen=True, slots=True)
class RemovedFactors:
    """The factors that end with a password: passkeys by id, and all recovery codes."""

    passkeys: Sequence[str] = ()
    recovery_codes: bool = False


async def change_own_password(
    database: Database,
    key: bytes,
    session: Session,
    current: str,
    password: str,
    user_agent: str,
    removed: RemovedFactors = RemovedFactors(),
) -> SignedIn:
    """Set a new password, which ends all sessions and connected apps of the person, and sign in again.

    `key` signs the cookie of a known browser.
    """
    candidate = await prove_password(database, session, current)
    person, token = session.person, new_token()
    async with database.enter_workspace(person.workspace_id) as tx:
        words = await guessable_words(tx, person.workspace_id, person.email)
        memberships = await queries.list_memberships(tx, person.id)
        salt = await find_salt(tx, person.email)
    new_hash = await hash_new_password(password, *words, salt=salt)
    # Sessions and apps end first, so that none outlives a failure in between.
    for membership in memberships:
        async with database.enter_workspace(membership.workspace_id) as tx, tx.transaction():
            await end_connections(tx, membership.workspace_id, person.id, person.as_actor("page"))
    async with database.enter_workspace(person.workspace_id) as tx, tx.transaction():
        if not await queries.change_password(tx, candidate, new_hash):
            raise WrongPassword("Your password has just been changed elsewhere: sign in again.")
        await queries.end_sessions(tx, person.id)
        await end_connections(tx, person.workspace_id, person.id, person.as_actor("page"))
        for passkey_id in removed.passkeys:
            await factor_queries.delete_passkey(tx, person.id, passkey_id)
        if removed.recovery_codes:
            await factor_queries.replace_recovery_codes(tx, person.id, [])
        renewed = Candidate(person.id, person.workspace_id, person.email, person.role.value, new_hash)
        await queries.begin_session(
            tx, renewed, None, hash_key(token), new_id("ses"), browser_name(user_agent)
        )
        await record(tx, person.workspace_id, person.as_actor("page"), "change_password", person.id)
    return SignedIn(token, new_cookie(key, person.id, new_hash, utc_now()))

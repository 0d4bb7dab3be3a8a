"""Actions on people: accounts, managed by an operator, and signing in and out."""

import re

from instep.accounts.oauth.actions import end_connections
from instep.accounts.people import factor_queries, queries
from instep.accounts.people.attempts import TooManyAttempts, count_known_browser, count_stranger
from instep.accounts.people.browsers import browser_name
from instep.accounts.people.known_browsers import known_browser, new_cookie
from instep.accounts.people.passwords import hash_password, matching_hash, refuse_weak, renewed_hash, salt_of
from instep.accounts.people.schemas import Attempt, AuditEntry, Candidate, SecondStep, SignedIn, User
from instep.accounts.people.second_step import ask_for_code
from instep.accounts.people.sign_in_notices import is_new_browser, send_sign_in_notice
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.email_addresses import is_email_address
from instep.platform.core.errors import AppError, InvalidRequest, NotFound
from instep.platform.core.ids import new_id
from instep.platform.identity.audit import record
from instep.platform.identity.keys import hash_key
from instep.platform.identity.schemas import OPERATOR, Actor, Person
from instep.platform.identity.scopes import Role
from instep.platform.identity.sessions import new_token


class InvalidEmail(InvalidRequest):
    """This is not a valid email address."""


class SignInFailed(AppError):
    """Email and password don't match. Check both and try again."""

    status = 401
    code = "unauthorized"


async def create_user(tx: Tx, workspace_id: str, email: str, role: Role, password: str) -> User:
    """Create an account for a person to sign in with.

    The operator vouches for the address, so accounts that others made with it in other workspaces end.
    """
    address = valid_email(email)
    refuse_weak(password, *await guessable_words(tx, workspace_id, address))
    row = {
        "id": new_id("per"),
        "workspace_id": workspace_id,
        "email": address,
        "password_hash": hash_password(password, await find_salt(tx, address)),
        "role": role.value,
    }
    user = await queries.insert_user(tx, row)
    if user is None:
        raise InvalidRequest(f"The address {address} is already used in this installation.")
    await queries.prove_address(tx, address, new_token())
    await record(tx, workspace_id, OPERATOR, "create_user", user.id)
    return user


async def list_users(tx: Tx, workspace_id: str) -> list[User]:
    return await queries.list_users(tx, workspace_id)


async def find_member_id(tx: Tx, workspace_id: str, email: str) -> str | None:
    """The id of the person with this address, if they may work in the workspace."""
    return await queries.find_member_id(tx, workspace_id, email)


async def change_role(tx: Tx, workspace_id: str, email: str, role: Role, actor: Actor = OPERATOR) -> User:
    """Change the role; from the commit on it applies to the person and to every app that they connected."""
    if role != Role.OWNER:
        await queries.lock_owners(tx, workspace_id)
    user = await _find_user(tx, workspace_id, email)
    if role != Role.OWNER:
        await _refuse_last_owner(tx, user, actor)
    changed = await queries.set_role(tx, user, role.value)
    # An earlier link would give a disabled person another role.
    await queries.delete_invitations_to(tx, workspace_id, user.email)
    if role != Role.OWNER:
        await queries.delete_invitations_by(tx, workspace_id, user.email)
    await record(tx, workspace_id, actor, "change_role", user.id)
    return changed


async def change_password(tx: Tx, workspace_id: str, email: str, password: str) -> User:
    """Set a new password after someone else may have learned the old one.

    It ends all sessions, connected apps, passkeys, recovery codes and links of the person, and the
    invitations that they created. An authenticator app stays, because it can't sign anyone in by itself.
    """
    user = await _find_user(tx, workspace_id, email)
    refuse_weak(password, *await guessable_words(tx, workspace_id, user.email))
    await queries.set_password(tx, user.id, hash_password(password, await find_salt(tx, user.email)))
    if await queries.is_proved(tx, user.id):
        await queries.prove_address(tx, user.email, new_token())
    await queries.end_sessions(tx, user.id)
    await end_connections(tx, workspace_id, user.id, OPERATOR)
    await factor_queries.delete_passkeys(tx, user.id)
    await factor_queries.replace_recovery_codes(tx, user.id, [])
    await queries.delete_links_of(tx, user.id)
    for membership in await queries.list_memberships(tx, user.id):
        await queries.delete_invitations_by(tx, membership.workspace_id, user.email)
    await record(tx, workspace_id, OPERATOR, "change_password", user.id)
    return user


async def disable_user(tx: Tx, workspace_id: str, email: str, actor: Actor = OPERATOR) -> User:
    """Disable a membership: from the commit on the person is signed out of the workspace and kept out.

    Their apps are disconnected there, and links that they created end, because one may let them back in.
    """
    await queries.lock_owners(tx, workspace_id)
    user = await _find_user(tx, workspace_id, email)
    await _refuse_last_owner(tx, user, actor)
    disabled = await queries.set_disabled(tx, user, True)
    await queries.end_sessions_in_workspace(tx, user)
    await end_connections(tx, workspace_id, user.id, actor, only_here=True)
    # An earlier link would let the person in again.
    await queries.delete_invitations_to(tx, workspace_id, user.email)
    await queries.delete_invitations_by(tx, workspace_id, user.email)
    await record(tx, workspace_id, actor, "disable_user", user.id)
    return disabled


async def enable_user(tx: Tx, workspace_id: str, email: str, actor: Actor = OPERATOR) -> User:
    user = await _find_user(tx, workspace_id, email)
    enabled = await queries.set_disabled(tx, user, False)
    await record(tx, workspace_id, actor, "enable_user", user.id)
    return enabled


async def unlock_user(tx: Tx, workspace_id: str, email: str) -> User:
    """Remove all second factors of a person who has lost them; for the operator."""
    user = await _find_user(tx, workspace_id, email)
    await factor_queries.delete_second_factors(tx, user.id)
    await record(tx, workspace_id, OPERATOR, "remove_second_factors", user.id)
    return user


async def _refuse_last_owner(tx: Tx, user: User, actor: Actor) -> None:
    """Refuse to leave a workspace without an owner; an operator can always appoint another one."""
    if actor is OPERATOR or user.role != Role.OWNER or user.disabled_at is not None:
        return
    if not await queries.has_other_owner(tx, user):
        raise InvalidRequest(f"{user.email} is the only owner: make someone else an owner first.")


async def _find_user(tx: Tx, workspace_id: str, email: str) -> User:
    user = await queries.lock_user(tx, workspace_id, canonical_email(email))
    if user is None:
        raise NotFound(f"No user has the address {email}: `instep user list` shows all users.")
    return user


async def sign_in(database: Database, key: bytes, attempt: Attempt) -> SignedIn | SecondStep:
    """Begin a session, which replaces the browser's current one; `key` signs the cookie of a known browser.

    People with a second factor must prove it next, in a second step.

    No database connection is held while the password is checked. Messages, work and limits are the same for
    an address without an account, so that responses do not reveal which accounts exist.
    """
    candidates = await admit(database, key, attempt)
    match = await matching_hash(attempt.password, [candidate.password_hash for candidate in candidates])
    if not candidates:
        raise SignInFailed
    is_correct = match is not None
    # A wrong password is recorded in the workspace of the proved account, which is the first one.
    candidate = next((row for row in candidates if is_correct and row.password_hash == match), candidates[0])
    token = new_token()
    new_hash = await renewed_hash(attempt.password, candidate.password_hash) if is_correct else None
    if is_correct and candidate.has_second_factor:
        browser_id = known_browser(key, attempt.browser, candidate, utc_now())
        async with database.enter_workspace(candidate.workspace_id) as tx:
            return SecondStep(await ask_for_code(tx, candidate, browser_id, new_hash))
    async with database.enter_workspace(candidate.workspace_id) as tx, tx.transaction():
        is_new = is_correct and await is_new_browser(tx, key, candidate, attempt)
        has_begun = is_correct and await queries.begin_session(
            tx, candidate, new_hash, hash_key(token), new_id("ses"), browser_name(attempt.user_agent)
        )
        if has_begun and attempt.session is not None:
            await queries.end_session(tx, hash_key(attempt.session))
        if has_begun and is_new:
            await send_sign_in_notice(tx, candidate, attempt)
        outcome = "sign_in" if has_begun else "sign_in_failed"
        await record(tx, candidate.workspace_id, candidate.person.as_actor("page"), outcome)
    if not has_begun:
        raise SignInFailed
    current_hash = new_hash or candidate.password_hash
    return SignedIn(token, new_cookie(key, candidate.id, current_hash, utc_now()))


async def admit(database: Database, key: bytes, attempt: Attempt) -> list[Candidate]:
    """Count the attempt before its password is checked, and find the accounts that it may sign in to.

    A browser known to one account of the address is unknown to the others.
    """
    email = canonical_email(attempt.email)
    async with database.enter_workspace("") as tx:
        candidates = await queries.find_for_sign_in(tx, email)
        ids = ((known_browser(key, attempt.browser, row, utc_now()), row) for row in candidates)
        browser_id, account = next((pair for pair in ids if pair[0]), (None, None))
        if browser_id is None or account is None:
            await count_stranger(tx, email, attempt.address)
            return candidates
        await count_known_browser(tx, browser_id)
        try:
            if len(candidates) > 1:
                await count_stranger(tx, email, attempt.address)
        except TooManyAttempts:
            return [account]
    return candidates


async def sign_out(database: Database, token: str, person: Person) -> None:
    async with database.enter_workspace(person.workspace_id) as tx, tx.transaction():
        await queries.end_session(tx, hash_key(token))
        await record(tx, person.workspace_id, person.as_actor("page"), "sign_out")


async def list_audit(
    tx: Tx,
    workspace_id: str,
    limit: int,
    before: int | None = None,
    actor: str | None = None,
    action: str | None = None,
) -> list[AuditEntry]:
    """The audit entries before an id, newest first; `actor` and `action` match parts of names."""
    return await queries.list_audit(tx, workspace_id, limit, before, actor, action)


def valid_email(email: str) -> str:
    address = canonical_email(email)
    if not is_email_address(address):
        raise InvalidEmail(f"{email} is not a valid email address.")
    return address


def canonical_email(email: str) -> str:
    """Canonical form of an email address; characters that can't be stored are replaced."""
    return email.encode("utf-8", "replace").decode().replace("\0", "").strip().lower()


async def find_salt(tx: Tx, email: str) -> bytes | None:
    """The salt of the address's passwords; None if it has no password."""
    candidates = await queries.find_for_sign_in(tx, email)
    return next((salt_of(row.password_hash) for row in candidates if row.password_hash), None)


async def guessable_words(tx: Tx, workspace_id: str, email: str) -> list[str]:
    """Words that an attacker would try first: the product, the workspace, and the person's address."""
    name = await queries.name_of_workspace(tx, workspace_id)
    return ["instep", *name.split(), email, *email.split("@"), *re.split(r"[@._+-]", email)]

"""Forgotten passwords: a link to the account's address, for one use within an hour, sets a new one."""

import hmac
from dataclasses import dataclass

from instep.accounts.oauth.actions import end_connections
from instep.accounts.people import queries
from instep.accounts.people.actions import canonical_email, find_salt, guessable_words
from instep.accounts.people.attempts import count_reset
from instep.accounts.people.challenges import Challenge, find_challenge, put_challenge, take_challenge
from instep.accounts.people.letters_to_people import provider_letter, reset_letter
from instep.accounts.people.passwords import hash_new_password
from instep.accounts.people.schemas import Candidate, WaitingInvitation
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import NotFound
from instep.platform.core.jobs import Job, defer
from instep.platform.core.rate_window import count_hit
from instep.platform.email.outgoing import email_locale, send_email
from instep.platform.identity.audit import record
from instep.platform.identity.keys import hash_key
from instep.platform.identity.sessions import new_token
from instep.platform.web.signed_in import SIGN_IN

SEND_RESET_LINK = "send_reset_link"
RESET = "/sign-in/reset"


class UnknownReset(NotFound):
    """This link was used, has expired, or the password has changed since: ask for a new one."""


@dataclass(frozen=True, slots=True)
class NewPassword:
    """The result of a reset: the address, and invitations that replace memberships without a proof of it.

    `proof` is for a browser that may join with them, as nobody has an account with the address any more.
    """

    email: str
    waiting: list[WaitingInvitation]
    proof: str | None = None


async def ask_for_reset(database: Database, email: str, address: str) -> None:
    """Have a link sent to an address if it has an account; `address` is a `client_address`.

    A job looks for the account, so that neither the answer nor its time depends on there being one. Raises
    `TooManyAttempts`. Further requests for one account are dropped: its earlier links still work.
    """
    account = canonical_email(email)
    async with database.enter_workspace("") as tx:
        await count_reset(tx, address)
        window = await count_hit(tx, "reset-account", hash_key(account).hex(), limits.HOUR_SECONDS)
        if window.hits <= limits.MAX_RESETS_PER_ACCOUNT:
            await defer(tx, SEND_RESET_LINK, {"email": account})


async def send_reset_link(database: Database, job: Job) -> None:
    """Email a reset link to an account, or explain how to sign in if it uses a provider."""
    email = job.payload["email"]
    async with database.enter_workspace("") as tx:
        account = await _find_account(tx, email)
    if account is None:
        return
    async with database.enter_workspace(account.workspace_id) as tx, tx.transaction():
        locale = await email_locale(tx, account.workspace_id, email)
        if account.password_hash is None and settings().oidc_issuer:
            letter = provider_letter(locale, settings().base_url + SIGN_IN)
        else:
            data = {"email": email, "password": _fingerprint(account)}
            token = await put_challenge(tx, "password_reset", data, account.id, limits.RESET_LINK_TTL)
            letter = reset_letter(locale, f"{settings().base_url}{RESET}?token={token}")
        until = utc_now() + limits.RESET_LINK_TTL
        await send_email(tx, account.workspace_id, email, letter, locale, until=until)


async def find_reset(database: Database, token: str) -> Candidate:
    """The account whose password the link sets; raises `UnknownReset`."""
    async with database.enter_workspace("") as tx:
        return await _account_of(tx, await find_challenge(tx, "password_reset", token))


async def reset_password(database: Database, token: str, password: str) -> NewPassword:
    """Set a new password, which uses up all links and ends all sessions and connected apps of the person.

    It begins no session, so that a second factor is asked for as ever. The link proves the address, so
    accounts that others have made with it end, as after a sign-in through a provider. Raises
    `UnknownReset` and `WeakPassword`.
    """
    account = await find_reset(database, token)
    async with database.enter_workspace(account.workspace_id) as tx:
        words = await guessable_words(tx, account.workspace_id, account.email)
        salt = await find_salt(tx, account.email)
    new_hash = await hash_new_password(password, *words, salt=salt)
    async with database.enter_workspace("") as tx, tx.transaction():
        account = await _account_of(tx, await take_challenge(tx, "password_reset", token))
        waiting = await queries.prove_address(tx, account.email, new_token())
        proved_account = await _find_account(tx, account.email)
        if proved_account is None:
            data = {"email": account.email, "password_hash": new_hash}
            return NewPassword(account.email, waiting, await put_challenge(tx, "proved_address", data))
    await _set_password(database, proved_account, new_hash)
    return NewPassword(account.email, waiting)


async def _set_password(database: Database, account: Candidate, new_hash: str) -> None:
    actor = account.person.as_actor("page")
    async with database.enter_workspace(account.workspace_id) as tx, tx.transaction():
        memberships = await queries.list_memberships(tx, account.id)
        if not await queries.change_password(tx, account, new_hash):
            raise UnknownReset
        await queries.end_sessions(tx, account.id)
        await record(tx, account.workspace_id, actor, "reset_password", account.id)
    for membership in memberships:
        async with database.enter_workspace(membership.workspace_id) as tx, tx.transaction():
            await end_connections(tx, membership.workspace_id, account.id, actor)


async def _account_of(tx: Tx, challenge: Challenge | None) -> Candidate:
    """The account of a link, if its password is the one that was forgotten; raises `UnknownReset`."""
    account = await _find_account(tx, challenge.data["email"]) if challenge else None
    if challenge is None or account is None or account.id != challenge.person_id:
        raise UnknownReset
    if not hmac.compare_digest(_fingerprint(account), challenge.data["password"]):
        raise UnknownReset
    return account


async def _find_account(tx: Tx, email: str) -> Candidate | None:
    """The proved account of an address, or else the unproved one that was used last."""
    accounts = await queries.find_for_sign_in(tx, email)
    return accounts[0] if accounts else None


def _fingerprint(account: Candidate) -> str:
    return hash_key(account.password_hash or "").hex()

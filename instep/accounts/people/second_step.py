"""The second step of signing in: a code after the password."""

import hmac

from instep.accounts.people import queries
from instep.accounts.people.attempts import count_second_factor
from instep.accounts.people.browsers import browser_name
from instep.accounts.people.challenges import find_challenge, put_challenge, take_challenge
from instep.accounts.people.known_browsers import new_cookie
from instep.accounts.people.schemas import Attempt, Candidate, SignedIn
from instep.accounts.people.second_factors import WrongCode, accepts_code
from instep.accounts.people.sign_in_notices import is_new_browser, send_sign_in_notice
from instep.platform.core.clock import utc_now
from instep.platform.core.crypto import key_ring
from instep.platform.core.database import Database, Tx
from instep.platform.core.ids import new_id
from instep.platform.identity.audit import record
from instep.platform.identity.keys import hash_key
from instep.platform.identity.sessions import new_token


class SecondStepExpired(WrongCode):
    """It took too long: begin again with your password."""


async def ask_for_code(tx: Tx, candidate: Candidate, browser_id: str | None, new_hash: str | None) -> str:
    """Record that the password was right; return the token that the browser sends with the code."""
    data = {
        # A password change in the meantime ends the sign-in.
        "password": hash_key(candidate.password_hash or "").hex(),
        "new_hash": new_hash,
        "browser": browser_id,
    }
    return await put_challenge(tx, "second_factor", data, candidate.id)


async def is_waiting_for_code(database: Database, token: str) -> bool:
    async with database.enter_workspace("") as tx:
        return await find_challenge(tx, "second_factor", token) is not None


async def finish_sign_in(database: Database, key: bytes, token: str, code: str, attempt: Attempt) -> SignedIn:
    """Begin the session if the code is right; `token` is the result of `ask_for_code`.

    Raises `WrongCode`, `SecondStepExpired` and `TooManyAttempts`; only the browser of `attempt` is used.
    """
    async with database.enter_workspace("") as tx:
        challenge = await find_challenge(tx, "second_factor", token)
        if challenge is None:
            raise SecondStepExpired
        candidate = await queries.find_account(tx, challenge.person_id)
        if candidate is None or not _is_unchanged(candidate, challenge.data):
            raise SecondStepExpired
        await count_second_factor(tx, challenge.data["browser"] or candidate.id)
    session_token = new_token()
    async with database.enter_workspace(candidate.workspace_id) as tx, tx.transaction():
        is_right = await accepts_code(tx, key_ring(), candidate.id, code)
        if is_right:
            if await take_challenge(tx, "second_factor", token) is None:
                raise SecondStepExpired
            await begin_in(tx, key, candidate, challenge.data["new_hash"], session_token, attempt)
        else:
            await record(
                tx, candidate.workspace_id, candidate.person.as_actor("page"), "second_factor_failed"
            )
    if not is_right:
        raise WrongCode
    current_hash = challenge.data["new_hash"] or candidate.password_hash
    return SignedIn(session_token, new_cookie(key, candidate.id, current_hash, utc_now()))


async def begin_in(
    tx: Tx, key: bytes, candidate: Candidate, new_hash: str | None, session_token: str, attempt: Attempt
) -> None:
    """Begin a session, which replaces the browser's current one; raises if the account has changed.

    `key` signs the cookie of a known browser.
    """
    is_new = await is_new_browser(tx, key, candidate, attempt)
    has_begun = await queries.begin_session(
        tx, candidate, new_hash, hash_key(session_token), new_id("ses"), browser_name(attempt.user_agent)
    )
    if not has_begun:
        raise SecondStepExpired
    if is_new:
        await send_sign_in_notice(tx, candidate, attempt)
    if attempt.session is not None:
        await queries.end_session(tx, hash_key(attempt.session))
    await record(tx, candidate.workspace_id, candidate.person.as_actor("page"), "sign_in")


def _is_unchanged(candidate: Candidate, data: dict[str, str]) -> bool:
    return hmac.compare_digest(hash_key(candidate.password_hash or "").hex(), data["password"])

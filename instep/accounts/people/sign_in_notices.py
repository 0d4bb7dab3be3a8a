"""The notice of a sign-in with a browser that the account was not used with before."""

from instep.accounts.people import queries
from instep.accounts.people.browsers import browser_name
from instep.accounts.people.known_browsers import known_browser
from instep.accounts.people.letters_to_people import sign_in_letter
from instep.accounts.people.schemas import Attempt, Candidate
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Tx
from instep.platform.email.outgoing import can_send_email, email_locale, send_email


async def is_new_browser(tx: Tx, key: bytes, account: Candidate, attempt: Attempt) -> bool:
    """True if the person has signed in before, but not with this browser since the password was set.

    It is asked before the session begins, which notes the sign-in; `key` signs the cookie of a known browser.
    """
    if not can_send_email() or known_browser(key, attempt.browser, account, utc_now()):
        return False
    return await queries.has_signed_in(tx, account.id)


async def send_sign_in_notice(tx: Tx, account: Candidate, attempt: Attempt) -> None:
    """Email the person once the session has begun, in the transaction that begins it."""
    locale = await email_locale(tx, account.workspace_id, account.email)
    letter = sign_in_letter(locale, browser_name(attempt.user_agent), attempt.address, utc_now())
    await send_email(tx, account.workspace_id, account.email, letter, locale)

"""Limits of sign-in attempts: guessing is bounded, and an attacker can't lock a person out of their account.

A browser that has signed in to the account before has its own window, which others can't exhaust. Other
attempts are counted by address, by network and by account; each network has some reserved attempts.
"""

from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.errors import RateLimited
from instep.platform.core.rate_window import RateWindow, count_hit, peek_hits
from instep.platform.identity.keys import hash_key
from instep.platform.web.client_addresses import network_of


class TooManyAttempts(RateLimited):
    """Too many attempts."""

    def __init__(self, seconds: int) -> None:
        minutes = -(-seconds // 60)
        wait = "a minute" if minutes == 1 else f"{minutes} minutes"
        super().__init__(
            f"Too many attempts: wait for {wait}, then try again.",
            headers={"Retry-After": str(seconds)},
        )


async def count_known_browser(tx: Tx, browser_id: str) -> None:
    """Count an attempt from a browser that has signed in to the account; raises `TooManyAttempts`."""
    await count(
        tx,
        "sign-in-browser",
        browser_id,
        limits.MAX_SIGN_INS_PER_BROWSER,
        limits.SIGN_IN_BROWSER_WINDOW_SECONDS,
    )


async def count_second_factor(tx: Tx, subject: str) -> None:
    """Count a code; `subject` is a person, or a browser known to them. Raises `TooManyAttempts`."""
    await count(
        tx,
        "second-factor",
        subject,
        limits.MAX_SECOND_FACTOR_TRIES,
        limits.SECOND_FACTOR_WINDOW_SECONDS,
    )


async def count_passkey_question(tx: Tx, address: str) -> None:
    """Count a passkey request from a `client_address`; raises `TooManyAttempts`."""
    await count(
        tx,
        "passkey",
        address,
        limits.MAX_SIGN_INS_PER_ADDRESS,
        limits.SIGN_IN_ADDRESS_WINDOW_SECONDS,
    )


async def count_question_to_provider(tx: Tx, address: str) -> None:
    """Count a sign-in at the OpenID provider from a `client_address`; raises `TooManyAttempts`."""
    await count(
        tx,
        "oidc",
        address,
        limits.MAX_SIGN_INS_PER_ADDRESS,
        limits.SIGN_IN_ADDRESS_WINDOW_SECONDS,
    )


async def count_reset(tx: Tx, address: str) -> None:
    """Count a request for a new password from a `client_address`; raises `TooManyAttempts`."""
    minute = limits.SIGN_IN_ADDRESS_WINDOW_SECONDS
    await count(tx, "reset", address, limits.MAX_SIGN_INS_PER_ADDRESS, minute)
    await count(tx, "reset-network", network_of(address), limits.MAX_SIGN_INS_PER_NETWORK, minute)


async def count_new_address(tx: Tx, person_id: str) -> None:
    """Count a new email address that a person has entered; raises `TooManyAttempts`."""
    await count(tx, "new-address", person_id, limits.MAX_NEW_ADDRESSES, limits.HOUR_SECONDS)


async def count_stranger(tx: Tx, email: str, address: str) -> None:
    """Count an attempt from another browser; `address` is a `client_address`. Raises `TooManyAttempts`.

    An attempt that a narrower window refuses is not counted in wider ones.
    """
    account, network = hash_key(email).hex(), network_of(address)
    minute, hour = limits.SIGN_IN_ADDRESS_WINDOW_SECONDS, limits.SIGN_IN_ACCOUNT_WINDOW_SECONDS
    await count(tx, "sign-in", address, limits.MAX_SIGN_INS_PER_ADDRESS, minute)
    await count(tx, "sign-in-network", network, limits.MAX_SIGN_INS_PER_NETWORK, minute)
    await count(
        tx,
        "sign-in-account-address",
        f"{account} {address}",
        limits.MAX_SIGN_INS_PER_ACCOUNT_AND_ADDRESS,
        limits.SIGN_IN_ACCOUNT_AND_ADDRESS_WINDOW_SECONDS,
    )
    network_window = await count(
        tx,
        "sign-in-account-network",
        f"{account} {network}",
        limits.MAX_SIGN_INS_PER_ACCOUNT_AND_NETWORK,
        hour,
    )
    account_window = await peek_hits(tx, "sign-in-account", account, hour)
    if (
        account_window.hits >= limits.MAX_SHARED_SIGN_INS_PER_ACCOUNT
        and network_window.hits > limits.RESERVED_SIGN_INS_PER_ACCOUNT_AND_NETWORK
    ):
        raise TooManyAttempts(account_window.seconds_left)
    await count(tx, "sign-in-account", account, limits.MAX_SIGN_INS_PER_ACCOUNT, hour)


async def count(tx: Tx, policy: str, subject: str, quota: int, seconds: int) -> RateWindow:
    window = await count_hit(tx, policy, subject, seconds)
    if window.hits > quota:
        raise TooManyAttempts(window.seconds_left)
    return window

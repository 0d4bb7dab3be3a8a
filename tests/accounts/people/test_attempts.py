"""Password guessing at /sign-in is limited, without locking out people who have signed in before."""

import secrets
from datetime import timedelta

import pytest
from fastapi import FastAPI

from instep.accounts.people import actions
from instep.accounts.people.attempts import TooManyAttempts
from instep.accounts.people.known_browsers import known_browser, new_cookie
from instep.accounts.people.schemas import Attempt, Candidate, User
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from tests.support.cast import Api, Cast
from tests.support.limits import SetLimit
from tests.support.sign_in import (
    HERE,
    OTHER_PASSWORD,
    SIGNING_KEY,
    TOKEN,
    Browser,
    browser,
    fresh_email,
    is_signed_in,
    sign_up,
)

CANDIDATE = Candidate("per_1", "ws_1", "ann@acme.example", "owner", "a hash")


def fresh_network() -> str:
    """The first three numbers of an IPv4 network that no other test uses."""
    return ".".join(["10", *(str(secrets.randbelow(256)) for _ in range(2))])


def fresh_address() -> str:
    return f"{fresh_network()}.1"


async def guess(guesser: Browser, email: str, times: int) -> list[int]:
    """Try this many wrong passwords and return the status codes."""
    token = TOKEN.findall((await guesser.get("/sign-in")).text)[0]
    fields = {"form-token": token, "email": email, "password": "not the password at all"}
    answers = [await guesser.client.post("/sign-in", data=fields, headers=HERE) for _ in range(times)]
    return [answer.status_code for answer in answers]


async def sign_in_and_out(browser_of_user: Browser, email: str) -> None:
    assert (await browser_of_user.sign_in(email)).status_code == 303
    assert (await browser_of_user.send("/app/connected-apps", "/sign-out")).status_code == 303


async def test_two_hundred_guesses_from_twenty_addresses_lock_nobody_out(
    user: User, app: FastAPI, api: Api
) -> None:
    network, statuses = fresh_network(), []
    async with browser(app, fresh_address()) as ann, browser(app, fresh_address()) as anns_phone:
        await sign_in_and_out(ann, user.email)
        for number in range(20):
            async with browser(app, f"{network}.{2 + number}") as guesser:
                statuses += await guess(guesser, user.email, 10)
        # The account holder's browser is known, even at an address from which others guess.
        async with browser(app, f"{network}.2") as moved:
            moved.client.cookies.update(ann.client.cookies)
            for browser_of_user in (ann, moved):
                assert (await browser_of_user.sign_in(user.email)).status_code == 303
        assert (await anns_phone.sign_in(user.email)).status_code == 303

    assert sorted(statuses) == [401] * limits.MAX_SIGN_INS_PER_ACCOUNT_AND_NETWORK + [429] * 180


async def test_guesses_from_everywhere_leave_each_network_a_few_and_have_an_end(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, set_limit: SetLimit
) -> None:
    set_limit("MAX_SHARED_SIGN_INS_PER_ACCOUNT", 3)
    set_limit("MAX_SIGN_INS_PER_ACCOUNT", 8)
    user = await sign_up(owner, cast.acme.workspace_id)
    async with browser(app, fresh_address()) as ann:
        await sign_in_and_out(ann, user.email)
        statuses = []
        for _ in range(4):
            async with browser(app, fresh_address()) as guesser:
                statuses.append(await guess(guesser, user.email, 3))
        async with browser(app, fresh_address()) as stranger:
            answer = await stranger.sign_in(user.email)
            # After too many attempts, even the right password gets no other answer.
            assert (answer.status_code, await is_signed_in(stranger)) == (429, False)
        assert (await ann.sign_in(user.email)).status_code == 303

    # The first sign-in of the account holder counts as an attempt too.
    assert statuses == [[401, 401, 429], [401, 401, 429], [401, 401, 429], [401, 429, 429]]
    assert "Too many attempts" in answer.text
    assert 0 < int(answer.headers["Retry-After"]) <= limits.SIGN_IN_ACCOUNT_WINDOW_SECONDS


async def test_one_address_has_ten_guesses_at_an_account(app: FastAPI, api: Api) -> None:
    async with browser(app, fresh_address()) as guesser:
        statuses = await guess(guesser, fresh_email(), 12)

    assert statuses == [401] * limits.MAX_SIGN_INS_PER_ACCOUNT_AND_ADDRESS + [429] * 2


async def test_a_64_network_is_one_guesser(app: FastAPI, api: Api) -> None:
    email, prefix = fresh_email(), f"2001:db8:{secrets.token_hex(2)}:{secrets.token_hex(2)}"
    statuses = []
    for number in range(12):
        async with browser(app, f"{prefix}::{number:x}") as guesser:
            statuses += await guess(guesser, email, 1)

    assert statuses == [401] * limits.MAX_SIGN_INS_PER_ACCOUNT_AND_ADDRESS + [429] * 2


async def test_a_known_browser_guesses_only_so_often_too(user: User, app: FastAPI, api: Api) -> None:
    async with browser(app, fresh_address()) as ann:
        await sign_in_and_out(ann, user.email)
        statuses = await guess(ann, user.email, 12)

    assert statuses == [401] * limits.MAX_SIGN_INS_PER_BROWSER + [429] * 2


@pytest.mark.parametrize("way", ["same address", "same network"])
async def test_sign_ins_to_many_accounts_are_rate_limited(api: Api, database: Database, way: str) -> None:
    network = fresh_network()
    tries = limits.MAX_SIGN_INS_PER_ADDRESS if way == "same address" else limits.MAX_SIGN_INS_PER_NETWORK
    addresses = [f"{network}.{1 if way == 'same address' else number}" for number in range(tries + 1)]
    for address in addresses[:-1]:
        await actions.admit(database, SIGNING_KEY, Attempt(fresh_email(), "a guess", address))

    with pytest.raises(TooManyAttempts):
        await actions.admit(database, SIGNING_KEY, Attempt(fresh_email(), "a guess", addresses[-1]))


async def test_a_new_password_makes_every_browser_a_stranger(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, set_limit: SetLimit
) -> None:
    set_limit("MAX_SIGN_INS_PER_ACCOUNT", 1)
    user = await sign_up(owner, cast.acme.workspace_id)
    async with browser(app, fresh_address()) as ann:
        await sign_in_and_out(ann, user.email)
        await sign_in_and_out(ann, user.email)
        await actions.change_password(owner, cast.acme.workspace_id, user.email, OTHER_PASSWORD)
        refusal = await ann.sign_in(user.email, OTHER_PASSWORD)

    assert refusal.status_code == 429


@pytest.mark.parametrize(
    ("person", "password_hash", "age", "end"),
    [
        ("per_2", "a hash", timedelta(), ""),
        ("per_1", "another hash", timedelta(), ""),
        ("per_1", "a hash", limits.KNOWN_BROWSER_TTL + timedelta(seconds=1), ""),
        ("per_1", "a hash", timedelta(), "0"),
    ],
    ids=["somebody else's", "of another password", "too old", "altered"],
)
def test_no_other_cookie_makes_a_browser_known(
    person: str, password_hash: str, age: timedelta, end: str
) -> None:
    now = utc_now()
    cookie = new_cookie(SIGNING_KEY, person, password_hash, now - age) + end
    right = new_cookie(SIGNING_KEY, "per_1", "a hash", now)

    assert known_browser(SIGNING_KEY, cookie, CANDIDATE, now) is None
    assert known_browser(b"another key", right, CANDIDATE, now) is None
    assert known_browser(SIGNING_KEY, right, CANDIDATE, now) is not None

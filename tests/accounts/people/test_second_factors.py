"""Second factors: a password alone is not enough, each code works once, and guesses are limited."""

import asyncio

import pyotp
import pytest
from fastapi import FastAPI

from instep.accounts.people import actions, second_factors
from instep.accounts.people.schemas import User
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.crypto import key_ring
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InvalidRequest
from tests.support.cast import Api, Cast
from tests.support.databases import until_blocked
from tests.support.http import Response
from tests.support.second_factors import add_authenticator, person_of
from tests.support.sign_in import OTHER_PASSWORD, Browser, browser, is_signed_in

STEP = "/sign-in/code?next=/app/connected-apps"


def code_now(secret: str) -> str:
    return pyotp.TOTP(secret).at(for_time=utc_now())


async def show_password(ann: Browser, user: User) -> Response:
    return await ann.sign_in(user.email, next="/app/connected-apps")


async def show_code(ann: Browser, code: str) -> Response:
    return await ann.send(STEP, "/sign-in/code", code=code, next="/app/connected-apps")


async def test_the_password_is_only_the_first_step(app: FastAPI, api: Api, owner: Tx, user: User) -> None:
    secret, _ = await add_authenticator(owner, user)
    async with browser(app) as ann:
        first = await show_password(ann, user)
        assert (first.status_code, first.headers["Location"]) == (303, STEP)
        assert not await is_signed_in(ann)
        wrong = await show_code(ann, "000000" if code_now(secret) != "000000" else "111111")
        assert (wrong.status_code, "This code is wrong" in wrong.text) == (400, True)
        assert not await is_signed_in(ann)
        answer = await show_code(ann, f"{code_now(secret)[:3]} {code_now(secret)[3:]}")
        assert (answer.status_code, answer.headers["Location"]) == (303, "/app/connected-apps")
        assert await is_signed_in(ann)
        # This step is over: going back starts the sign-in again.
        assert (await ann.get("/sign-in/code")).headers["Location"].startswith("/sign-in?")

    entries = await actions.list_audit(owner, user.workspace_id, 2)
    assert [entry.action for entry in entries] == ["sign_in", "second_factor_failed"]


async def test_a_code_is_not_accepted_twice(app: FastAPI, api: Api, owner: Tx, user: User) -> None:
    secret, _ = await add_authenticator(owner, user)
    async with browser(app) as ann, browser(app) as thief:
        await show_password(ann, user)
        await show_password(thief, user)
        code = code_now(secret)
        assert (await show_code(ann, code)).status_code == 303
        assert (await show_code(thief, code)).status_code == 400
        assert not await is_signed_in(thief)


async def test_a_recovery_code_signs_in_once(app: FastAPI, api: Api, owner: Tx, user: User) -> None:
    _, codes = await add_authenticator(owner, user)
    assert len(set(codes)) == limits.RECOVERY_CODES
    async with browser(app) as ann, browser(app) as thief:
        for visitor in (ann, thief):
            await show_password(visitor, user)
        assert (await show_code(ann, codes[3].upper().replace("-", " "))).status_code == 303
        assert (await show_code(thief, codes[3])).status_code == 400
        assert not await is_signed_in(thief)
    stored = await owner.value(
        "select string_agg(r::text, ' ') from recovery_codes r where person_id = %(id)s", id=user.id
    )
    assert not any(code in stored or code.replace("-", "") in stored for code in codes)


async def test_guessing_codes_has_an_end_and_does_not_lock_a_known_browser_out(
    app: FastAPI, api: Api, owner: Tx, user: User
) -> None:
    async with browser(app) as ann, browser(app) as thief:
        await ann.sign_in(user.email)
        await ann.send("/app/connected-apps", "/sign-out")
        secret, _ = await add_authenticator(owner, user)
        await show_password(thief, user)
        statuses = [(await show_code(thief, f"{number:06}")).status_code for number in range(12)]
        assert statuses == [400] * limits.MAX_SECOND_FACTOR_TRIES + [429] * 2
        await show_password(ann, user)
        assert (await show_code(ann, code_now(secret))).status_code == 303


@pytest.mark.parametrize("change", ["password", "disabled"])
async def test_changes_of_the_account_between_the_steps_end_the_sign_in(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, user: User, change: str
) -> None:
    secret, _ = await add_authenticator(owner, user)
    async with browser(app) as ann:
        await show_password(ann, user)
        page = await ann.get(STEP)
        if change == "password":
            await actions.change_password(owner, cast.acme.workspace_id, user.email, OTHER_PASSWORD)
        else:
            await actions.disable_user(owner, cast.acme.workspace_id, user.email)
        token = page.text.split('form-token" value="')[1].split('"')[0]
        answer = await ann.client.post("/sign-in/code", data={"form-token": token, "code": code_now(secret)})
        assert answer.headers["Location"].startswith("/sign-in?")
        assert not await is_signed_in(ann)


async def test_an_unconfirmed_app_does_not_count_and_one_that_counts_is_not_replaced(
    app: FastAPI, api: Api, owner: Tx, user: User, database: Database
) -> None:
    person = person_of(user)
    async with database.enter_workspace(person.workspace_id) as tx:
        await second_factors.begin_totp(tx, key_ring(), person)
        with pytest.raises(second_factors.WrongCode):
            await second_factors.confirm_totp(tx, key_ring(), person, "12345")
    async with browser(app) as ann:
        await show_password(ann, user)
        assert await is_signed_in(ann)
    await add_authenticator(owner, user)
    async with database.enter_workspace(person.workspace_id) as tx:
        with pytest.raises(InvalidRequest, match="already"):
            await second_factors.begin_totp(tx, key_ring(), person)


async def test_operator_lets_in_a_person_who_lost_the_second_factor(
    app: FastAPI, api: Api, cast: Cast, owner: Tx, user: User
) -> None:
    await add_authenticator(owner, user)
    await actions.unlock_user(owner, cast.acme.workspace_id, user.email)
    async with browser(app) as ann:
        await show_password(ann, user)
        assert await is_signed_in(ann)


async def test_only_the_last_of_recovery_codes_renewed_at_once_are_valid(
    api: Api, owner: Tx, user: User, database: Database
) -> None:
    person = person_of(user)
    await add_authenticator(owner, user)

    async def renew(_: int) -> list[str]:
        async with database.enter_workspace(person.workspace_id) as tx, tx.transaction():
            return await second_factors.renew_recovery_codes(tx, person)

    async with owner.transaction():
        # Codes can be read but not replaced: both renewals start before either one ends.
        await owner.execute("select from recovery_codes where person_id = %(id)s for update", id=person.id)
        renewals = [asyncio.create_task(renew(number)) for number in range(2)]
        await until_blocked(owner, len(renewals))
    await asyncio.gather(*renewals)

    factors = await second_factors.find_second_factors(owner, person)
    assert factors.recovery_codes == limits.RECOVERY_CODES

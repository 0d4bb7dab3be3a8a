"""Second factors on the account page: set up with a first code, recovery codes shown once, removed again."""

import re

import pyotp

from instep.platform.core.clock import utc_now
from instep.platform.core.database import Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.interfaces.dashboard.test_account_step_up import age_session

ACCOUNT = "/app/account"
APP = f"{ACCOUNT}/authenticator"


async def test_an_app_is_set_up_and_removed(desk: Desk) -> None:
    visitor = desk.visitor
    page = await desk.follow(await visitor.send(ACCOUNT, APP))
    assert "data:image/svg+xml" in page.text
    assert "img-src 'self' blob: data:" in page.headers["Content-Security-Policy"]
    secret = re.findall(r"(?:[A-Z2-7]{4} ){7}[A-Z2-7]{4}", page.text)[0].replace(" ", "")
    wrong = await visitor.send(APP, f"{APP}/confirm", code="12")
    assert (wrong.status_code, "This code is wrong" in wrong.text) == (400, True)

    codes = await desk.follow(
        await visitor.send(APP, f"{APP}/confirm", code=pyotp.TOTP(secret).at(for_time=utc_now()))
    )
    assert len(re.findall(r"[a-z2-7]{4}-[a-z2-7]{4}-[a-z2-7]{4}-[a-z2-7]{4}", codes.text)) == 10
    assert (await visitor.get(f"{ACCOUNT}/recovery-codes")).headers["Location"] == ACCOUNT
    assert "10 left" in (await visitor.get(ACCOUNT)).text
    # The secret is not shown again.
    assert (await visitor.get(APP)).headers["Location"] == ACCOUNT

    renewed = await desk.follow(await visitor.send(ACCOUNT, f"{ACCOUNT}/recovery-codes"))
    assert renewed.status_code == 200
    await visitor.send(ACCOUNT, f"{APP}/remove")
    assert "Set up" in (await visitor.get(ACCOUNT)).text


async def test_changes_of_second_factors_need_a_recent_sign_in(desk: Desk, owner: Tx) -> None:
    await age_session(owner, desk)
    for path in (APP, f"{APP}/confirm", f"{APP}/remove", f"{ACCOUNT}/recovery-codes"):
        answer = await desk.visitor.send(ACCOUNT, path, code="123456")
        assert answer.headers["Location"].startswith("/app/verify?next="), path

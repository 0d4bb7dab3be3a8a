"""People get an email when a new browser signs in to their account, and nothing else causes that email."""

from fastapi import FastAPI

from instep.accounts.people.schemas import User
from instep.platform.core.database import Tx
from tests.support.cast import Api, RunJobs
from tests.support.mail_server import MailServer, text_of
from tests.support.second_factors import add_authenticator
from tests.support.sign_in import PASSWORD, browser

FIREFOX = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0"}


async def test_only_a_browser_that_is_new_to_the_account_is_told(
    app: FastAPI, api: Api, user: User, mail: MailServer, run_jobs: RunJobs
) -> None:
    async with browser(app) as laptop, browser(app, "198.51.100.7") as other:
        other.client.headers.update(FIREFOX)
        # The first sign-in of an account and sign-ins from known browsers cause no email.
        for _ in range(2):
            assert (await laptop.sign_in(user.email)).status_code == 303
            await laptop.client.post("/sign-out")
            laptop.client.cookies.delete("instep-session")
        await run_jobs()
        assert mail.messages == []
        assert (await other.sign_in(user.email)).status_code == 303
    await run_jobs()

    [message] = mail.to(user.email)
    text = text_of(message)
    assert ("Firefox on Linux" in text, "198.51.100.7" in text) == (True, True)
    assert "http://help.test/app/account" in text


async def test_a_wrong_password_and_a_missing_code_send_nothing(
    app: FastAPI, api: Api, owner: Tx, user: User, mail: MailServer, run_jobs: RunJobs
) -> None:
    async with browser(app) as laptop, browser(app) as guesser:
        await laptop.sign_in(user.email)
        await add_authenticator(owner, user)
        await guesser.sign_in(user.email, "not the password at all")
        answer = await guesser.sign_in(user.email, PASSWORD)
        assert answer.headers["Location"].startswith("/sign-in/code")
    await run_jobs()

    assert mail.messages == []


async def test_a_sign_in_with_a_code_is_told_too(
    app: FastAPI, api: Api, owner: Tx, user: User, mail: MailServer, run_jobs: RunJobs
) -> None:
    async with browser(app) as laptop, browser(app) as other:
        await laptop.sign_in(user.email)
        _, codes = await add_authenticator(owner, user)
        await other.sign_in(user.email)
        assert (await other.send("/sign-in/code", "/sign-in/code", code=codes[0])).status_code == 303
    await run_jobs()

    assert len(mail.to(user.email)) == 1

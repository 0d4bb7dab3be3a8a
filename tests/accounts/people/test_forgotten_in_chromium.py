"""A forgotten password, from the sign-in page to the dashboard, in Chromium with the keyboard only."""

import re
from collections.abc import Iterator

import pytest

from instep.accounts.people.schemas import User
from instep.platform.core.database import Tx
from tests.support.cast import RunJobs
from tests.support.chromium import Complaints, running_chromium
from tests.support.installation import installed
from tests.support.mail_server import MailServer, text_of
from tests.support.sign_in import OTHER_PASSWORD


@pytest.fixture
def emailing_server(database_url: str, mail: MailServer) -> Iterator[str]:
    """A real server that runs no jobs; the test does."""
    smtp = {"INSTEP_SMTP_URL": f"smtp://127.0.0.1:{mail.port}", "INSTEP_EMAIL_FROM": "help@acme.example"}
    with installed(INSTEP_DATABASE_URL=database_url, **smtp) as installation:
        installation.serve("--no-jobs")
        yield installation.url


async def test_somebody_who_has_forgotten_the_password_gets_in_again(
    emailing_server: str, owner: Tx, user: User, mail: MailServer, run_jobs: RunJobs
) -> None:
    # Earlier tests have signed people in from the same address.
    await owner.execute("delete from rate_windows")
    complaints = Complaints()
    async with (
        running_chromium() as chromium,
        await chromium.new_context(base_url=emailing_server) as profile,
    ):
        page = await profile.new_page()
        await complaints.watch(page)
        await page.goto("/sign-in")
        await page.get_by_role("link", name="Forgot your password?").press("Enter")
        await page.get_by_role("heading", name="Forgot your password?").wait_for()
        await page.keyboard.type(user.email)
        await page.keyboard.press("Enter")
        await page.get_by_role("status").filter(has_text=user.email).wait_for()
        await run_jobs()
        [link] = re.findall(r"http://help\.test(/sign-in/reset\S+)", text_of(mail.to(user.email)[0]))
        await page.goto(link)
        await page.keyboard.type("password12345")
        await page.keyboard.press("Enter")
        await page.locator("[aria-invalid=true]").wait_for()
        await page.get_by_label("New password").fill(OTHER_PASSWORD)
        await page.keyboard.press("Enter")
        await page.get_by_role("heading", name="Sign in").wait_for()
        assert await page.get_by_label("Email").input_value() == user.email
        await page.keyboard.type(OTHER_PASSWORD)
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/app/**")
        await page.goto(link)
        await page.get_by_role("link", name="Ask for a new link").wait_for()
    assert complaints.lines == []

"""Passkeys in Chromium with a virtual authenticator: added, used to sign in, and removed."""

from collections.abc import AsyncIterator, Iterator

import pytest
from playwright.async_api import CDPSession, Page, expect

from instep.accounts.people import passkeys
from instep.accounts.people.actions import list_audit
from instep.accounts.people.schemas import Attempt, User
from instep.platform.core.database import Database, Tx
from tests.support.cast import Api, Cast
from tests.support.chromium import Complaints
from tests.support.installation import installed
from tests.support.sign_in import PASSWORD, SIGNING_KEY, sign_up

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
}
SITE = passkeys.PasskeySite("help.test", "http://help.test")


@pytest.fixture(scope="module")
def named_server(database_url: str) -> Iterator[str]:
    """The URL of a server with a host name, because passkeys can't be bound to an IP address."""
    with installed(INSTEP_DATABASE_URL=database_url) as installation:
        url = f"http://localhost:{installation.port}"
        installation.environment["INSTEP_SITE_URL"] = url
        installation.serve("--no-jobs")
        yield url


@pytest.fixture
async def authenticator(tab: Page) -> AsyncIterator[CDPSession]:
    session = await tab.context.new_cdp_session(tab)
    await session.send("WebAuthn.enable")
    added = await session.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
    yield session
    await session.send("WebAuthn.removeVirtualAuthenticator", added)


@pytest.fixture
async def person(owner: Tx, cast: Cast) -> User:
    return await sign_up(owner, cast.acme.workspace_id)


async def show_password(tab: Page, site: str, user: User) -> None:
    await tab.goto(f"{site}/sign-in?next=/app/account")
    await tab.get_by_label("Email").fill(user.email)
    await tab.get_by_label("Password").fill(PASSWORD)
    await tab.get_by_role("button", name="Sign in").click()


async def test_a_passkey_is_added_used_and_removed(
    named_server: str,
    authenticator: CDPSession,
    tab: Page,
    complaints: Complaints,
    person: User,
    owner: Tx,
    cast: Cast,
) -> None:
    await show_password(tab, named_server, person)
    await tab.get_by_role("link", name="Add a passkey").click()
    await tab.get_by_label("Name").fill("Laptop")
    await tab.get_by_role("button", name="Add a passkey").click()
    await expect(tab.get_by_role("heading", name="Recovery codes")).to_be_visible()
    await tab.get_by_role("link", name="I've saved them").click()
    await expect(tab.get_by_role("heading", name="Laptop")).to_be_visible()
    await tab.get_by_role("button", name="Sign out", exact=True).click()

    # The password alone is no longer enough, and the passkey alone is.
    await show_password(tab, named_server, person)
    await expect(tab.get_by_label("Code")).to_be_visible()
    await tab.get_by_role("link", name="Use a passkey").click()
    await tab.get_by_role("button", name="Use a passkey").click()
    await expect(tab.get_by_role("heading", name="Your account")).to_be_visible()
    assert [entry.action for entry in await list_audit(owner, cast.acme.workspace_id, 1)] == ["sign_in"]

    await tab.get_by_role("button", name="Remove the passkey Laptop").click()
    await tab.get_by_role("button", name="Sign out", exact=True).click()
    await tab.goto(f"{named_server}/sign-in/passkey")
    await tab.get_by_role("button", name="Use a passkey").click()
    await expect(tab.get_by_text("not accepted")).to_be_visible()
    await show_password(tab, named_server, person)
    await expect(tab.get_by_role("heading", name="Your account")).to_be_visible()
    assert complaints.policy_violations == []


@pytest.mark.parametrize("credential", ["", "{}", "[]", "null", '{"id": "x"}', '{"id": 1, "response": []}'])
async def test_invalid_passkey_response_signs_nobody_in(
    api: Api, database: Database, credential: str
) -> None:
    async with database.enter_workspace("") as tx:
        question = await passkeys.ask_for_passkey(tx, SITE, f"address {credential}")
    attempt = Attempt("", "", "here")
    for token in (question.token, question.token, "unknown"):
        with pytest.raises(passkeys.PasskeyRefused):
            await passkeys.sign_in_with_passkey(database, SIGNING_KEY, SITE, token, credential, attempt)

"""Data and actions for the catalog's account and first-run pages."""

from datetime import timedelta
from typing import TYPE_CHECKING

from playwright.async_api import Page

from instep.accounts.people.challenges import put_challenge
from instep.accounts.people.forgotten import RESET
from instep.accounts.people.invitations import invite
from instep.accounts.people.new_address import CONFIRM_ADDRESS
from instep.accounts.workspaces.actions import create_workspace
from instep.platform.core.database import Tx
from instep.platform.identity.keys import hash_key
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role
from tests.support.oauth import begin_session
from tests.support.sign_in import sign_up

if TYPE_CHECKING:
    from tests.support.stage import Stage

# Confirmations stay valid for a day, so no page asks for one, however long a run takes.
LATER = "now() + interval '1 day'"
LINK_TTL = timedelta(days=1)
BROWSERS = ("Firefox on Windows", "Safari on iPhone")
PASSKEYS = ("Laptop", "A security key with a name that is as long as a field for names lets it be")


async def add_owner(owner: Tx, workspace_id: str) -> str:
    """Create an owner with everything that an account may have; return the cookie of their session."""
    user = await sign_up(owner, workspace_id, Role.OWNER, "olga@nordwind.example")
    person = Person(user.id, workspace_id, user.email, Role.OWNER)
    for browser in BROWSERS:
        await begin_session(owner, person)
        sql = "update sessions set browser = %(browser)s where person_id = %(id)s and browser = ''"
        await owner.execute(sql, browser=browser, id=user.id)
    session = await begin_session(owner, person)
    await owner.execute(f"update sessions set verified_at = {LATER} where person_id = %(id)s", id=user.id)
    for name in PASSKEYS:
        await owner.execute(
            "insert into passkeys (id, person_id, name, public_key, sign_count) "
            "values (%(name)s, %(person)s, %(name)s, 'x', 0)",
            name=name,
            person=user.id,
        )
    other = await create_workspace(owner, "Südwind, a company with a name that is longer than a line")
    await owner.execute(
        "insert into memberships (workspace_id, person_id, role) values (%(other)s, %(id)s, 'viewer')",
        other=other.id,
        id=user.id,
    )
    return session


async def invitation_paths(owner: Tx, workspace_id: str) -> dict[str, str]:
    """Links in emails: invitations of a new person and of one with an account elsewhere, and other links."""
    elsewhere = await create_workspace(owner, "Elsewhere")
    olga = "olga@nordwind.example"
    sql = "select jsonb_build_array(id, password_hash) from people where email = %(email)s"
    person_id, password_hash = await owner.value(sql, email=olga)
    reset = {"email": olga, "password": hash_key(password_hash).hex()}
    moving = {"email": "olga@a-company-with-a-long-name.example", "former": olga}
    tokens = {
        "reset": await put_challenge(owner, "password_reset", reset, person_id, LINK_TTL),
        "new_address": await put_challenge(owner, "new_address", moving, person_id, LINK_TTL),
    }
    known = await sign_up(owner, elsewhere.id, email="known@nordwind.example")
    return {
        "reset": f"{RESET}?token={tokens['reset']}",
        "new_address": f"{CONFIRM_ADDRESS}?token={tokens['new_address']}",
        "join_new": (await invite(owner, workspace_id, "new@nordwind.example", Role.EDITOR)).path,
        "join_known": (await invite(owner, workspace_id, known.email, Role.OWNER)).path,
    }


async def ask_for_link(page: Page, stage: "Stage") -> None:
    await page.get_by_label("Email").fill("nobody-with-a-long-name@a-company-with-a-long-name.example")
    await page.get_by_role("button", name="Send the link").click()


async def reset_weakly(page: Page, stage: "Stage") -> None:
    await page.get_by_label("New password").fill("password12345")
    await page.get_by_role("button", name="Set password").click()


async def begin_authenticator(page: Page, stage: "Stage") -> None:
    await page.get_by_role("button", name="Set up an authenticator app").click()


async def renew_codes(page: Page, stage: "Stage") -> None:
    await page.get_by_role("button", name="Create new codes").click()


async def create_key(page: Page, stage: "Stage") -> None:
    await page.get_by_role("button", name="Create key").click()


async def set_up_weakly(page: Page, stage: "Stage") -> None:
    await page.get_by_label("Company").fill("Nordwind")
    await page.get_by_label("Email").fill("ada@nordwind.example")
    await page.get_by_label("Password").fill("password12345")
    await page.get_by_label("Name").fill("Nordwind Help")
    await page.get_by_role("button", name="Set up").click()

"""A new email address of one's own account: a link to it confirms it, and the former one gets a notice."""

from instep.accounts.people import queries
from instep.accounts.people.actions import valid_email
from instep.accounts.people.attempts import count_new_address
from instep.accounts.people.challenges import find_challenge, put_challenge, take_challenge
from instep.accounts.people.letters_to_people import former_address_letter, new_address_letter
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.platform.core.errors import InvalidRequest, NotFound
from instep.platform.email.outgoing import email_locale, send_email
from instep.platform.identity.audit import record
from instep.platform.identity.schemas import Person

CONFIRM_ADDRESS = "/app/account/address"


class UnknownAddressLink(NotFound):
    """This link was used, has expired, or belongs to another account: enter the new address again."""


async def ask_for_new_address(database: Database, person: Person, email: str) -> str:
    """Send a link to the new address, and return it; nothing changes before the person opens the link.

    The answer is the same if the address has an account.
    """
    address = valid_email(email)
    if address == person.email:
        raise InvalidRequest("This is already the address of your account.")
    async with database.enter_workspace(person.workspace_id) as tx:
        await count_new_address(tx, person.id)
        async with tx.transaction():
            locale = await email_locale(tx, person.workspace_id, person.email)
            data = {"email": address, "former": person.email}
            token = await put_challenge(tx, "new_address", data, person.id, limits.RESET_LINK_TTL)
            letter = new_address_letter(locale, f"{settings().base_url}{CONFIRM_ADDRESS}?token={token}")
            until = utc_now() + limits.RESET_LINK_TTL
            await send_email(tx, person.workspace_id, address, letter, locale, until=until)
    return address


async def find_new_address(database: Database, person: Person, token: str) -> str:
    """The address that the link confirms for the signed-in person; raises `UnknownAddressLink`."""
    async with database.enter_workspace(person.workspace_id) as tx:
        challenge = await find_challenge(tx, "new_address", token)
    if challenge is None or challenge.person_id != person.id or challenge.data["former"] != person.email:
        raise UnknownAddressLink
    address: str = challenge.data["email"]
    return address


async def confirm_new_address(database: Database, person: Person, token: str) -> str:
    """Change the address of the signed-in person to the one that the link was sent to."""
    address = await find_new_address(database, person, token)
    async with database.enter_workspace(person.workspace_id) as tx, tx.transaction():
        if await take_challenge(tx, "new_address", token) is None:
            raise UnknownAddressLink
        if not await queries.change_address(tx, person, address):
            raise InvalidRequest(f"{address} already has an account here: sign in with it, or use another.")
        locale = await email_locale(tx, person.workspace_id, address)
        letter = former_address_letter(locale, address)
        await send_email(tx, person.workspace_id, person.email, letter, locale)
        await record(tx, person.workspace_id, person.as_actor("page"), "change_address", person.id)
    return address

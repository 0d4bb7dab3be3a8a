"""The first run: a one-time link creates the first person of an installation, or signs a person in."""

from dataclasses import dataclass

from instep.accounts.people import queries
from instep.accounts.people.actions import valid_email
from instep.accounts.people.browsers import browser_name
from instep.accounts.people.known_browsers import new_cookie
from instep.accounts.people.passwords import hash_new_password
from instep.accounts.people.schemas import Candidate, SetupLink, SignedIn
from instep.accounts.workspaces.actions import create_bot, valid_name
from instep.accounts.workspaces.schemas import BotRow
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import NotFound
from instep.platform.core.ids import new_id
from instep.platform.identity.audit import record
from instep.platform.identity.keys import hash_key
from instep.platform.identity.scopes import Role
from instep.platform.identity.sessions import new_token
from instep.platform.text.slugs import slugify

PATH = "/app/setup"


class UnknownLink(NotFound):
    """This link was used already or is older than a day: sign in, or start Instep again for a new one."""


@dataclass(frozen=True, slots=True)
class FirstSteps:
    """The form of the first person: the company, themselves, and the first help center."""

    company: str
    email: str
    password: str
    bot_name: str
    # None: made from the name.
    bot_slug: str | None
    bot_locale: str


async def new_setup_link(tx: Tx) -> str | None:
    """The path of a new setup link, for the operator; None if a person exists."""
    workspace_id = await queries.find_workspace_to_set_up(tx)
    return None if workspace_id is None else await _new_link(tx, workspace_id, None)


async def new_sign_in_link(tx: Tx, workspace_id: str, person_id: str) -> str:
    """The path of a new link that signs a person in once."""
    return await _new_link(tx, workspace_id, person_id)


async def _new_link(tx: Tx, workspace_id: str, person_id: str | None) -> str:
    token = new_token()
    await queries.insert_setup_link(tx, hash_key(token), workspace_id, person_id)
    return f"{PATH}?token={token}"


async def find_setup_link(database: Database, token: str) -> SetupLink:
    """Find a setup link; raises `UnknownLink` if it was used, has expired or came too late."""
    async with database.enter_workspace("") as tx:
        link = await queries.find_setup_link(tx, hash_key(token))
    if link is None:
        raise UnknownLink
    return link


async def follow_sign_in_link(database: Database, key: bytes, token: str, user_agent: str) -> SignedIn:
    """Sign in the person of a link, which uses it up; `key` signs the cookie of a known browser."""
    link = await find_setup_link(database, token)
    async with database.enter_workspace(link.workspace_id) as tx, tx.transaction():
        candidate = await queries.use_sign_in_link(tx, hash_key(token))
        if candidate is None:
            raise UnknownLink
        return await _begin(tx, key, candidate, user_agent)


async def set_up(
    database: Database, key: bytes, token: str, steps: FirstSteps, user_agent: str
) -> tuple[SignedIn, BotRow]:
    """Create the first person, who owns the workspace, and the first bot, or nothing. Sign them in."""
    link = await find_setup_link(database, token)
    company, address = valid_name(steps.company), valid_email(steps.email)
    words = ("instep", *company.split(), address, *address.split("@"))
    password_hash, person_id = await hash_new_password(steps.password, *words), new_id("per")
    candidate = Candidate(person_id, link.workspace_id, address, Role.OWNER.value, password_hash)
    async with database.enter_workspace(link.workspace_id) as tx, tx.transaction():
        if not await queries.set_up(tx, hash_key(token), candidate, company):
            raise UnknownLink
        bot = await create_bot(
            tx,
            link.workspace_id,
            steps.bot_name,
            # A name that other workspaces use is refused, not numbered: they are invisible here.
            steps.bot_slug or slugify(steps.bot_name, "help"),
            steps.bot_locale,
            actor=candidate.person.as_actor("page"),
        )
        return await _begin(tx, key, candidate, user_agent), bot


async def _begin(tx: Tx, key: bytes, candidate: Candidate, user_agent: str) -> SignedIn:
    token = new_token()
    await queries.begin_session(tx, candidate, None, hash_key(token), new_id("ses"), browser_name(user_agent))
    await record(tx, candidate.workspace_id, candidate.person.as_actor("page"), "sign_in")
    return SignedIn(token, new_cookie(key, candidate.id, candidate.password_hash, utc_now()))

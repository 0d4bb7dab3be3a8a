"""Host names of help centers: who may have which, by the word of the operator or by a record of their DNS."""

from datetime import timedelta
from typing import Literal
from uuid import UUID

from psycopg.errors import UniqueViolation

from instep.accounts.workspaces import queries
from instep.accounts.workspaces.actions import parse_value, unknown_bot
from instep.accounts.workspaces.schemas import BotRow
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.domains import valid_domain
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.ids import as_uuid
from instep.platform.core.outbound.dns_texts import FindTexts, NoAnswer
from instep.platform.identity.audit import record
from instep.platform.identity.schemas import OPERATOR, Actor

# What a look at the DNS of a name has led to; `unknown`: its name servers gave no answer.
DomainState = Literal["proved", "kept", "taken", "missing", "lost", "unknown"]
RECORD_PREFIX = "instep-bot="


def record_name(host: str) -> str:
    """The name of the TXT record by which the owner of a host gives it to a bot."""
    return f"_instep.{host}"


def record_value(bot_id: UUID) -> str:
    return f"{RECORD_PREFIX}{bot_id}"


async def change_domain(
    tx: Tx, workspace_id: str, bot_id: UUID, domain: str | None, actor: Actor = OPERATOR
) -> BotRow:
    """Give the bot's help center a host name of its own; None takes it away.

    The operator's word is enough, and so is an owner's in the only workspace, which is the operator's house:
    nobody else is there to take a name from. With several workspaces the name is a claim, which keeps nobody
    else from it, until `check_domain` finds the bot in the name's DNS.
    """
    host = None if domain is None else parse_value(valid_domain, domain, "host name")
    if host is not None and settings().is_reserved(host):
        raise InvalidRequest(f"{host} is a host of this installation: choose a host name of your own.")
    is_trusted = actor.type == "command" or not await queries.has_several_workspaces(tx)
    try:
        async with tx.transaction():
            if host is None or is_trusted:
                bot = await queries.set_domain(tx, workspace_id, bot_id, host)
            else:
                bot = await queries.claim_domain(tx, workspace_id, bot_id, host)
    except UniqueViolation:
        raise InvalidRequest(f"Another help center already uses the host name {host}.") from None
    if bot is None:
        raise unknown_bot(bot_id)
    await record(tx, workspace_id, actor, "change_domain", str(bot_id), bot_id)
    return bot


async def check_domain(
    database: Database, workspace_id: str, bot_id: UUID, host: str, find_texts: FindTexts, actor: Actor
) -> DomainState:
    """Look whether the DNS of a host names the bot, and let the help center have or lose the name by it.

    No connection is held while name servers answer. A name is lost once its record has been gone for a while.
    """
    try:
        texts = await find_texts(record_name(host))
    except NoAnswer:
        texts = None
    async with database.enter_workspace(workspace_id) as tx, tx.transaction():
        if texts is None:
            await queries.note_domain_check(tx, workspace_id, bot_id)
            return "unknown"
        named = [as_uuid(text.strip().removeprefix(RECORD_PREFIX)) for text in texts]
        state: DomainState = await queries.settle_domain(
            tx,
            bot_id,
            host,
            [bot for bot in named if bot is not None],
            timedelta(days=limits.DOMAIN_GRACE_DAYS),
        )
        if state in ("proved", "lost"):
            action = "prove_domain" if state == "proved" else "lose_domain"
            await record(tx, workspace_id, actor, action, str(bot_id), bot_id)
        return state


async def prune_domain_claims(tx: Tx, age: timedelta) -> None:
    """Forget claims that were not proved in time."""
    await tx.execute("select prune_domain_claims(%(age)s)", age=age)

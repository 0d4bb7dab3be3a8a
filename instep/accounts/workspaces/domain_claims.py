"""Host names of help centers, assigned by the operator or by a DNS record."""

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

# The result of a DNS lookup of a name; `unknown`: its name servers did not answer.
DomainState = Literal["proved", "kept", "taken", "missing", "lost", "unknown"]
RECORD_PREFIX = "instep-bot="


def record_name(host: str) -> str:
    """The name of the TXT record with which the owner of a host assigns it to a bot."""
    return f"_instep.{host}"


def record_value(bot_id: UUID) -> str:
    return f"{RECORD_PREFIX}{bot_id}"


async def change_domain(
    tx: Tx, workspace_id: str, bot_id: UUID, domain: str | None, actor: Actor = OPERATOR
) -> BotRow:
    """Set the host name of the bot's help center; None removes it.

    The operator can assign any name, and so can an owner in the only workspace, because there is
    nobody to take the name from. With several workspaces the name is only a claim, which others may make too,
    until `check_domain` finds the bot in the name's DNS.
    """
    host = None if domain is None else parse_value(valid_domain, domain, "host name")
    if host is not None and settings().is_reserved(host):
        raise InvalidRequest(f"{host} is a host of this installation: choose another host name.")
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
    """Check whether the DNS of a host names the bot, and assign or remove the name accordingly.

    No connection is held during the lookup. A name is lost once its record has been missing for a while.
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

"""The error for a request that must name a bot."""

from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.errors import AppError
from instep.platform.identity.queries import list_covered_bots
from instep.platform.identity.schemas import KeyAuth, TokenAuth


class BotRequired(AppError):
    """The credential covers several bots, or none, and the request names none (specification, Errors)."""

    code = "bot_required"


def credential_of(auth: KeyAuth) -> str:
    """The name of the caller's credential in errors."""
    return "connection" if isinstance(auth, TokenAuth) else "API key"


async def refuse_without_bot(tx: Tx, auth: KeyAuth, naming: str) -> None:
    """Refuse a request for which no bot was resolved; `naming` says how to name one."""
    if auth.bot is not None:
        return
    bots = await list_covered_bots(tx, auth.key_id or "")
    names = [f"{bot.id} ({bot.slug})" for bot in bots[: limits.MAX_BOTS_NAMED]]
    if len(bots) > len(names):
        names.append(f"and {len(bots) - len(names)} more")
    choices = ", ".join(names) or "none yet"
    raise BotRequired(f"Name the bot with {naming}. This {credential_of(auth)} covers: {choices}.")

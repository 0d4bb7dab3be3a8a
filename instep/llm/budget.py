"""What a bot may spend on the model in a day: set aside before a question, settled after the reply."""

from dataclasses import dataclass
from datetime import date

from instep.core import limits
from instep.identity.schemas import Ctx


@dataclass(frozen=True, slots=True)
class Reservation:
    """Tokens that were set aside, and on which day (UTC)."""

    day: date
    tokens: int


async def reserve_tokens(ctx: Ctx, tokens: int, per_day: int) -> Reservation | None:
    """None when the bot's day does not hold so much any more; of two at once the later one sees the first."""
    day = await ctx.tx.value(
        """
        insert into model_use as u (workspace_id, bot_id, day, tokens)
        select %(workspace)s, %(bot)s, (%(now)s::timestamptz at time zone 'UTC')::date, %(tokens)s
        where %(tokens)s::bigint <= %(most)s
        on conflict (bot_id, day) do update set tokens = u.tokens + excluded.tokens
            where u.tokens + excluded.tokens <= %(most)s
        returning day
        """,
        workspace=ctx.bot.workspace_id,
        bot=ctx.bot.id,
        now=ctx.now,
        tokens=tokens,
        most=per_day,
    )
    return Reservation(day, tokens) if day else None


async def settle(ctx: Ctx, share: Reservation, used: int | None) -> None:
    """Count what was used; None: nobody knows, so what was set aside stays counted."""
    await ctx.tx.execute(
        """
        update model_use set tokens = greatest(0, tokens + %(more)s)
        where bot_id = %(bot)s and day = %(day)s
        """,
        bot=ctx.bot.id,
        day=share.day,
        more=0 if used is None else used - share.tokens,
    )
    await ctx.tx.execute(
        "delete from model_use where bot_id = %(bot)s and day < %(day)s::date - %(days)s::integer",
        bot=ctx.bot.id,
        day=share.day,
        days=limits.MODEL_USAGE_RETENTION.days,
    )

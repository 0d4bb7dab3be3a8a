"""The SQL of alert targets."""

from typing import Any
from uuid import UUID

from instep.alerts.schemas import AlertKind, AlertTarget, Sealed
from instep.core import limits
from instep.core.database import Tx
from instep.core.rate_window import count_hit
from instep.identity.schemas import Ctx

TARGET = """
    t.id, t.bot_id, t.tool, t.host, t.last_four, t.alerts, t.last_error, t.sent_at, t.created_at
"""
OWN = "t.workspace_id = %(workspace)s and t.bot_id = %(bot)s"


def own(ctx: Ctx) -> dict[str, Any]:
    return {"workspace": ctx.workspace_id, "bot": ctx.bot.id}


async def hold_number(ctx: Ctx) -> None:
    """Let no other transaction add a target to the bot until this one has ended."""
    await ctx.tx.run(
        "select pg_advisory_xact_lock(hashtextextended('alert_targets ' || %(bot)s::text, 0))", bot=ctx.bot.id
    )


async def count(ctx: Ctx) -> int:
    number: int = await ctx.tx.value(f"select count(*) from alert_targets t where {OWN}", **own(ctx))
    return number


async def insert(ctx: Ctx, row: dict[str, Any]) -> AlertTarget:
    return await ctx.tx.one(
        AlertTarget,
        f"""
        insert into alert_targets as t (id, workspace_id, bot_id, tool, host, last_four, sealed, alerts,
            created_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(tool)s, %(host)s, %(last_four)s, %(sealed)s, %(alerts)s,
            %(now)s)
        returning {TARGET}
        """,
        now=ctx.now,
        **own(ctx),
        **row,
    )


async def list_of_bot(ctx: Ctx) -> list[AlertTarget]:
    return await ctx.tx.all(
        AlertTarget,
        f"select {TARGET} from alert_targets t where {OWN} order by t.created_at, t.id",
        **own(ctx),
    )


async def list_of_workspace(tx: Tx, workspace_id: str) -> list[AlertTarget]:
    return await tx.all(
        AlertTarget,
        f"""
        select {TARGET} from alert_targets t
        where t.workspace_id = %(workspace)s order by t.bot_id, t.created_at, t.id
        """,
        workspace=workspace_id,
    )


async def bot_of(tx: Tx, workspace_id: str, target_id: str) -> UUID | None:
    found: UUID | None = await tx.value(
        "select bot_id from alert_targets where workspace_id = %(workspace)s and id = %(id)s",
        workspace=workspace_id,
        id=target_id,
    )
    return found


async def find(ctx: Ctx, target_id: str) -> AlertTarget | None:
    return await ctx.tx.first(
        AlertTarget,
        f"select {TARGET} from alert_targets t where {OWN} and t.id = %(id)s",
        id=target_id,
        **own(ctx),
    )


async def delete(ctx: Ctx, target_id: str) -> AlertTarget | None:
    """None where it was not there; of two who delete it at once only one finds it."""
    return await ctx.tx.first(
        AlertTarget,
        f"delete from alert_targets t where {OWN} and t.id = %(id)s returning {TARGET}",
        id=target_id,
        **own(ctx),
    )


async def told_of(ctx: Ctx, kind: AlertKind) -> list[AlertTarget]:
    return await ctx.tx.all(
        AlertTarget,
        f"select {TARGET} from alert_targets t where {OWN} and %(kind)s = any(t.alerts) order by t.id",
        kind=kind,
        **own(ctx),
    )


async def find_sealed(ctx: Ctx, target_id: str) -> Sealed | None:
    return await ctx.tx.first(
        Sealed,
        f"select t.sealed from alert_targets t where {OWN} and t.id = %(id)s",
        id=target_id,
        **own(ctx),
    )


async def record(ctx: Ctx, target_id: str, error: str | None) -> None:
    """How the last attempt at a message ended; nothing where the target is gone."""
    await ctx.tx.run(
        f"""
        update alert_targets t set last_error = %(error)s,
            sent_at = case when %(error)s::text is null then %(now)s else t.sent_at end
        where {OWN} and t.id = %(id)s
        """,
        id=target_id,
        error=error,
        now=ctx.now,
        **own(ctx),
    )


async def count_alert(ctx: Ctx) -> int:
    """Count an alert; how many the bot has sent in the present hour, with this one."""
    return (await count_hit(ctx.tx, "alerts", str(ctx.bot.id), limits.HOUR_SECONDS)).hits

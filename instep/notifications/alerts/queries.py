"""SQL of alert targets."""

from typing import Any
from uuid import UUID

from instep.notifications.alerts.schemas import AlertKind, AlertTarget, SealedAddress
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.rate_window import count_hit
from instep.platform.identity.schemas import Ctx

TARGET = """
    t.id, t.bot_id, t.tool, t.host, t.last_four, t.alerts, t.last_error, t.sent_at, t.created_at,
    t.confirmed_at
"""
FROM_BOT = "from alert_targets t where t.workspace_id = %(workspace)s and t.bot_id = %(bot)s"


async def lock_count(ctx: Ctx) -> None:
    """Lock the number of the bot's targets until this transaction ends."""
    await ctx.tx.advisory_lock(f"alert_targets {ctx.bot.id}")


async def count(ctx: Ctx) -> int:
    return await ctx.value(f"select count(*) {FROM_BOT}")


async def insert(ctx: Ctx, row: dict[str, Any]) -> AlertTarget:
    return await ctx.fetch_one(
        AlertTarget,
        f"""
        insert into alert_targets as t (id, workspace_id, bot_id, tool, host, last_four, sealed, alerts,
            created_at, confirmed_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(tool)s, %(host)s, %(last_four)s, %(sealed)s, %(alerts)s,
            %(now)s, case when %(tool)s <> 'email' then %(now)s::timestamptz end)
        returning {TARGET}
        """,
        **row,
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
    return await tx.value(
        "select bot_id from alert_targets where workspace_id = %(workspace)s and id = %(id)s",
        workspace=workspace_id,
        id=target_id,
    )


async def find(ctx: Ctx, target_id: str) -> AlertTarget | None:
    return await ctx.first(AlertTarget, f"select {TARGET} {FROM_BOT} and t.id = %(id)s", id=target_id)


async def delete(ctx: Ctx, target_id: str) -> AlertTarget | None:
    """The deleted target; None if it doesn't exist, or if another transaction has deleted it."""
    return await ctx.first(
        AlertTarget, f"delete {FROM_BOT} and t.id = %(id)s returning {TARGET}", id=target_id
    )


async def list_subscribed(ctx: Ctx, kind: AlertKind) -> list[AlertTarget]:
    return await ctx.all(
        AlertTarget,
        f"""
        select {TARGET} {FROM_BOT} and %(kind)s = any(t.alerts) and t.confirmed_at is not null
        order by t.id
        """,
        kind=kind,
    )


async def confirm(tx: Tx, workspace_id: str, target_id: str) -> None:
    sql = "update alert_targets set confirmed_at = now() where workspace_id = %(workspace)s and id = %(id)s"
    await tx.execute(sql, workspace=workspace_id, id=target_id)


async def delete_address(tx: Tx, workspace_id: str, target_id: str) -> bool:
    """Delete an email target; False if it does not exist."""
    sql = """
        delete from alert_targets where workspace_id = %(workspace)s and id = %(id)s and tool = 'email'
    """
    return await tx.execute(sql, workspace=workspace_id, id=target_id) == 1


async def find_sealed(ctx: Ctx, target_id: str) -> SealedAddress | None:
    return await ctx.first(SealedAddress, f"select t.sealed {FROM_BOT} and t.id = %(id)s", id=target_id)


async def record_attempt(ctx: Ctx, target_id: str, error: str | None) -> None:
    """Record the error of an attempt, or None for success; a removed target is ignored."""
    await ctx.execute(
        """
        update alert_targets t set last_error = %(error)s,
            sent_at = case when %(error)s::text is null then %(now)s else t.sent_at end
        where t.workspace_id = %(workspace)s and t.bot_id = %(bot)s and t.id = %(id)s
        """,
        id=target_id,
        error=error,
    )


async def count_alert(ctx: Ctx) -> int:
    """Count an alert; returns the bot's alerts in the current hour, including this one."""
    return (await count_hit(ctx.tx, "alerts", str(ctx.bot.id), limits.HOUR_SECONDS)).hits

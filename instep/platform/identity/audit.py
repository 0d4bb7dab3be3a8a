"""The audit log: who did what to which resource, when, by which channel and through which app."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from instep.platform.core.database import Tx
from instep.platform.identity.schemas import Actor, Ctx

INSERT = """
    insert into audit_entries
      (workspace_id, bot_id, actor_type, actor_id, actor_name, app, channel, action, resource)
    values (
      %(workspace)s, %(bot)s, %(type)s, %(id)s, %(name)s, %(app)s, %(channel)s, %(action)s, %(resource)s)
"""

# The number of recent entries that are searched for a resource's last change, which has just happened.
MAX_RECENT_ENTRIES = 10_000


async def record(
    tx: Tx, workspace_id: str, actor: Actor, action: str, resource: str | None = None, bot: UUID | None = None
) -> None:
    """Record a change in the audit log, in the same transaction."""
    await tx.execute_at_commit(
        INSERT,
        workspace=workspace_id,
        bot=bot,
        type=actor.type,
        id=actor.id,
        name=actor.name,
        app=actor.app,
        channel=actor.channel,
        action=action,
        resource=resource,
    )


@dataclass(frozen=True, slots=True)
class LastChange:
    """The person who last changed a resource, and the time."""

    actor_name: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class LastAction(LastChange):
    """The last time of an action, with its resource."""

    resource: str


async def find_last_action(ctx: Ctx, action: str) -> LastAction | None:
    """The last time that someone did this in the bot; None if that is not recent."""
    return await ctx.tx.first(
        LastAction,
        """
        select actor_name, created_at, resource from (
            select actor_name, created_at, resource, bot_id, action, id from audit_entries
            where workspace_id = %(workspace)s order by id desc limit %(limit)s) recent
        where bot_id = %(bot)s and action = %(action)s order by id desc limit 1
        """,
        workspace=ctx.workspace_id,
        bot=ctx.bot.id,
        action=action,
        limit=MAX_RECENT_ENTRIES,
    )


async def find_last_change(ctx: Ctx, resource: str) -> LastChange | None:
    """The last change of a resource, to tell the second of two editors; None if it is not recent."""
    return await ctx.first(
        LastChange,
        """
        select actor_name, created_at from (
            select actor_name, created_at, resource, id from audit_entries
            where workspace_id = %(workspace)s order by id desc limit %(limit)s) recent
        where resource = %(resource)s order by id desc limit 1
        """,
        workspace=ctx.workspace_id,
        resource=resource,
        limit=MAX_RECENT_ENTRIES,
    )

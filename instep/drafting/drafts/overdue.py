"""Follows up on what waits for review: reminds people, and dismisses drafts that nobody decides on."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from instep.drafting.drafts import follow_up_queries
from instep.drafting.drafts.actions import dismiss_draft
from instep.drafting.drafts.digest import REPORTER
from instep.drafting.drafts.pending import lock_draft
from instep.drafting.drafts.queue_schemas import ReviewSchedule
from instep.drafting.drafts.schemas import DraftDismiss
from instep.notifications.inbox.actions import notify
from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.errors import InvalidRequest, NotFound, PlanInactive
from instep.platform.identity.access import writes
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Ctx

EXPIRED = "Nobody decided on it within {days} days, so it expired."


@dataclass(frozen=True, slots=True)
class FollowedBot:
    """A bot with drafts or places that may need a reminder, or expire."""

    workspace_id: str
    bot_id: UUID


async def get_review_schedule(ctx: Ctx) -> ReviewSchedule:
    """Get the days until people are reminded, and until drafts expire."""
    return await follow_up_queries.find_schedule(ctx)


@writes
async def update_review_schedule(ctx: Ctx, schedule: ReviewSchedule) -> str:
    """Set the days until people are reminded, and until drafts expire."""
    await change_schedule(ctx, schedule)
    return str(ctx.bot.id)


async def change_schedule(ctx: Ctx, schedule: ReviewSchedule) -> None:
    _require_days(schedule.reminder_days, "Reminders", limits.MIN_REMINDER_DAYS)
    _require_days(schedule.expiry_days, "Expiry", limits.MIN_EXPIRY_DAYS)
    await follow_up_queries.set_schedule(ctx, schedule)


async def find_expiry(ctx: Ctx, draft_id: str) -> datetime | None:
    """The time when a draft expires; None if it does not, or before that is announced."""
    return await follow_up_queries.find_expiry(ctx, draft_id)


async def follow_up(database: Database) -> None:
    """Remind the assignees of all bots, announce what expires, and dismiss drafts whose time is over."""
    async with database.enter_workspace("") as tx:
        bots = await tx.all(FollowedBot, "select * from bots_to_follow_up()")
    for bot in bots:
        payload = {"workspace": bot.workspace_id, "bot": str(bot.bot_id)}
        async with job_context(database, payload, REPORTER) as ctx:
            schedule = await get_review_schedule(ctx)
            if schedule.reminder_days is not None:
                await remind_assignees(ctx, schedule.reminder_days)
            if schedule.expiry_days is not None:
                await announce_expiry(ctx, schedule.expiry_days)
                await dismiss_expired(ctx, schedule.expiry_days)


async def remind_assignees(ctx: Ctx, days: int) -> None:
    """Send each person one reminder of everything that waits for them, if a part of it has waited so long."""
    async with ctx.tx.transaction():
        for request in await follow_up_queries.take_due(ctx, days):
            await notify(ctx, [request.person_id], "waiting", request.subject)


async def announce_expiry(ctx: Ctx, days: int) -> None:
    async with ctx.tx.transaction():
        for request in await follow_up_queries.announce_expiry(ctx, days):
            await notify(ctx, [request.person_id], "expiring", request.subject)


async def dismiss_expired(ctx: Ctx, days: int) -> None:
    """Dismiss each draft whose time is over in a transaction of its own, unless a person was faster."""
    for draft_id in await follow_up_queries.list_expired(ctx):
        try:
            async with ctx.tx.transaction():
                await lock_draft(ctx, draft_id)
                expires_at = await find_expiry(ctx, draft_id)
                if expires_at is not None and expires_at <= ctx.now:
                    await dismiss_draft(ctx, draft_id, DraftDismiss(comment=EXPIRED.format(days=days)))
        except NotFound:
            continue
        except PlanInactive:
            return


def _require_days(days: int | None, name: str, least: int) -> None:
    if days is not None and not least <= days <= limits.MAX_FOLLOW_UP_DAYS:
        raise InvalidRequest(
            f"{name}: enter {least} to {limits.MAX_FOLLOW_UP_DAYS} days, or leave the field empty."
        )

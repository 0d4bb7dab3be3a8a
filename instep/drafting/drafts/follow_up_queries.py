"""The SQL of reminders, and of drafts that expire because nobody decides on them."""

from datetime import datetime

from instep.drafting.drafts.assignment_queries import ReviewRequest
from instep.drafting.drafts.change_queries import IS_EDITED
from instep.drafting.drafts.queries import FROM
from instep.drafting.drafts.queue_schemas import ReviewSchedule
from instep.drafting.drafts.source_queries import OPEN_PLACES
from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx

PENDING = f"{FROM} and d.status = 'pending' and a.deleted_at is null"
# Drafts with a person's words, and those that a person has approved or commented on, never expire.
CAN_EXPIRE = f"""
    (d.author_type = 'task' and d.approved_at is null and not {IS_EDITED}
        and (d.type = 'edit' or a.working_saved_at is null)
        and not exists (
            select from comments n
            where n.workspace_id = %(workspace)s and n.bot_id = %(bot)s and n.subject = d.id))
"""
IS_ANNOUNCED = "coalesce(d.expiry_announced_at >= d.updated_at, false)"
# The time when an unchanged draft expires; null before that is announced.
EXPIRES_AT = f"""
    (select case when d.status = 'pending' and {IS_ANNOUNCED} and {CAN_EXPIRE} then greatest(
            d.expiry_announced_at + interval '{limits.EXPIRY_WARNING_DAYS} days',
            d.updated_at + make_interval(days => b.expiry_days)) end
    from bots b where b.workspace_id = %(workspace)s and b.id = %(bot)s and b.expiry_days is not null)
"""
# One row for each person: the oldest of the items, and how many more there are.
BY_PERSON = """
    select person_id, (array_agg(id order by created_at, id))[1] as id,
        (array_agg(title order by created_at, id))[1] as title, (count(*) - 1)::integer as others
    from items where person_id is not null group by person_id order by person_id
"""


async def find_schedule(ctx: Ctx, *, lock: bool = False) -> ReviewSchedule:
    return await ctx.fetch_one(
        ReviewSchedule,
        f"""
        select reminder_days, expiry_days from bots where id = %(bot)s and workspace_id = %(workspace)s
        {"for no key update" if lock else ""}
        """,
    )


async def set_schedule(ctx: Ctx, schedule: ReviewSchedule) -> None:
    await ctx.execute(
        """
        update bots set reminder_days = %(reminder)s, expiry_days = %(expiry)s
        where id = %(bot)s and workspace_id = %(workspace)s
        """,
        reminder=schedule.reminder_days,
        expiry=schedule.expiry_days,
    )


async def take_due(ctx: Ctx, days: int) -> list[ReviewRequest]:
    """Everything that waits for a person who was last asked about a part of it this long ago.

    It counts as asked about again. Items that others are changing are left out: waiting for locks on several,
    which a batch takes in another order, could deadlock.
    """
    return await ctx.all(
        ReviewRequest,
        f"""
        with due as (
            select d.assignee_id as id {PENDING} and d.asked_at < %(now)s - make_interval(days => %(days)s)
            union
            select p.assignee_id {OPEN_PLACES} and p.asked_at < %(now)s - make_interval(days => %(days)s)
        ), asked_drafts as (
            update drafts d set asked_at = %(now)s
            from (
                select d.id, coalesce(d.title, a.title) as title
                {PENDING} and d.assignee_id in (select id from due) for no key update of d skip locked) w
            where d.workspace_id = %(workspace)s and d.id = w.id
            returning d.assignee_id as person_id, d.id, w.title, d.created_at
        ), asked_places as (
            update places p set asked_at = %(now)s
            from (
                select p.id, a.title
                {OPEN_PLACES} and p.assignee_id in (select id from due) for no key update of p skip locked) w
            where p.workspace_id = %(workspace)s and p.id = w.id
            returning p.assignee_id as person_id, p.id, w.title, p.created_at
        ), items as (select * from asked_drafts union all select * from asked_places)
        {BY_PERSON}
        """,
        days=days,
    )


async def announce_expiry(ctx: Ctx, days: int) -> list[ReviewRequest]:
    """Mark the drafts that expire soon; return those that are assigned to people."""
    return await ctx.all(
        ReviewRequest,
        f"""
        with items as (
            update drafts d set expiry_announced_at = %(now)s
            from (
                select d.id, coalesce(d.title, a.title) as title
                {PENDING} and d.updated_at < %(now)s - make_interval(days => %(days)s)
                  and not {IS_ANNOUNCED} and {CAN_EXPIRE}
                for no key update of d skip locked) w
            where d.workspace_id = %(workspace)s and d.id = w.id
            returning d.assignee_id as person_id, d.id, w.title, d.created_at)
        {BY_PERSON}
        """,
        days=days - limits.EXPIRY_WARNING_DAYS,
    )


async def list_expired(ctx: Ctx) -> list[str]:
    """Drafts whose time is over, oldest first; the rest waits for the next run."""
    return await ctx.column(
        f"""
        select d.id {PENDING} and d.expiry_announced_at is not null and {EXPIRES_AT} <= %(now)s
        order by d.created_at, d.id limit %(max_drafts)s
        """,
        max_drafts=limits.MAX_SOURCE_DRAFTS,
    )


async def find_expiry(ctx: Ctx, draft_id: str) -> datetime | None:
    """The time when a draft expires; None if it does not, or before that is announced."""
    return await ctx.value(f"select {EXPIRES_AT} {PENDING} and d.id = %(id)s", id=draft_id)

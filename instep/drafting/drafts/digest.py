"""The digest of new drafts and places for a team's chat: one link per source, at most once an hour."""

from dataclasses import dataclass
from datetime import datetime

from instep.drafting.drafts.queries import FROM
from instep.drafting.drafts.source_queries import BUNDLE_OF, OPEN_PLACES, PLACE_SOURCE_KEY, SOURCE_KEY
from instep.notifications.alerts.actions import alert, is_subscribed
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.platform.core.jobs import Job, defer
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor, Ctx

SEND_REVIEW_DIGEST = "send_review_digest"
# The drafts and places that wait for review.
TABLES = ("drafts", "places")
REPORTER = Actor("task", "Instep", can_write=True, channel="job")


@dataclass(frozen=True, slots=True)
class NewItems:
    """A source's drafts and places, such as those that no digest has announced yet; `newest_id` names one."""

    title: str
    drafts: int
    places: int
    newest_id: str


async def schedule_digest(ctx: Ctx) -> None:
    """Have the bot's channels told of a new draft or place, together with others that follow soon."""
    if not await is_subscribed(ctx, "review"):
        return
    sent_at = await find_sent_at(ctx)
    soon = ctx.now + limits.REVIEW_DIGEST_DELAY
    run_at = soon if sent_at is None else max(soon, sent_at + limits.REVIEW_DIGEST_WINDOW)
    payload = {"workspace": ctx.workspace_id, "bot": str(ctx.bot.id)}
    await defer(ctx.tx, SEND_REVIEW_DIGEST, payload, run_at=run_at, dedupe=str(ctx.bot.id))


async def send_review_digest(database: Database, job: Job) -> None:
    """Post what no digest has announced and still waits; without news, post nothing."""
    async with job_context(database, job.payload, REPORTER) as ctx, ctx.tx.transaction():
        sources = await list_new_items(ctx, [id for table in TABLES for id in await announce(ctx, table)])
        await note_sent(ctx)
        if await has_unannounced(ctx):
            await schedule_digest(ctx)
        if not sources:
            return
        queue = f"{settings().base_url}/app/{ctx.bot.slug}/review"
        lines = [
            f"{source.title} ({source.drafts + source.places}): {queue}/{source.newest_id}"
            for source in sources
        ]
        words = new_count_text(sum(row.drafts for row in sources), sum(row.places for row in sources))
        title = f"{ctx.bot.name}: {words}"
        await alert(ctx, "review", title, lines[: limits.MAX_DIGEST_SOURCES], queue)


def new_count_text(drafts: int, places: int) -> str:
    """`1 new draft waits for review, 2 new places need writing`."""
    counts = [
        ("1 new draft waits" if drafts == 1 else f"{drafts} new drafts wait") + " for review"
        if drafts
        else "",
        ("1 new place needs" if places == 1 else f"{places} new places need") + " writing" if places else "",
    ]
    return ", ".join(filter(None, counts))


async def find_sent_at(ctx: Ctx) -> datetime | None:
    return await ctx.value(
        "select max(sent_at) from review_digests where bot_id = %(bot)s and workspace_id = %(workspace)s"
    )


async def note_sent(ctx: Ctx) -> None:
    await ctx.execute(
        """
        insert into review_digests (workspace_id, bot_id, sent_at) values (%(workspace)s, %(bot)s, %(now)s)
        on conflict (bot_id, workspace_id) do update set sent_at = %(now)s
        """
    )


async def announce(ctx: Ctx, table: str) -> list[str]:
    """Mark the drafts or places that no digest has announced; return their ids.

    Creation times can't tell: they are the start of a transaction, which may commit after a digest.
    """
    # Drafts that are being changed are left to the next digest: waiting for locks on several drafts, which a
    # batch takes in another order, could deadlock.
    ids = await ctx.value(
        f"""
        with unannounced as (
            select id from {table}
            where bot_id = %(bot)s and workspace_id = %(workspace)s and not is_announced
            for no key update skip locked
        ), announced as (
            update {table} d set is_announced = true from unannounced u
            where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.id = u.id returning d.id)
        select array_agg(id) from announced
        """
    )
    return list(ids or ())


async def has_unannounced(ctx: Ctx) -> bool:
    return await ctx.value(
        """
        select exists (
            select from drafts where bot_id = %(bot)s and workspace_id = %(workspace)s and not is_announced)
          or exists (
            select from places where bot_id = %(bot)s and workspace_id = %(workspace)s and not is_announced)
        """
    )


async def list_new_items(ctx: Ctx, ids: list[str] | None) -> list[NewItems]:
    """The pending ones of these drafts and places, or all, by source; that with the newest one is first."""
    return await ctx.all(
        NewItems,
        f"""
        with items as (
            select d.id, d.created_at, {SOURCE_KEY} as source_key, false as is_place,
                coalesce(t.bundle, t.change_title, t.article->>'title', case when d.type = 'gap_draft'
                    then 'Asked by visitors' else 'Proposed by ' || d.author_name end) as title
            {FROM} and d.status = 'pending' and a.deleted_at is null
              and (%(ids)s::text[] is null or d.id = any(%(ids)s))
            union all
            select p.id, p.created_at, {PLACE_SOURCE_KEY}, true,
                coalesce({BUNDLE_OF.format("p")}, p.source_title)
            {OPEN_PLACES} and (%(ids)s::text[] is null or p.id = any(%(ids)s))
        )
        select max(title) as title, count(*) filter (where not is_place) as drafts,
            count(*) filter (where is_place) as places,
            (array_agg(id order by created_at desc, id desc))[1] as newest_id
        from items group by source_key order by max(created_at) desc
        """,
        ids=ids,
    )

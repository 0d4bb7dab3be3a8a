"""The digest of new drafts for a team's chat: by source, with one link each, at most once an hour."""

from dataclasses import dataclass
from datetime import datetime

from instep.alerts.actions import alert, is_subscribed
from instep.core import limits
from instep.core.config import settings
from instep.core.database import Database
from instep.core.jobs import Job, defer
from instep.drafts.queries import FROM
from instep.drafts.source_queries import SOURCE_KEY
from instep.identity.job_context import job_context
from instep.identity.schemas import Actor, Ctx

SEND_REVIEW_DIGEST = "send_review_digest"
REPORTER = Actor("task", "Instep", can_write=True, channel="job")


@dataclass(frozen=True, slots=True)
class NewDrafts:
    """The drafts of a source that no digest has announced before; `draft_id` is the newest."""

    title: str
    count: int
    draft_id: str


async def schedule_digest(ctx: Ctx) -> None:
    """Have a new draft announced to the bot's channels, together with those that follow soon."""
    if not await is_subscribed(ctx, "review"):
        return
    sent_at = await find_sent_at(ctx)
    soon = ctx.now + limits.REVIEW_DIGEST_DELAY
    run_at = soon if sent_at is None else max(soon, sent_at + limits.REVIEW_DIGEST_WINDOW)
    payload = {"workspace": ctx.workspace_id, "bot": str(ctx.bot.id)}
    await defer(ctx.tx, SEND_REVIEW_DIGEST, payload, run_at=run_at, dedupe=str(ctx.bot.id))


async def send_review_digest(database: Database, job: Job) -> None:
    """Tell what no digest has announced and still waits; nothing new is no message."""
    async with job_context(database, job.payload, REPORTER) as ctx, ctx.tx.transaction():
        sources = await list_new_drafts(ctx, await announce_drafts(ctx))
        await note_sent(ctx)
        if await has_unannounced(ctx):
            await schedule_digest(ctx)
        if not sources:
            return
        total = sum(source.count for source in sources)
        noun, verb = ("draft", "waits") if total == 1 else ("drafts", "wait")
        queue = f"{settings().base_url}/app/{ctx.bot.slug}/review"
        lines = [f"{source.title} ({source.count}): {queue}/{source.draft_id}" for source in sources]
        title = f"{ctx.bot.name}: {total} new {noun} {verb} for review"
        await alert(ctx, "review", title, lines[: limits.MAX_DIGEST_SOURCES], queue)


async def find_sent_at(ctx: Ctx) -> datetime | None:
    sent_at: datetime | None = await ctx.tx.value(
        "select max(sent_at) from review_digests where bot_id = %(bot)s and workspace_id = %(workspace)s",
        bot=ctx.bot.id,
    )
    return sent_at


async def note_sent(ctx: Ctx) -> None:
    await ctx.tx.execute(
        """
        insert into review_digests (workspace_id, bot_id, sent_at) values (%(workspace)s, %(bot)s, %(now)s)
        on conflict (bot_id, workspace_id) do update set sent_at = %(now)s
        """,
        bot=ctx.bot.id,
        now=ctx.now,
    )


async def announce_drafts(ctx: Ctx) -> list[str]:
    """Mark the drafts that no digest has announced; their ids.

    A draft's time can't say it: it is when the draft's transaction began, which may end after a digest.
    """
    # A draft that somebody is changing at this moment is left to the next digest, because locking several
    # drafts that a batch changes in another order would be a deadlock.
    ids = await ctx.tx.value(
        """
        with unannounced as (
            select id from drafts
            where bot_id = %(bot)s and workspace_id = %(workspace)s and not is_announced
            for no key update skip locked
        ), announced as (
            update drafts d set is_announced = true from unannounced u
            where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.id = u.id returning d.id)
        select array_agg(id) from announced
        """,
        bot=ctx.bot.id,
    )
    return list(ids or ())


async def has_unannounced(ctx: Ctx) -> bool:
    has_one: bool = await ctx.tx.value(
        """
        select exists (
            select from drafts where bot_id = %(bot)s and workspace_id = %(workspace)s and not is_announced)
        """,
        bot=ctx.bot.id,
    )
    return has_one


async def list_new_drafts(ctx: Ctx, draft_ids: list[str]) -> list[NewDrafts]:
    """The pending ones of these drafts by source, the source with the newest draft first."""
    return await ctx.tx.all(
        NewDrafts,
        f"""
        select max(coalesce(t.change_title, t.article->>'title', case when d.type = 'gap_draft'
                then 'Asked by visitors' else 'Proposed by ' || d.author_name end)) as title,
            count(*) as count, (array_agg(d.id order by d.created_at desc, d.id desc))[1] as draft_id
        {FROM} and d.status = 'pending' and a.deleted_at is null and d.id = any(%(ids)s)
        group by {SOURCE_KEY} order by max(d.created_at) desc
        """,
        bot=ctx.bot.id,
        ids=draft_ids,
    )

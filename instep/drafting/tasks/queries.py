"""The SQL of tasks and of idempotency keys."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any
from uuid import UUID

from psycopg.types.json import Jsonb

from instep.drafting.tasks.schemas import (
    ArticleIn,
    ChangeFields,
    Outcome,
    SentChange,
    Task,
    TaskStatus,
    TaskSummary,
)
from instep.drafting.writer import StaleMention
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.core.rate_window import RateWindow, count_hit, peek_hits
from instep.platform.identity.schemas import Ctx
from instep.platform.llm.work_prompts import WorkUse

TASK = """
    t.id, t.bot_id, t.type, t.status, t.change_kind, t.change_title, t.change_url, t.bundle, t.article,
    (select v.slug from product_versions v where v.workspace_id = %(workspace)s and v.id = t.version_id)
        as version,
    t.outcome, t.summary, t.reviewed,
    t.model, t.error_code, t.error_message, t.created_at, t.started_at, t.finished_at,
    coalesce((select jsonb_agg(jsonb_build_object('id', d.id, 'type', d.type,
            'title', coalesce(d.title, a.title), 'article_id', d.article_id) order by d.id)
        from drafts d
        join articles a on a.workspace_id = %(workspace)s and a.id = d.article_id
        where d.workspace_id = %(workspace)s and d.task_id = t.id), '[]') as drafts,
    coalesce((select jsonb_agg(jsonb_build_object('id', p.id, 'article_id', p.article_id,
            'heading', p.heading) order by p.id)
        from places p where p.workspace_id = %(workspace)s and p.task_id = t.id), '[]') as places
"""
ORDER = Order(("t.created_at", "t.id"), descending=True)


@dataclass(frozen=True, slots=True)
class Replay:
    """The request that an idempotency key belongs to."""

    request_hash: bytes
    task_id: str


@dataclass(frozen=True, slots=True)
class TaskInput:
    """The writer's input for a task: a change, or the request for a new article."""

    change_title: str | None
    change_url: str | None
    change_body: str | None
    diff: str | None
    article: dict[str, Any] | None
    bundle: str | None = None
    # The fields of `ContextIn`, without empty ones.
    context: dict[str, Any] | None = None
    # The version of the product that the change is for, and its position.
    version_id: str | None = None
    version_position: int | None = None

    @property
    def source_url(self) -> str | None:
        return self.article["source_url"] if self.article else self.change_url

    @property
    def compared_article(self) -> str | None:
        """The id of the only article that a reading compares with code."""
        return (self.context or {}).get("article")

    @property
    def compared_line(self) -> int:
        """The first line, from 1, of the part of this article that is compared."""
        line: int = (self.context or {}).get("line", 1)
        return line


async def find(tx: Tx, bot_ids: list[UUID], task_id: str) -> Task | None:
    """A task of one of these bots."""
    return await tx.first(
        Task,
        f"""
        select {TASK} from tasks t
        where t.bot_id = any(%(bots)s) and t.workspace_id = %(workspace)s and t.id = %(id)s
        """,
        bots=bot_ids,
        id=task_id,
    )


async def list_page(ctx: Ctx, request: PageRequest) -> Page[Task]:
    page = request.page(ORDER, "tasks", ctx.bot.id)
    rows = await ctx.all(
        Task,
        f"""
        select {TASK} from tasks t
        where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s and {page.condition} {page.tail}
        """,
        **page.params,
    )
    return page.page_of(rows, lambda row: (row.created_at, row.id))


async def list_summaries(ctx: Ctx, statuses: Sequence[TaskStatus], request: PageRequest) -> Page[TaskSummary]:
    page = request.page(ORDER, "task summaries", ctx.bot.id, *statuses)
    rows = await ctx.all(
        TaskSummary,
        f"""
        select t.id, t.type, t.status, coalesce(t.change_title, t.article ->> 'title') as title, t.outcome,
            d.draft_count, d.pending_count, (
                select count(*)::integer from places p
                where p.workspace_id = %(workspace)s and p.task_id = t.id and p.status = 'open'
            ) as open_place_count, t.created_at
        from tasks t, lateral (
            select count(*)::integer as draft_count,
                (count(*) filter (where d.status = 'pending'))::integer as pending_count
            from drafts d where d.workspace_id = %(workspace)s and d.task_id = t.id) d
        where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s and t.status = any(%(statuses)s)
          and {page.condition} {page.tail}
        """,
        statuses=list(statuses),
        **page.params,
    )
    return page.page_of(rows, lambda row: (row.created_at, row.id))


async def find_sent_change(ctx: Ctx, task_id: str, diff_characters: int) -> SentChange | None:
    """The input of a task, with the first `diff_characters` of its diff."""
    return await ctx.first(
        SentChange,
        """
        select change_body as body, left(diff, %(characters)s) as diff,
            coalesce(length(diff), 0) as diff_characters
        from tasks where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=task_id,
        characters=diff_characters,
    )


async def draft_statuses(ctx: Ctx, task_id: str) -> dict[str, str]:
    """The status of each draft of a task, by the draft's id."""
    statuses: dict[str, str] | None = await ctx.value(
        """
        select jsonb_object_agg(id, status) from drafts
        where bot_id = %(bot)s and workspace_id = %(workspace)s and task_id = %(id)s
        """,
        id=task_id,
    )
    return statuses or {}


async def insert_change(
    ctx: Ctx, task_id: str, change: ChangeFields, author_id: str | None, version_id: str | None
) -> None:
    sent = change.model_dump()
    row = {
        "type": "document_change",
        "change_kind": change.kind,
        "change_title": change.title,
        "change_url": sent.get("url") or None,
        "change_body": sent.get("body"),
        "diff": sent.get("diff"),
        "bundle": sent.get("bundle"),
        "context": Jsonb(sent["context"]) if sent.get("context") else None,
        "labels": sent.get("labels", []),
        "author_id": author_id,
        "version_id": version_id,
    }
    await insert(ctx, task_id, row)


async def insert_article(ctx: Ctx, task_id: str, new: ArticleIn, collection_id: str | None) -> None:
    sent = new.model_dump()
    article = {
        "title": new.title,
        "instructions": sent.get("instructions"),
        "collection_id": collection_id,
        "source_url": sent.get("source_url") or None,
    }
    await insert(ctx, task_id, {"type": "write_article", "article": Jsonb(article)})


async def insert(ctx: Ctx, task_id: str, row: dict[str, Any]) -> None:
    values = {
        **row,
        "id": task_id,
        "bot_id": ctx.bot.id,
        "status": "queued",
        "created_at": ctx.now,
    }
    marks = ", ".join(f"%({name})s" for name in values)
    await ctx.execute(
        f"insert into tasks (workspace_id, {', '.join(values)}) values (%(workspace)s, {marks})", **values
    )


async def claim_key(ctx: Ctx, key: str, request_hash: bytes, task_id: str) -> Replay | None:
    """The request that the key belongs to; None if this request now owns it. Concurrent requests wait."""
    claim_count = await ctx.execute(
        """
        insert into idempotency_keys as k (workspace_id, key, request_hash, task_id, created_at)
        values (%(workspace)s, %(key)s, %(hash)s, %(task)s, %(now)s)
        on conflict (workspace_id, key) do update
            set request_hash = excluded.request_hash, task_id = excluded.task_id,
                created_at = excluded.created_at
            where k.created_at < %(now)s - make_interval(hours => %(hours)s)
        """,
        key=key,
        hash=request_hash,
        task=task_id,
        hours=limits.IDEMPOTENCY_RETENTION_HOURS,
    )
    if claim_count:
        return None
    return await ctx.fetch_one(
        Replay,
        """
        select request_hash, task_id from idempotency_keys
        where workspace_id = %(workspace)s and key = %(key)s
        """,
        key=key,
    )


async def count_creation(ctx: Ctx) -> RateWindow:
    """Count a task of the caller: of the API key, or of the person through any app."""
    return await count_hit(ctx.tx, "tasks", await creator_of(ctx), limits.TASK_WINDOW_SECONDS)


async def count_creation_in_workspace(ctx: Ctx) -> RateWindow:
    return await count_hit(ctx.tx, "workspace-tasks", ctx.workspace_id, limits.TASK_WINDOW_SECONDS)


async def peek_creations(ctx: Ctx) -> RateWindow:
    """The number of tasks that the caller has created, without counting this request."""
    return await peek_hits(ctx.tx, "tasks", await creator_of(ctx), limits.TASK_WINDOW_SECONDS)


async def creator_of(ctx: Ctx) -> str:
    """The caller whose tasks are counted together; for CI jobs, the trust that they come from."""
    trust_id = await ctx.value("select trust_id from api_keys where id = %(id)s", id=ctx.actor.id)
    return trust_id or ctx.actor.id or ctx.workspace_id


async def start(ctx: Ctx, task_id: str) -> TaskInput | None:
    """The input of a task that has not ended; None if there is nothing left to do."""
    return await ctx.first(
        TaskInput,
        """
        update tasks set status = 'running', started_at = coalesce(started_at, %(now)s),
            summary = case when article is null then 'Reading the change, and the articles that it touches.'
                else 'Gathering what the articles say on the subject.' end
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
          and status in ('queued', 'running')
        returning change_title, change_url, change_body, diff, article, bundle, context, version_id, (
            select v.position from product_versions v
            where v.workspace_id = %(workspace)s and v.id = tasks.version_id) as version_position
        """,
        id=task_id,
    )


async def has_turn(ctx: Ctx, task_id: str) -> bool:
    """True if all earlier changes of the bot have been read.

    New articles don't wait for their turn, nor do comparisons with the current code.
    """
    return await ctx.value(
        """
        select not exists (
            select from tasks t, tasks e
            where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s and t.id = %(id)s
              and e.bot_id = %(bot)s and e.workspace_id = %(workspace)s
              and (e.created_at, e.id) < (t.created_at, t.id) and e.status in ('queued', 'running')
              and e.article is null and t.article is null
              and e.change_kind <> 'drift' and t.change_kind <> 'drift'
              and e.created_at > %(since)s)
        """,
        id=task_id,
        since=ctx.now - limits.MAX_TASK_TURN_DELAY,
    )


async def next_change(ctx: Ctx) -> str | None:
    """The id of the earliest change of the bot that waits for its turn."""
    return await ctx.value(
        """
        select id from tasks
        where bot_id = %(bot)s and workspace_id = %(workspace)s and status = 'queued' and article is null
          and change_kind <> 'drift' and created_at > %(since)s
        order by created_at, id limit 1
        """,
        since=ctx.now - limits.MAX_TASK_TURN_DELAY,
    )


async def set_progress(ctx: Ctx, task_id: str, stage: str) -> None:
    """Show the current stage of a running task."""
    await ctx.execute(
        """
        update tasks set summary = %(stage)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s and status = 'running'
        """,
        id=task_id,
        stage=stage,
    )


async def lock_unended(ctx: Ctx, task_id: str) -> Task | None:
    """An unended task, locked, so that only the caller can end it; None if it has ended."""
    return await ctx.first(
        Task,
        f"""
        select {TASK} from tasks t
        where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s and t.id = %(id)s
          and t.status in ('queued', 'running')
        for no key update of t
        """,
        id=task_id,
    )


async def complete(
    ctx: Ctx,
    task_id: str,
    outcome: Outcome,
    summary: str,
    reviewed: list[dict[str, Any]],
    unread_articles: int,
) -> None:
    await ctx.execute(
        """
        update tasks set status = 'completed', outcome = %(outcome)s, summary = %(summary)s,
            reviewed = %(reviewed)s, unread_articles = %(unread)s, finished_at = %(now)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=task_id,
        outcome=outcome,
        summary=summary,
        reviewed=Jsonb(reviewed),
        unread=unread_articles,
    )


async def set_model(ctx: Ctx, task_id: str, use: WorkUse | None) -> None:
    """Store a task's use of a language model."""
    if use is None:
        return
    await ctx.execute(
        """
        update tasks set model = %(model)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=task_id,
        model=Jsonb(asdict(use)),
    )


async def insert_gone_names(ctx: Ctx, change_title: str, stale_mentions: Sequence[StaleMention]) -> None:
    """Remember removed names that articles still use; for each name the latest change counts."""
    if not stale_mentions:
        return
    await ctx.execute(
        """
        delete from gone_names
        where bot_id = %(bot)s and workspace_id = %(workspace)s and gone_at < %(before)s
        """,
        before=ctx.now - limits.REMOVED_NAME_RETENTION,
    )
    await ctx.execute(
        """
        insert into gone_names (workspace_id, bot_id, article_id, name, change_title, gone_at)
        select a.workspace_id, a.bot_id, a.id, n.name, %(title)s, %(now)s
        from unnest(%(articles)s::text[], %(names)s::text[]) as n (article_id, name)
        join articles a on a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.id = n.article_id
        on conflict (bot_id, article_id, name, workspace_id) do update set
            change_title = excluded.change_title, gone_at = excluded.gone_at
        """,
        title=change_title,
        articles=[mention.article_id for mention in stale_mentions],
        names=[mention.name for mention in stale_mentions],
    )


async def fail(ctx: Ctx, task_id: str, code: str, message: str) -> None:
    await ctx.execute(
        """
        update tasks set status = 'failed', summary = null, finished_at = %(now)s,
            error_code = %(code)s, error_message = %(message)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=task_id,
        code=code,
        message=message,
    )

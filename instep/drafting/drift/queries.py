"""The SQL of drift: which findings wait for review already."""

from dataclasses import dataclass
from typing import Any

from instep.platform.identity.schemas import Ctx


@dataclass(frozen=True, slots=True)
class KnownStatement:
    """A statement of an article by its key, with the draft or the open place that waits because of it.

    Without either, a person has resolved its place.
    """

    article_id: str
    key: str
    draft_id: str | None
    place_id: str | None


@dataclass(frozen=True, slots=True)
class WaitingDrift:
    """A pending draft or an open place that a check has made, by its `id`, and the article."""

    id: str
    article_id: str
    article_title: str
    locale: str
    reason: str
    # Rows of `file`, `start_line`, `end_line` and `excerpt`, as drafts and places hold them.
    evidence: list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class PastReadings:
    """The readings of a part of an article by a language model: the newest task, and what was read.

    The first line, from 1, identifies the part.
    """

    article_id: str
    first_line: int
    task_id: str
    # They identify the text and the code of readings that have not failed.
    digests: list[str]
    # When a check last looked at the part, in ISO 8601.
    checked_at: str


async def list_readings(ctx: Ctx) -> list[PastReadings]:
    """The readings of each part."""
    return await ctx.all(
        PastReadings,
        """
        select context ->> 'article' as article_id, coalesce((context -> 'line')::int, 1) as first_line,
            (array_agg(id order by created_at desc))[1] as task_id,
            coalesce(array_agg(context ->> 'digest')
                filter (where status in ('queued', 'running') or reviewed <> '[]'), '{}') as digests,
            max(context ->> 'checked_at') as checked_at
        from tasks
        where bot_id = %(bot)s and workspace_id = %(workspace)s and change_kind = 'drift'
          and context ->> 'article' is not null
        group by 1, 2
        """,
    )


async def list_edited(ctx: Ctx) -> set[str]:
    """The articles with an edit that waits for review."""
    return set(
        await ctx.column(
            """
            select distinct article_id from drafts
            where bot_id = %(bot)s and workspace_id = %(workspace)s and status = 'pending' and type = 'edit'
            """
        )
    )


async def note_unchanged(ctx: Ctx, task_ids: list[str]) -> None:
    """Record that what these readings have read is still the same."""
    await ctx.execute(
        """
        update tasks set context = context || jsonb_build_object('checked_at', %(checked_at)s::text)
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(ids)s)
        """,
        ids=task_ids,
        checked_at=ctx.now.isoformat(),
    )


async def list_waiting(ctx: Ctx, limit: int) -> list[WaitingDrift]:
    """The drafts and places of checks that wait for review, grouped by article."""
    return await ctx.tx.all(
        WaitingDrift,
        """
        select w.id, w.article_id, a.title as article_title, a.locale, coalesce(w.reason, '') as reason,
            w.evidence
        from (
            select d.id, d.article_id, d.reason, d.evidence from drafts d
            join tasks t on t.workspace_id = %(workspace)s and t.id = d.task_id
            where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
              and t.change_kind = 'drift'
            union all
            select p.id, p.article_id, p.reason, p.evidence from places p
            where p.bot_id = %(bot)s and p.workspace_id = %(workspace)s and p.status = 'open'
              and p.source_kind = 'drift') w
        join articles a on a.workspace_id = %(workspace)s and a.id = w.article_id
        where a.deleted_at is null
        order by a.title, w.article_id, w.id limit %(limit)s
        """,
        bot=ctx.bot.id,
        limit=limit,
    )


async def list_known(ctx: Ctx, article_ids: list[str]) -> list[KnownStatement]:
    """The statements of these articles' pending edits, and of their open and resolved places."""
    return await ctx.all(
        KnownStatement,
        """
        select d.article_id, s ->> 'key' as key, d.id as draft_id, null as place_id
        from drafts d, jsonb_array_elements(d.statements) s
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
          and d.type = 'edit' and d.article_id = any(%(articles)s)
        union all
        select p.article_id, p.statement ->> 'key', null, case when p.status = 'open' then p.id end
        from places p
        where p.bot_id = %(bot)s and p.workspace_id = %(workspace)s and p.status in ('open', 'resolved')
          and p.article_id = any(%(articles)s)
        """,
        articles=article_ids,
    )

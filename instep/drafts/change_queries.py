"""The SQL of drafts that several tasks make of one code change, whose address they share."""

from collections.abc import Collection, Sequence

from psycopg.types.json import Jsonb

from instep.drafts.proposals import NewArticle
from instep.drafts.queries import SETTLED, change_columns, change_text, origin_columns, settler_of
from instep.drafts.schemas import DroppedDraft
from instep.identity.schemas import Ctx


async def lock_change(ctx: Ctx, source_url: str) -> None:
    """Make other tasks of the same change wait until this transaction ends."""
    await ctx.tx.advisory_lock(f"{ctx.bot.id} {source_url}")


async def find_pending_new(ctx: Ctx, new: NewArticle) -> str | None:
    """The pending draft of a new article, by an earlier task for the same change, that states the same."""
    draft_id: str | None = await ctx.tx.value(
        """
        select d.id from drafts d
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
          and d.type = 'new_article' and d.source_url = %(url)s and d.task_id <> %(task)s
          and exists (
            select from jsonb_array_elements(d.statements) s where s ->> 'key' = any(%(keys)s::text[]))
        order by d.created_at, d.id limit 1
        """,
        bot=ctx.bot.id,
        url=new.source_url,
        task=new.task_id,
        keys=[statement.key for statement in new.statements],
    )
    return draft_id


async def renew_new(ctx: Ctx, draft_id: str, new: NewArticle) -> bool:
    """Give a pending draft what a later task says of it; whether it was still pending."""
    return await change_text(ctx, draft_id, origin_columns(new))


async def follow_task(ctx: Ctx, draft_id: str, task_id: str | None) -> bool:
    """Make a pending draft one of a later task; whether it was still pending."""
    return await change_columns(ctx, draft_id, {"task_id": task_id})


async def dismiss_superseded(ctx: Ctx, article_id: str, source_url: str) -> set[str]:
    """Dismiss the edits of a change by earlier tasks than its latest one; the ids of these drafts."""
    draft_ids = await ctx.tx.value(
        f"""
        with dismissed as (
          update drafts set status = 'dismissed', {SETTLED}
          where bot_id = %(bot)s and workspace_id = %(workspace)s and article_id = %(article)s
            and source_url = %(url)s and status = 'pending' and type = 'edit' and task_id <> (
              select d.task_id from drafts d
              join tasks t on t.workspace_id = %(workspace)s and t.bot_id = d.bot_id and t.id = d.task_id
              where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.article_id = %(article)s
                and d.source_url = %(url)s and d.type = 'edit'
              order by t.created_at desc, t.id desc limit 1)
          returning id
        )
        select array_agg(id) from dismissed
        """,
        bot=ctx.bot.id,
        article=article_id,
        url=source_url,
        **settler_of(ctx),
    )
    return set(draft_ids or ())


async def take_over_approval(ctx: Ctx, draft_id: str, superseded_ids: Collection[str]) -> bool:
    """Give an edit the approval of one that it replaces and that proposes the same; whether there was one."""
    row_count = await ctx.tx.execute(
        """
        update drafts d set approved_by_type = old.approved_by_type,
            approved_by_name = old.approved_by_name, approved_at = old.approved_at
        from (
            select * from drafts
            where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(superseded)s)
              and approved_at is not null
            order by approved_at desc limit 1
        ) old
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.id = %(id)s
          and (d.title, d.content_markdown, d.base_title, d.base_markdown)
            is not distinct from (old.title, old.content_markdown, old.base_title, old.base_markdown)
        """,
        bot=ctx.bot.id,
        id=draft_id,
        superseded=list(superseded_ids),
    )
    return row_count == 1


async def find_pending_of_change(
    ctx: Ctx, title: str, url_patterns: Sequence[str], except_task: str
) -> list[str]:
    """The pending drafts of earlier tasks for a change, found by patterns of its address, or by its title."""
    draft_ids = await ctx.tx.value(
        """
        select array_agg(d.id order by d.article_id, d.id)
        from drafts d
        join tasks t on t.workspace_id = %(workspace)s and t.bot_id = d.bot_id and t.id = d.task_id
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
          and t.id <> %(task)s
          and t.created_at <= (
            select created_at from tasks
            where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(task)s)
          and case when %(patterns)s::text[] = '{}' or t.change_url is null
            then regexp_replace(t.change_title, ' [(][#!][0-9]+[)]$', '') = %(title)s
            else t.change_url like any(%(patterns)s::text[]) end
        """,
        bot=ctx.bot.id,
        task=except_task,
        title=title,
        patterns=list(url_patterns),
    )
    return draft_ids or []


async def find_dropped(
    ctx: Ctx, source_url: str, task_id: str, article_ids: Sequence[str]
) -> list[DroppedDraft]:
    """The pending drafts by earlier tasks of a change: edits of these articles, and new articles."""
    return await ctx.tx.all(
        DroppedDraft,
        """
        select d.id, d.approved_at is not null
            or case d.type when 'edit' then d.updated_at <> d.created_at else a.author_type <> 'task' end
            as is_touched
        from drafts d
        join tasks t on t.workspace_id = %(workspace)s and t.bot_id = d.bot_id and t.id = d.task_id
        join articles a on a.workspace_id = %(workspace)s and a.bot_id = d.bot_id and a.id = d.article_id
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
          and d.source_url = %(url)s and t.id <> %(task)s
          and (d.type = 'new_article' or d.type = 'edit' and d.article_id = any(%(articles)s))
          and t.created_at <= (
            select created_at from tasks
            where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(task)s)
        order by d.article_id, d.id
        """,
        bot=ctx.bot.id,
        url=source_url,
        task=task_id,
        articles=list(article_ids),
    )


async def add_warning(ctx: Ctx, draft_ids: Sequence[str], warning: str) -> None:
    """Add a warning to pending drafts that don't have it yet."""
    await ctx.tx.execute(
        """
        update drafts set warnings = warnings || %(warning)s, updated_at = %(now)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(ids)s)
          and status = 'pending' and not warnings @> %(warning)s
        """,
        bot=ctx.bot.id,
        ids=list(draft_ids),
        warning=Jsonb([warning]),
        now=ctx.now,
    )

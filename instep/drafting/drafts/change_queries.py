"""The SQL of drafts that several tasks make of one code change, whose address they share."""

from collections.abc import Collection, Sequence

from psycopg.types.json import Jsonb

from instep.drafting.drafts.proposals import NewArticle
from instep.drafting.drafts.queries import (
    DRAFT,
    FROM,
    NO_APPROVAL,
    TEXTS,
    change_columns,
    change_text,
    origin_columns,
)
from instep.drafting.drafts.schemas import Draft, DraftTexts, DroppedDraft
from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx

# Whether a draft contains a person's text that no earlier draft contains.
IS_EDITED = """
    case d.type when 'edit'
        then d.edited_by_name is not null
            and (d.written_markdown is null
                or (d.content_markdown, d.title) is distinct from (d.written_markdown, d.written_title))
        else a.author_type <> 'task' end
"""


async def lock_change(ctx: Ctx, source_url: str) -> None:
    """Make other tasks of the same change wait until this transaction ends."""
    await ctx.tx.advisory_lock(f"{ctx.bot.id} {source_url}")


async def find_pending_new(ctx: Ctx, new: NewArticle) -> str | None:
    """The pending draft of a new article with the same statement, by an earlier task for the change."""
    return await ctx.value(
        """
        select d.id from drafts d
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
          and d.type = 'new_article' and d.source_url = %(url)s and d.task_id <> %(task)s
          and exists (
            select from jsonb_array_elements(d.statements) s where s ->> 'key' = any(%(keys)s::text[]))
        order by d.created_at, d.id limit 1
        """,
        url=new.source_url,
        task=new.task_id,
        keys=[statement.key for statement in new.statements],
    )


async def renew_new(ctx: Ctx, draft_id: str, new: NewArticle) -> bool:
    """Update a pending draft from a later task; return True if it was still pending."""
    return await change_text(ctx, draft_id, origin_columns(new))


async def follow_task(ctx: Ctx, draft_id: str, task_id: str | None) -> bool:
    """Assign a pending draft to a later task; return True if it was still pending."""
    return await change_columns(ctx, draft_id, {"task_id": task_id})


async def list_waiting(ctx: Ctx, source_url: str | None, version_id: str | None) -> list[DraftTexts]:
    """The newest pending edits, to compare a change with the texts that they would give their articles.

    For the change itself: the edits that its own pending drafts are based on.
    """
    return await ctx.all(
        DraftTexts,
        f"""
        select {DRAFT}, {TEXTS} {FROM} and d.type = 'edit' and a.deleted_at is null
          and a.status in ('draft', 'published') and t.version_id is not distinct from %(version)s::text
          and (d.task_id is null or %(url)s::text is null or d.source_url is distinct from %(url)s)
          and (d.status = 'pending' or d.replaced_by in (
            select s.id from drafts s
            where s.bot_id = %(bot)s and s.workspace_id = %(workspace)s and s.status = 'pending'
              and s.source_url = %(url)s and s.task_id is not null))
        order by d.created_at desc, d.id desc limit %(limit)s
        """,
        url=source_url,
        version=version_id,
        limit=limits.MAX_COMPARED_DRAFTS,
    )


async def is_beneath_pending(ctx: Ctx, draft_id: str) -> bool:
    """True if the draft that replaced this one is still pending."""
    return await ctx.value(
        """
        select exists (
            select from drafts d
            join drafts s on s.workspace_id = d.workspace_id and s.id = d.replaced_by
            where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.id = %(id)s
              and d.status = 'dismissed' and s.status = 'pending')
        """,
        id=draft_id,
    )


async def list_same_change(
    ctx: Ctx, article_id: str, source_url: str | None, task_id: str | None
) -> list[DraftTexts]:
    """The pending edits of an article that earlier tasks made of the same change, oldest first."""
    return await ctx.all(
        DraftTexts,
        f"""
        select {DRAFT}, {TEXTS} {FROM} and d.type = 'edit' and d.status = 'pending'
          and d.article_id = %(article)s and d.source_url = %(url)s and d.task_id <> %(task)s
          and (t.created_at, t.id) < (
            select created_at, id from tasks
            where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(task)s)
        order by t.created_at, t.id
        """,
        article=article_id,
        url=source_url,
        task=task_id,
    )


async def list_translations_with_change(ctx: Ctx, draft: Draft, version: int) -> list[str]:
    """The translations of this version of a draft's article that have the task's change already.

    After an earlier task of the same pull request, a translation may still lack the rest of the change.
    """
    ids: list[str] | None = await ctx.value(
        """
        select array_agg(t.id order by t.id) from articles t
        where t.bot_id = %(bot)s and t.workspace_id = %(workspace)s and t.translation_of = %(article)s
          and t.translated_version = %(version)s and (
            select bool_and(d.status = 'applied') from drafts d
            where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.article_id = t.id
              and d.status <> 'dismissed' and d.task_id = %(task)s)
        """,
        article=draft.article_id,
        version=version,
        task=draft.task_id,
    )
    return ids or []


async def is_outdated(ctx: Ctx, draft: Draft) -> bool:
    """True if a later task for the same change has already edited the same article."""
    return await ctx.value(
        """
        select exists (
            select from drafts d
            join tasks t on t.workspace_id = %(workspace)s and t.id = d.task_id
            where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.type = 'edit'
              and d.article_id = %(article)s and d.source_url = %(url)s
              and (t.created_at, t.id) > (
                select created_at, id from tasks
                where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(task)s))
        """,
        article=draft.article_id,
        url=draft.source_url,
        task=draft.task_id,
    )


async def list_continued(ctx: Ctx, article_ids: Sequence[str], source_url: str | None) -> list[DraftTexts]:
    """The edits of a change that pending drafts of other changes are based on."""
    return await ctx.all(
        DraftTexts,
        f"""
        select {DRAFT}, {TEXTS} {FROM} and d.type = 'edit' and d.status = 'dismissed'
          and d.source_url = %(url)s and d.task_id is not null and d.article_id = any(%(articles)s)
          and exists (
            select from drafts s
            where s.bot_id = %(bot)s and s.workspace_id = %(workspace)s and s.id = d.replaced_by
              and s.status = 'pending' and s.source_url is distinct from %(url)s)
        order by d.id
        """,
        url=source_url,
        articles=list(article_ids),
    )


async def list_beneath(ctx: Ctx, draft: Draft) -> list[str]:
    """The drafts of other changes that this one replaced."""
    draft_ids: list[str] | None = await ctx.value(
        """
        select array_agg(id order by id) from drafts
        where bot_id = %(bot)s and workspace_id = %(workspace)s and replaced_by = %(id)s
          and status = 'dismissed' and (%(url)s::text is null or source_url is distinct from %(url)s)
        """,
        id=draft.id,
        url=draft.source_url,
    )
    return draft_ids or []


async def put_beneath(ctx: Ctx, draft_id: str, beneath_ids: Collection[str]) -> None:
    """Record that a draft is based on these drafts, as another draft of its change was before."""
    await ctx.execute(
        """
        update drafts set replaced_by = %(id)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(beneath)s)
          and status = 'dismissed'
        """,
        id=draft_id,
        beneath=list(beneath_ids),
    )


async def take_over_approval(ctx: Ctx, draft_id: str, superseded_ids: Collection[str]) -> bool:
    """Give an edit the approval of an identical edit that it replaces; return True if there was one."""
    row_count = await ctx.execute(
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
        id=draft_id,
        superseded=list(superseded_ids),
    )
    return row_count == 1


async def find_pending_of_change(
    ctx: Ctx, title: str, url_patterns: Sequence[str], except_task: str
) -> list[DroppedDraft]:
    """The pending drafts of earlier tasks for a change, found by patterns of its address, or by its title.

    Changes of other product versions may have the same title.
    """
    return await ctx.all(
        DroppedDraft,
        f"""
        select d.id, {IS_EDITED} as is_edited, false as is_kept
        from drafts d
        join articles a on a.workspace_id = %(workspace)s and a.id = d.article_id
        join tasks t on t.workspace_id = %(workspace)s and t.id = d.task_id
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
          and t.id <> %(task)s
          and t.created_at <= (
            select created_at from tasks
            where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(task)s)
          and case when %(patterns)s::text[] = array[]::text[] or t.change_url is null
            then regexp_replace(t.change_title, ' [(][#!][0-9]+[)]$', '') = %(title)s
              and t.version_id is not distinct from (
                select version_id from tasks
                where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(task)s)
            else t.change_url like any(%(patterns)s::text[]) end
        order by d.article_id, d.id
        """,
        task=except_task,
        title=title,
        patterns=list(url_patterns),
    )


async def find_pending_of_source(ctx: Ctx, source_url: str) -> list[DroppedDraft]:
    """The pending drafts that tasks have made for a change; approved ones are kept."""
    return await ctx.all(
        DroppedDraft,
        f"""
        select d.id, {IS_EDITED} as is_edited, d.approved_at is not null as is_kept
        from drafts d
        join articles a on a.workspace_id = %(workspace)s and a.id = d.article_id
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
          and d.source_url = %(url)s and d.task_id is not null
        order by d.article_id, d.id
        """,
        url=source_url,
    )


async def find_dropped(
    ctx: Ctx, source_url: str, task_id: str, article_ids: Sequence[str], warning: str
) -> list[DroppedDraft]:
    """The pending drafts by earlier tasks for a change: edits of these articles, and new articles.

    Drafts that are approved, or have this warning because they were, are kept.
    """
    return await ctx.all(
        DroppedDraft,
        f"""
        select d.id, {IS_EDITED} as is_edited,
            d.approved_at is not null or d.warnings @> %(warning)s as is_kept
        from drafts d
        join tasks t on t.workspace_id = %(workspace)s and t.id = d.task_id
        join articles a on a.workspace_id = %(workspace)s and a.id = d.article_id
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
          and d.source_url = %(url)s and t.id <> %(task)s
          and (d.type = 'new_article' or d.type = 'edit' and d.article_id = any(%(articles)s))
          and t.created_at <= (
            select created_at from tasks
            where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(task)s)
        order by d.article_id, d.id
        """,
        url=source_url,
        task=task_id,
        warning=Jsonb([warning]),
        articles=list(article_ids),
    )


async def add_warning(ctx: Ctx, draft_ids: Sequence[str], warning: str) -> None:
    """Add a warning to the pending drafts that lack it, which revokes their approval."""
    if not draft_ids:
        return
    await ctx.execute(
        f"""
        update drafts set updated_at = %(now)s, {NO_APPROVAL}, warnings = warnings || %(warning)s
            || case when approved_at is null then '[]' else jsonb_build_array(
                approved_by_name || ' had approved this for a release: approve it again.') end
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(ids)s)
          and status = 'pending' and not warnings @> %(warning)s
        """,
        ids=list(draft_ids),
        warning=Jsonb([warning]),
    )

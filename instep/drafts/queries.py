"""The SQL of drafts."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from psycopg.types.json import Jsonb

from instep.core import limits
from instep.core.ids import DRAFT_PREFIXES, new_id
from instep.core.paging import Order, Page, PageRequest
from instep.drafts.edited_lines import ProvenLines
from instep.drafts.schemas import (
    Draft,
    DraftOrigin,
    DraftStatus,
    DraftTexts,
    DraftType,
    DroppedDraft,
    EditProposal,
    NewArticle,
    OtherDrafts,
    TitledText,
)
from instep.identity.schemas import Ctx
from instep.text.diff import TextDiff

# Texts are long: they are compared only where the article has another version than the proposal was made for.
IS_CONFLICT = """
    (d.type = 'edit' and d.status = 'pending' and a.version <> d.base_version
        and (a.content_markdown <> d.base_markdown or a.title <> d.base_title))
"""
LINES = """
    (length(a.content_markdown) - length(replace(a.content_markdown, chr(10), ''))
        + (right(a.content_markdown, 1) not in ('', chr(10)))::integer)
"""
# A new article's title and text are those of the article behind its draft.
DRAFT = f"""
    d.id, d.type, d.status, coalesce(d.title, a.title) as title, d.article_id, a.title as article_title,
    d.reason, d.source_url, d.task_id, {IS_CONFLICT} as conflict,
    case d.type when 'edit' then d.additions else {LINES} end as additions,
    coalesce(d.deletions, 0) as deletions,
    coalesce(t.change_kind, case when t.id is not null then 'article'
        when d.type = 'gap_draft' then 'question' end) as source_kind,
    coalesce(t.change_title, t.article->>'title', d.questions->>0) as source_title,
    d.certainty, d.approved_by_type, d.approved_by_name, d.approved_at, d.settled_by_name, d.settled_at,
    d.author_type, d.author_name, d.created_at, d.updated_at
"""
TEXTS = """
    d.title as proposed_title, coalesce(d.content_markdown, a.content_markdown) as content,
    coalesce(d.base_version, a.version) as base_version, coalesce(d.base_title, a.title) as base_title,
    coalesce(d.base_markdown, a.content_markdown) as base_content,
    a.version as current_version, a.content_markdown as current_content,
    d.evidence, d.questions, d.warnings, d.statements, d.model, d.edited_by_name, d.edited_lines,
    d.replaced_version, d.applied_version
"""
JOIN = """
    join articles a on a.workspace_id = %(workspace)s and a.bot_id = d.bot_id and a.id = d.article_id
    left join tasks t on t.workspace_id = %(workspace)s and t.bot_id = d.bot_id and t.id = d.task_id
"""
FROM = f"from drafts d {JOIN} where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s"
ORDER = Order(("d.created_at", "d.id"), descending=True)


async def list_pending(
    ctx: Ctx, draft_type: DraftType | None, article_id: str | None, request: PageRequest
) -> Page[Draft]:
    page = request.page(ORDER, "drafts", ctx.bot.id, draft_type, article_id)
    rows = await ctx.tx.all(
        Draft,
        f"""
        select {DRAFT} {FROM} and d.status = 'pending' and a.deleted_at is null
          and {"d.type = %(type)s" if draft_type else "true"}
          and {"d.article_id = %(article)s" if article_id else "true"}
          and {page.condition} {page.tail}
        """,
        bot=ctx.bot.id,
        type=draft_type,
        article=article_id,
        **page.params,
    )
    return page.page_of(rows, lambda row: (row.created_at, row.id))


async def find(ctx: Ctx, draft_id: str, *, lock: bool = False) -> DraftTexts | None:
    return await ctx.tx.first(
        DraftTexts,
        f"""
        select {DRAFT}, {TEXTS} {FROM} and d.id = %(id)s
        {"for no key update of d" if lock else ""}
        """,
        bot=ctx.bot.id,
        id=draft_id,
    )


async def find_mergeable(ctx: Ctx, draft_ids: list[str]) -> dict[str, DraftTexts]:
    """The drafts, by id, whose texts are short enough to be merged and compared for a list."""
    rows = await ctx.tx.all(
        DraftTexts,
        f"""
        select {DRAFT}, {TEXTS} {FROM} and d.id = any(%(ids)s)
          and length(d.base_markdown) + length(d.content_markdown) + length(a.content_markdown)
            <= %(max_characters)s
        """,
        bot=ctx.bot.id,
        ids=draft_ids,
        max_characters=limits.MAX_INLINE_CHARACTERS,
    )
    return {row.id: row for row in rows}


async def find_others(ctx: Ctx, draft: Draft) -> OtherDrafts:
    """The other pending edits of the draft's article, newest first."""
    return await ctx.tx.fetch_one(
        OtherDrafts,
        """
        select coalesce((array_agg(id order by created_at desc, id desc))[:%(limit)s], '{}') as ids, count(*)
        from drafts
        where bot_id = %(bot)s and workspace_id = %(workspace)s and article_id = %(article)s
          and status = 'pending' and type = 'edit' and id <> %(id)s
        """,
        bot=ctx.bot.id,
        article=draft.article_id,
        id=draft.id,
        limit=limits.MAX_REPORTED_OTHER_DRAFTS,
    )


async def find_proposed(ctx: Ctx, texts: Mapping[str, str]) -> set[str]:
    ids = await ctx.tx.value(
        """
        select array_agg(d.article_id)
        from drafts d
        join unnest(%(articles)s::text[], %(contents)s::text[]) as t (article_id, content)
            on t.article_id = d.article_id and t.content = d.content_markdown
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
          and d.type = 'edit'
        """,
        bot=ctx.bot.id,
        articles=list(texts),
        contents=list(texts.values()),
    )
    return set(ids or ())


async def insert_edit(ctx: Ctx, article_id: str, proposal: EditProposal, counts: TextDiff) -> Draft:
    row = {
        "id": new_id(DRAFT_PREFIXES["edit"]),
        "type": "edit",
        "article_id": article_id,
        "title": proposal.title,
        "content_markdown": proposal.content,
        "base_version": proposal.base_version,
        "base_title": proposal.base_title,
        "base_markdown": proposal.base_content,
        "additions": counts.additions,
        "deletions": counts.deletions,
    }
    return await insert(ctx, row, proposal)


async def insert_new(
    ctx: Ctx, draft_id: str, draft_type: DraftType, article_id: str, new: NewArticle
) -> Draft:
    row = {"id": draft_id, "type": draft_type, "article_id": article_id}
    return await insert(ctx, {**row, "questions": Jsonb(list(new.questions))}, new)


async def renew(ctx: Ctx, draft_id: str, new: NewArticle) -> bool:
    """Update the reason, questions and warnings of a pending draft; whether it was still pending."""
    changes = {"questions": Jsonb(list(new.questions)), "warnings": Jsonb(list(new.warnings))}
    return await change(ctx, draft_id, {**changes, "reason": new.reason})


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


async def follow_task(ctx: Ctx, draft_id: str, task_id: str | None) -> bool:
    """Make a pending draft one of a later task; whether it was still pending."""
    return await change(ctx, draft_id, {"task_id": task_id})


async def renew_new(ctx: Ctx, draft_id: str, new: NewArticle) -> bool:
    """Give a pending draft what a later task says of it; whether it was still pending."""
    return await change_text(ctx, draft_id, origin_columns(new))


def origin_columns(origin: DraftOrigin) -> dict[str, Any]:
    """Where a draft comes from, and what speaks for it."""
    return {
        "task_id": origin.task_id,
        "reason": origin.reason,
        "evidence": Jsonb([item.model_dump() for item in origin.evidence]),
        "warnings": Jsonb(list(origin.warnings)),
        "certainty": origin.certainty,
        "statements": Jsonb([asdict(statement) for statement in origin.statements]),
        "model": origin.model,
    }


async def was_written_by_service(ctx: Ctx, article_id: str) -> bool:
    """Whether the article's current text was written by the service and not edited since."""
    is_by_service: bool = await ctx.tx.value(
        """
        select author_type = 'task' from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        bot=ctx.bot.id,
        id=article_id,
    )
    return is_by_service


async def insert(ctx: Ctx, row: dict[str, Any], origin: DraftOrigin) -> Draft:
    values = {
        **row,
        **origin_columns(origin),
        "bot_id": ctx.bot.id,
        "status": "pending",
        "source_url": origin.source_url,
        "author_type": ctx.actor.type,
        "author_name": ctx.actor.name,
        "created_at": ctx.now,
        "updated_at": ctx.now,
    }
    placeholders = ", ".join(f"%({name})s" for name in values)
    return await ctx.tx.fetch_one(
        Draft,
        f"""
        with d as (
            insert into drafts (workspace_id, {", ".join(values)}) values (%(workspace)s, {placeholders})
            returning *)
        select {DRAFT} from d {JOIN}
        """,
        **values,
    )


# Who takes a draft out of the queue, and when.
SETTLED = """
    updated_at = %(now)s, settled_at = %(now)s, settled_by_type = %(by_type)s, settled_by_name = %(by_name)s
"""


async def settle(
    ctx: Ctx, draft_id: str, status: DraftStatus, reason: str | None = None, comment: str | None = None
) -> bool:
    """Take the draft out of the queue; whether this call did: of concurrent calls exactly one does."""
    if status == "dismissed":
        await stamp_comparison(ctx)
    row_count = await ctx.tx.execute(
        f"""
        update drafts set status = %(status)s, dismissal_reason = %(reason)s,
            dismissal_comment = %(comment)s, {SETTLED}
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s and status = 'pending'
        """,
        bot=ctx.bot.id,
        id=draft_id,
        status=status,
        reason=reason,
        comment=comment,
        **settler_of(ctx),
    )
    return row_count == 1


async def lock_article_of_edit(ctx: Ctx, draft_id: str) -> None:
    """Lock the article of an edit, even a deleted one, before the draft, as every other writer does."""
    await ctx.tx.execute(
        """
        select from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.id = (
            select d.article_id from drafts d
            where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.id = %(id)s)
        for no key update
        """,
        bot=ctx.bot.id,
        id=draft_id,
    )


async def stamp_comparison(ctx: Ctx) -> None:
    """Have public pages rendered again, since they say with which changes an article was compared.

    It is the last lock of a transaction, after those of articles and drafts.
    """
    await ctx.tx.execute_at_commit("select stamp_change(%(bot)s)", bot=ctx.bot.id)


def settler_of(ctx: Ctx) -> dict[str, Any]:
    return {"now": ctx.now, "by_type": ctx.actor.type, "by_name": ctx.actor.name}


async def set_versions(ctx: Ctx, draft_id: str, replaced_version: int, applied_version: int) -> None:
    """Note the article's versions before and after an applied draft, so that it can be reopened."""
    await ctx.tx.execute(
        """
        update drafts set replaced_version = %(replaced)s, applied_version = %(applied)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        bot=ctx.bot.id,
        id=draft_id,
        replaced=replaced_version,
        applied=applied_version,
    )


async def reopen(ctx: Ctx, draft_id: str) -> None:
    """Put a settled draft into the queue again, without approval."""
    await stamp_comparison(ctx)
    await ctx.tx.execute(
        f"""
        update drafts set status = 'pending', updated_at = %(now)s, settled_at = null,
            settled_by_type = null, settled_by_name = null, dismissal_reason = null,
            dismissal_comment = null, replaced_version = null, applied_version = null, {NO_APPROVAL}
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        bot=ctx.bot.id,
        id=draft_id,
        now=ctx.now,
    )


NO_APPROVAL = "approved_by_type = null, approved_by_name = null, approved_at = null"


async def approve(ctx: Ctx, draft_id: str) -> None:
    """Record who approves the draft for a release."""
    await ctx.tx.execute(
        """
        update drafts set updated_at = %(now)s, approved_at = %(now)s, approved_by_type = %(by_type)s,
            approved_by_name = %(by_name)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        bot=ctx.bot.id,
        id=draft_id,
        **settler_of(ctx),
    )


async def rebase(ctx: Ctx, draft: DraftTexts, text: TitledText, counts: TextDiff) -> None:
    """Make a text the proposal of a pending edit, made against the article's present text."""
    await ctx.tx.execute(
        """
        update drafts set title = %(title)s, content_markdown = %(content)s, base_version = %(version)s,
            base_title = %(base_title)s, base_markdown = %(base_content)s, additions = %(additions)s,
            deletions = %(deletions)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        bot=ctx.bot.id,
        id=draft.id,
        title=None if text.title == draft.article_title else text.title,
        content=text.content,
        version=draft.current_version,
        base_title=draft.article_title,
        base_content=draft.current_content,
        additions=counts.additions,
        deletions=counts.deletions,
    )


async def set_lines(ctx: Ctx, draft_id: str, lines: ProvenLines) -> None:
    await change(ctx, draft_id, line_columns(lines))


def line_columns(lines: ProvenLines) -> dict[str, Any]:
    return {"edited_lines": lines.edited_lines, "evidence": Jsonb(lines.evidence)}


async def withdraw_approvals(ctx: Ctx, draft_ids: Sequence[str]) -> None:
    await ctx.tx.execute(
        f"""
        update drafts set updated_at = %(now)s, {NO_APPROVAL}
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(ids)s) and status = 'pending'
        """,
        bot=ctx.bot.id,
        ids=list(draft_ids),
        now=ctx.now,
    )


async def change(ctx: Ctx, draft_id: str, changes: dict[str, Any]) -> bool:
    """Change columns of a pending draft; whether it was still pending."""
    assignments = ", ".join([*(f"{name} = %({name})s" for name in changes), "updated_at = %(now)s"])
    row_count = await ctx.tx.execute(
        f"""
        update drafts set {assignments}
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s and status = 'pending'
        """,
        bot=ctx.bot.id,
        id=draft_id,
        now=ctx.now,
        **changes,
    )
    return row_count == 1


async def change_text(ctx: Ctx, draft_id: str, changes: dict[str, Any]) -> bool:
    """Change columns of a pending edit, which takes its approval back; whether it was still pending."""
    no_approval = {"approved_by_type": None, "approved_by_name": None, "approved_at": None}
    return await change(ctx, draft_id, changes | no_approval)


async def lock_change(ctx: Ctx, source_url: str) -> None:
    """Make other tasks of the same change wait until this transaction ends."""
    await ctx.tx.advisory_lock(f"{ctx.bot.id} {source_url}")


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

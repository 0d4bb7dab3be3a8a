"""The SQL of drafts."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from psycopg.types.json import Jsonb

from instep.content.articles.live import VERSION_SLUGS
from instep.drafting.drafts.edited_lines import ProvenLines
from instep.drafting.drafts.proposals import DraftOrigin, EditProposal, NewArticle
from instep.drafting.drafts.schemas import Draft, DraftStatus, DraftTexts, DraftType, OtherDrafts, TitledText
from instep.platform.core import limits
from instep.platform.core.ids import DRAFT_PREFIXES, new_id
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.text.diff import TextDiff

# Texts are long: compare them only if the article's version is not the one that the proposal is based on.
IS_CONFLICT = """
    (d.type = 'edit' and d.status = 'pending' and a.version <> d.base_version
        and (a.content_markdown <> d.base_markdown or a.title <> d.base_title))
"""
LINES = """
    (length(a.content_markdown) - length(replace(a.content_markdown, chr(10), ''))
        + (right(a.content_markdown, 1) not in ('', chr(10)))::integer)
"""
# The slug of the product version that the task's change is for.
VERSION = """
    (select v.slug from product_versions v where v.workspace_id = %(workspace)s and v.id = t.version_id)
"""
# The draft of a new article has the title and the text of its article.
DRAFT = f"""
    d.id, d.type, d.status, coalesce(d.title, a.title) as title, d.article_id, a.title as article_title,
    d.reason, d.source_url, d.task_id, {IS_CONFLICT} as conflict,
    case d.type when 'edit' then d.additions else {LINES} end as additions,
    coalesce(d.deletions, 0) as deletions,
    coalesce(t.change_kind, case when t.id is not null then 'article'
        when d.type = 'gap_draft' then 'question' end) as source_kind,
    coalesce(t.change_title, t.article->>'title', d.questions->>0) as source_title,
    t.version_id, {VERSION} as version, {VERSION_SLUGS}, d.changes_all_versions,
    d.certainty, d.approved_by_type, d.approved_by_name, d.approved_at, d.settled_by_name, d.settled_at,
    d.replaced_by, d.assignee_id, m.email as assignee_name, d.author_type, d.author_name, d.created_at,
    d.updated_at
"""
TEXTS = """
    d.title as proposed_title, coalesce(d.content_markdown, a.content_markdown) as content,
    coalesce(d.base_version, a.version) as base_version, coalesce(d.base_title, a.title) as base_title,
    coalesce(d.base_markdown, a.content_markdown) as base_content,
    a.version as current_version, a.content_markdown as current_content,
    d.evidence, d.questions, d.warnings, d.statements, d.model, d.edited_by_name, d.edited_lines,
    d.written_title, d.written_markdown as written_content, d.dismissal_reason, d.dismissal_comment,
    d.replaced_version, d.applied_version, d.proposer_id
"""
JOIN = """
    join articles a on a.workspace_id = %(workspace)s and a.id = d.article_id
    left join tasks t on t.workspace_id = %(workspace)s and t.id = d.task_id
    left join people m on m.id = d.assignee_id
"""
FROM = f"from drafts d {JOIN} where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s"
ORDER = Order(("d.created_at", "d.id"), descending=True)


async def list_pending(
    ctx: Ctx, draft_type: DraftType | None, article_id: str | None, request: PageRequest
) -> Page[Draft]:
    page = request.page(ORDER, "drafts", ctx.bot.id, draft_type, article_id)
    return await page.read(
        ctx,
        Draft,
        f"""
        select {DRAFT} {FROM} and d.status = 'pending' and a.deleted_at is null
          and {"d.type = %(type)s" if draft_type else "true"}
          and {"d.article_id = %(article)s" if article_id else "true"}
          and {page.condition} {page.tail}
        """,
        type=draft_type,
        article=article_id,
    )


async def find(ctx: Ctx, draft_id: str, *, lock: bool = False) -> DraftTexts | None:
    return await ctx.first(
        DraftTexts,
        f"""
        select {DRAFT}, {TEXTS} {FROM} and d.id = %(id)s
        {"for no key update of d" if lock else ""}
        """,
        id=draft_id,
    )


async def find_mergeable(ctx: Ctx, draft_ids: list[str]) -> dict[str, DraftTexts]:
    """The drafts, by id, whose texts are short enough to be merged and compared for a list."""
    rows = await ctx.all(
        DraftTexts,
        f"""
        select {DRAFT}, {TEXTS} {FROM} and d.id = any(%(ids)s)
          and length(d.base_markdown) + length(d.content_markdown) + length(a.content_markdown)
            <= %(max_characters)s
        """,
        ids=draft_ids,
        max_characters=limits.MAX_INLINE_CHARACTERS,
    )
    return {row.id: row for row in rows}


async def find_others(ctx: Ctx, draft: Draft) -> OtherDrafts:
    """The other pending edits of the draft's article, newest first."""
    return await ctx.fetch_one(
        OtherDrafts,
        """
        select coalesce((array_agg(id order by created_at desc, id desc))[:%(limit)s], '{}') as ids, count(*)
        from drafts
        where bot_id = %(bot)s and workspace_id = %(workspace)s and article_id = %(article)s
          and status = 'pending' and type = 'edit' and id <> %(id)s
        """,
        article=draft.article_id,
        id=draft.id,
        limit=limits.MAX_REPORTED_OTHER_DRAFTS,
    )


async def find_proposed(ctx: Ctx, texts: Mapping[str, str]) -> set[str]:
    ids = await ctx.value(
        """
        select array_agg(d.article_id)
        from drafts d
        join unnest(%(articles)s::text[], %(contents)s::text[]) as t (article_id, content)
            on t.article_id = d.article_id and t.content = d.content_markdown
        where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.status = 'pending'
          and d.type = 'edit'
        """,
        articles=list(texts),
        contents=list(texts.values()),
    )
    return set(ids or ())


async def insert_edit(
    ctx: Ctx, article_id: str, proposal: EditProposal, counts: TextDiff, assignee_id: str | None
) -> Draft:
    row = {
        "id": new_id(DRAFT_PREFIXES["edit"]),
        "type": "edit",
        "article_id": article_id,
        "assignee_id": assignee_id,
        "title": proposal.title,
        "content_markdown": proposal.content,
        "base_version": proposal.base_version,
        "base_title": proposal.base_title,
        "base_markdown": proposal.base_content,
        "additions": counts.additions,
        "deletions": counts.deletions,
        "edited_by_name": proposal.edited_by_name,
        "edited_lines": list(proposal.edited_lines),
        "written_title": proposal.written_title,
        "written_markdown": proposal.written_content,
    }
    return await insert(ctx, row, proposal)


async def insert_new(
    ctx: Ctx,
    draft_id: str,
    draft_type: DraftType,
    article_id: str,
    new: NewArticle,
    assignee_id: str | None,
) -> Draft:
    row = {"id": draft_id, "type": draft_type, "article_id": article_id, "assignee_id": assignee_id}
    return await insert(ctx, {**row, "questions": Jsonb(list(new.questions))}, new)


async def renew(ctx: Ctx, draft_id: str, new: NewArticle) -> bool:
    """Update the reason, questions and warnings of a pending draft; return True if it was still pending."""
    changes = {"questions": Jsonb(list(new.questions)), "warnings": Jsonb(list(new.warnings))}
    return await change_columns(ctx, draft_id, {**changes, "reason": new.reason})


def origin_columns(origin: DraftOrigin) -> dict[str, Any]:
    """The source of a draft, and its evidence."""
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
    """True if the writer wrote the article's current text and it was not edited since."""
    return await ctx.value(
        """
        select author_type = 'task' from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=article_id,
    )


# The caller's id: a person, a person's grant to an app, an API key, or the trust that issued the keys of its
# CI jobs.
PROPOSER = """
    coalesce((select trust_id from api_keys where workspace_id = %(workspace)s and id = %(actor)s), %(actor)s)
"""


def actor_id(ctx: Ctx) -> str | None:
    return ctx.actor.connection or ctx.actor.id


async def insert(ctx: Ctx, row: dict[str, Any], origin: DraftOrigin) -> Draft:
    values = {
        **row,
        **origin_columns(origin),
        "bot_id": ctx.bot.id,
        "status": "pending",
        "source_url": origin.source_url,
        "author_type": ctx.actor.type,
        "author_name": ctx.actor.name,
        "asked_at": ctx.now,
        "created_at": ctx.now,
        "updated_at": ctx.now,
    }
    placeholders = ", ".join(f"%({name})s" for name in values)
    return await ctx.fetch_one(
        Draft,
        f"""
        with d as (
            insert into drafts (workspace_id, proposer_id, {", ".join(values)})
            values (%(workspace)s, {PROPOSER}, {placeholders})
            returning *)
        select {DRAFT} from d {JOIN}
        """,
        **values,
        actor=actor_id(ctx),
    )


async def is_proposer(ctx: Ctx, draft_id: str) -> bool:
    """True if the caller has proposed this draft."""
    is_own: bool | None = await ctx.value(
        f"select proposer_id = {PROPOSER} from drafts where workspace_id = %(workspace)s and id = %(id)s",
        id=draft_id,
        actor=actor_id(ctx),
    )
    return bool(is_own)


async def assign(ctx: Ctx, draft_id: str, person_id: str | None) -> None:
    await ctx.execute(
        """
        update drafts set assignee_id = %(person)s, asked_at = %(now)s, updated_at = %(now)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=draft_id,
        person=person_id,
    )


@dataclass(frozen=True, slots=True)
class FollowedDraft:
    """An approved draft with the people who want to know of its conflicts."""

    id: str
    title: str
    assignee_id: str | None
    approver_id: str | None


async def list_followers(ctx: Ctx, draft_ids: Sequence[str]) -> list[FollowedDraft]:
    return await ctx.all(
        FollowedDraft,
        f"""
        select d.id, coalesce(d.title, a.title) as title, d.assignee_id,
            (select p.id from people p where d.approved_by_type = 'person' and p.email = d.approved_by_name
            ) as approver_id
        {FROM} and d.id = any(%(ids)s) order by d.id
        """,
        ids=list(draft_ids),
    )


async def is_member(ctx: Ctx, person_id: str) -> bool:
    """True if a person may work in the workspace."""
    return await ctx.value(
        """
        select exists (
            select from memberships
            where workspace_id = %(workspace)s and person_id = %(person)s and disabled_at is null)
        """,
        person=person_id,
    )


# The person who removed a draft from the queue, and the time.
SETTLED = """
    updated_at = %(now)s, settled_at = %(now)s, settled_by_type = %(by_type)s, settled_by_name = %(by_name)s
"""


async def settle(
    ctx: Ctx,
    draft_id: str,
    status: DraftStatus,
    reason: str | None = None,
    comment: str | None = None,
    *,
    replaced_by: str | None = None,
) -> bool:
    """Remove the draft from the queue; exactly one of several concurrent calls returns True."""
    if status == "dismissed":
        await ctx.stamp_at_commit()
    row_count = await ctx.execute(
        f"""
        update drafts set status = %(status)s, dismissal_reason = %(reason)s,
            dismissal_comment = %(comment)s, replaced_by = %(replaced_by)s, {SETTLED}
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s and status = 'pending'
        """,
        id=draft_id,
        status=status,
        reason=reason,
        comment=comment,
        replaced_by=replaced_by,
        **settler_of(ctx),
    )
    return row_count == 1


async def lock_article_of_edit(ctx: Ctx, draft_id: str) -> None:
    """Lock the article of an edit, even a deleted one, before the draft, as every writer does."""
    await ctx.execute(
        """
        select from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.id = (
            select d.article_id from drafts d
            where d.bot_id = %(bot)s and d.workspace_id = %(workspace)s and d.id = %(id)s)
        for no key update
        """,
        id=draft_id,
    )


async def lock_article(ctx: Ctx, article_id: str) -> None:
    """Lock an article, even a deleted one, before its drafts, as every writer does."""
    await ctx.execute(
        """
        select from articles a
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.id = %(id)s for no key update
        """,
        id=article_id,
    )


def settler_of(ctx: Ctx) -> dict[str, Any]:
    return {"now": ctx.now, "by_type": ctx.actor.type, "by_name": ctx.actor.name}


async def set_versions(ctx: Ctx, draft_id: str, replaced_version: int, applied_version: int) -> None:
    """Record the article's versions before and after applying a draft, so that it can be reopened."""
    await ctx.execute(
        """
        update drafts set replaced_version = %(replaced)s, applied_version = %(applied)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=draft_id,
        replaced=replaced_version,
        applied=applied_version,
    )


async def reopen(ctx: Ctx, draft_id: str) -> None:
    """Put a settled draft back into the queue, without approval."""
    await ctx.stamp_at_commit()
    await ctx.execute(
        f"""
        update drafts set status = 'pending', updated_at = %(now)s, settled_at = null,
            settled_by_type = null, settled_by_name = null, dismissal_reason = null,
            dismissal_comment = null, replaced_by = null, replaced_version = null,
            applied_version = null, {NO_APPROVAL}
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=draft_id,
    )


NO_APPROVAL = "approved_by_type = null, approved_by_name = null, approved_at = null"


async def approve(ctx: Ctx, draft_id: str, all_versions: bool) -> None:
    """Record who approved the draft for a release, and whether it changes all versions of its article."""
    await ctx.execute(
        """
        update drafts set updated_at = %(now)s, approved_at = %(now)s, approved_by_type = %(by_type)s,
            approved_by_name = %(by_name)s, changes_all_versions = %(all_versions)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
        id=draft_id,
        all_versions=all_versions,
        **settler_of(ctx),
    )


async def rebase(ctx: Ctx, draft: DraftTexts, text: TitledText, counts: TextDiff) -> None:
    """Make a text, based on the article's current text, the proposal of a pending edit."""
    await ctx.execute(
        """
        update drafts set title = %(title)s, content_markdown = %(content)s, base_version = %(version)s,
            base_title = %(base_title)s, base_markdown = %(base_content)s, additions = %(additions)s,
            deletions = %(deletions)s
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s
        """,
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
    await change_columns(ctx, draft_id, line_columns(lines))


def line_columns(lines: ProvenLines) -> dict[str, Any]:
    return {"edited_lines": lines.edited_lines, "evidence": Jsonb(lines.evidence)}


async def withdraw_approvals(ctx: Ctx, draft_ids: Sequence[str]) -> None:
    await ctx.execute(
        f"""
        update drafts set updated_at = %(now)s, {NO_APPROVAL}
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(ids)s) and status = 'pending'
        """,
        ids=list(draft_ids),
    )


async def change_columns(ctx: Ctx, draft_id: str, changes: dict[str, Any]) -> bool:
    """Change columns of a pending draft; return True if it was still pending."""
    assignments = ", ".join([*(f"{name} = %({name})s" for name in changes), "updated_at = %(now)s"])
    row_count = await ctx.execute(
        f"""
        update drafts set {assignments}
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s and status = 'pending'
        """,
        id=draft_id,
        **changes,
    )
    return row_count == 1


async def change_text(ctx: Ctx, draft_id: str, changes: dict[str, Any]) -> bool:
    """Change columns of a pending edit and revoke its approval; return True if it was still pending."""
    no_approval = {"approved_by_type": None, "approved_by_name": None, "approved_at": None}
    return await change_columns(ctx, draft_id, changes | no_approval)

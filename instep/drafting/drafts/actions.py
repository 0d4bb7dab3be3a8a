"""Operations on drafts: propose, read, change, apply, dismiss."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from instep.content.articles.actions import delete_article
from instep.content.articles.body_schemas import ArticleCreate
from instep.content.articles.schemas import Article, TextSource
from instep.content.articles.texts import create_for_review, find_article, replace_text
from instep.drafting.drafts import change_queries, queries
from instep.drafting.drafts.applying import NoChanges, apply_pending
from instep.drafting.drafts.assigning import notify_proposer
from instep.drafting.drafts.assignment import choose_assignee
from instep.drafting.drafts.changing import change_proposal
from instep.drafting.drafts.digest import schedule_digest
from instep.drafting.drafts.hunks import SIDES
from instep.drafting.drafts.merging import merged_content
from instep.drafting.drafts.pending import (
    DraftNotPending,
    find_draft,
    find_pending,
    lock_article,
    lock_pending,
    not_pending,
)
from instep.drafting.drafts.proposals import EditProposal, NewArticle, Statement
from instep.drafting.drafts.reviewing import review_warnings
from instep.drafting.drafts.schemas import (
    Draft,
    DraftApply,
    DraftCreate,
    DraftDetail,
    DraftDismiss,
    DraftTexts,
    DraftType,
    DraftUpdate,
    draft_item_out,
)
from instep.drafting.drafts.suppressed_schemas import Dismissal
from instep.drafting.drafts.suppression import hold_back
from instep.notifications.inbox.actions import notify
from instep.notifications.inbox.schemas import NoticeSubject
from instep.notifications.webhooks.emit import emit
from instep.notifications.webhooks.schemas import EventKind
from instep.platform.core.errors import InsufficientScope, InvalidState
from instep.platform.core.ids import DRAFT_PREFIXES, new_id
from instep.platform.core.markdown import Format, render_bounded
from instep.platform.core.paging import Page, PageRequest
from instep.platform.identity.access import proposes, writes
from instep.platform.identity.schemas import Ctx
from instep.platform.text.diff import compare

NO_REASON = DraftDismiss()

Row = TypeVar("Row", bound=Draft)


async def list_drafts(
    ctx: Ctx, draft_type: DraftType | None, article_ref: str | None, page: PageRequest
) -> Page[Draft]:
    """List everything that awaits review, newest first.

    If an edit's article has changed since, its counts are those of applying it to the current text, as in the
    detail; for large texts they are the counts against the text that the edit was based on.
    """
    article_id = (await find_article(ctx, article_ref)).id if article_ref is not None else None
    drafts = await queries.list_pending(ctx, draft_type, article_id, page)
    return Page(await _with_live_counts(ctx, drafts.rows), drafts.next_cursor)


async def list_article_drafts(ctx: Ctx, article_ref: str, page: PageRequest) -> Page[Draft]:
    """List the pending edits of an article, newest first."""
    return await list_drafts(ctx, "edit", article_ref, page)


async def find_proposed(ctx: Ctx, texts: Mapping[str, str]) -> set[str]:
    """The ids of articles that have a pending edit to exactly this text; `texts` are by article id."""
    return await queries.find_proposed(ctx, texts) if texts else set()


async def get_draft(ctx: Ctx, draft_id: str, format: Format = "markdown") -> DraftDetail:
    """Get a draft with everything that a reviewer needs to decide, even after the decision.

    A pending edit has the diff that applying it would make, its conflict and its evidence. A settled edit has
    the diff against the text that it was based on. The text of a new article is that of its unpublished
    article.
    """
    draft = await find_draft(ctx, draft_id)
    content = await render_bounded(draft.content) if format == "html" else draft.content
    if draft.type != "edit":
        return DraftDetail(draft, content, None, None)
    merged = await merged_content(draft)
    result = draft.content if merged is None else merged
    diff = await compare(draft.compared_with, result, SIDES)
    warnings = [*draft.warnings, *await review_warnings(ctx, draft, merged)]
    draft = replace(draft, additions=diff.additions, deletions=diff.deletions, warnings=warnings)
    return DraftDetail(draft, content, diff.diff, merged)


@proposes
async def propose_edit(
    ctx: Ctx, article_ref: str, new: DraftCreate, format: Format = "markdown"
) -> DraftDetail:
    """Propose new text for an article. The live text stays until someone applies the draft."""
    article = await find_article(ctx, article_ref)
    sent = new.model_dump()
    proposal = EditProposal(
        content=new.content_markdown,
        base_version=article.version,
        base_title=article.title,
        base_content=article.content,
        title=sent["title"] if sent.get("title", article.title) != article.title else None,
        reason=sent.get("reason"),
        source_url=sent.get("source_url") or None,
    )
    if proposal.title is None and proposal.content == article.content:
        raise NoChanges
    draft = await queue_edit(ctx, article.id, proposal)
    return await get_draft(ctx, draft.id, format)


async def insert_edit(ctx: Ctx, article_id: str, proposal: EditProposal) -> Draft:
    """Store an edit that waits for review, without an event."""
    counts = await compare(proposal.base_content, proposal.content, SIDES)
    assignee_id = await choose_assignee(ctx, article_id, proposal.task_id)
    return await queries.insert_edit(ctx, article_id, proposal, counts, assignee_id)


async def queue_edit(ctx: Ctx, article_id: str, proposal: EditProposal) -> Draft:
    """Put an edit, based on the text that the proposal names, into the review queue."""
    draft = await insert_edit(ctx, article_id, proposal)
    await emit_proposal(ctx, draft)
    return draft


async def queue_new_article(ctx: Ctx, new: NewArticle) -> str:
    """Put a new article by the writer into the review queue; a later task for the same change renews it."""
    if new.source_url is not None:
        await change_queries.lock_change(ctx, new.source_url)
        draft_id = await change_queries.find_pending_new(ctx, new)
        if draft_id is not None and await _renew_new_article(ctx, draft_id, new):
            return draft_id
    return await _queue_new(ctx, "new_article", new)


async def _renew_new_article(ctx: Ctx, draft_id: str, new: NewArticle) -> bool:
    """Give a pending draft the text of a later task, unless a person has edited it.

    Return True if the draft is still pending.
    """
    try:
        draft = await find_pending(ctx, draft_id)
        article = await lock_article(ctx, draft)
    except (DraftNotPending, InvalidState):
        return False
    is_same = (article.title, article.content) == (new.title, new.content)
    if is_same or not await _is_as_the_service_wrote_it(ctx, article):
        return await change_queries.follow_task(ctx, draft_id, new.task_id)
    if not await change_queries.renew_new(ctx, draft_id, new):
        return False
    await replace_text(ctx, article, new.title, new.content, TextSource("update", draft_id))
    return True


async def _is_as_the_service_wrote_it(ctx: Ctx, article: Article) -> bool:
    """True if the article still has the text that the writer gave it, live or not."""
    return not article.has_unpublished_changes and await queries.was_written_by_service(ctx, article.id)


async def queue_gap_draft(ctx: Ctx, new: NewArticle) -> str:
    """Put an article that answers visitors' questions into the review queue."""
    return await _queue_new(ctx, "gap_draft", new)


async def _queue_new(ctx: Ctx, draft_type: DraftType, new: NewArticle) -> str:
    draft_id = new_id(DRAFT_PREFIXES[draft_type])
    fields: dict[str, Any] = {
        "title": new.title,
        "contentMarkdown": new.content,
        "collectionId": new.collection_id,
    }
    fields |= {"locale": new.locale} if new.locale is not None else {}
    fields |= {"description": new.description} if new.description is not None else {}
    fields |= {"sinceVersion": new.since_version} if new.since_version is not None else {}
    fields |= {"untilVersion": new.until_version} if new.until_version is not None else {}
    if original := new.original:
        fields |= {
            "translationOf": original.id,
            "visibility": original.visibility,
            "position": original.position,
        }
    article = await create_for_review(
        ctx, ArticleCreate.model_validate(fields), TextSource("create", draft_id)
    )
    assignee_id = await choose_assignee(ctx, article.id, new.task_id)
    draft = await queries.insert_new(ctx, draft_id, draft_type, article.id, new, assignee_id)
    await emit_proposal(ctx, draft)
    return draft_id


async def renew_gap_draft(ctx: Ctx, draft_id: str, new: NewArticle) -> None:
    """Add visitors' later questions to a pending draft; a text that a person has edited stays."""
    try:
        article = await lock_article(ctx, await find_pending(ctx, draft_id))
    except (DraftNotPending, InvalidState):
        return
    if await queries.renew(ctx, draft_id, new) and await _is_as_the_service_wrote_it(ctx, article):
        await replace_text(ctx, article, article.title, new.content, TextSource("update", draft_id))


async def emit_proposal(ctx: Ctx, draft: Draft) -> None:
    """Publish the event of a new draft, with the counts that the queue shows."""
    kind: EventKind = "edit.proposed" if draft.type == "edit" else "draft.created"
    [counted] = await _with_live_counts(ctx, [draft])
    await emit(ctx, kind, draft_item_out(counted))
    if draft.status == "pending":
        await schedule_digest(ctx)
        if draft.task_id is None:
            await notify(ctx, [draft.assignee_id], "assigned", NoticeSubject(draft.id, draft.title))


@proposes
async def update_draft(
    ctx: Ctx, draft_id: str, update: DraftUpdate, format: Format = "markdown"
) -> DraftDetail:
    """Change the title or the text of a pending draft; this changes nothing live.

    With the scope `content:propose` a caller can only change drafts that it proposed itself.
    """
    draft = await lock_pending(ctx, draft_id)
    if not ctx.actor.can_write and not await queries.is_proposer(ctx, draft.id):
        raise InsufficientScope(
            "This API key or app can only change drafts that it has proposed: use one with `content:write`."
        )
    await change_proposal(ctx, draft, update)
    return await get_draft(ctx, draft.id, format)


@writes
async def apply_draft(
    ctx: Ctx, draft_id: str, request: DraftApply, if_match: str | None = None, *, seen: str | None = None
) -> Draft:
    """Apply a draft: an edit to a live article goes live immediately, a new article is published.

    If the article has changed since, both changes are merged; `onConflict` chooses otherwise. An edit that
    the article already contains is refused: dismiss it. The replaced text is kept as a revision. `hunks`
    applies only a part of an edit's diff. With `when` set to `release` nothing goes live yet: the approval
    is recorded, and editing the draft revokes it. `If-Match` is the ETag of the draft's article.
    """
    return await apply_pending(ctx, draft_id, request, if_match, seen=seen)


@writes
async def dismiss_draft(
    ctx: Ctx, draft_id: str, request: DraftDismiss = NO_REASON, *, replaced_by: str | None = None
) -> Draft:
    """Remove a draft from the queue.

    The article of an edit stays as it is, a new article moves to Recently deleted. After the reasons
    `not_needed`, `wrong_article` and `wrong_text` no later task proposes the same for the article again.
    """
    draft = await find_pending(ctx, draft_id)
    if draft.type == "edit":
        await queries.lock_article_of_edit(ctx, draft.id)
    else:
        await lock_article(ctx, draft)
    sent = request.model_dump()
    reason, comment = sent.get("reason"), sent.get("comment")
    if not await queries.settle(ctx, draft.id, "dismissed", reason, comment, replaced_by=replaced_by):
        raise not_pending(await find_draft(ctx, draft.id))
    if draft.type != "edit":
        await delete_article(ctx, draft.article_id)
    await hold_back(ctx, _dismissal_of(draft), reason, comment)
    await notify_proposer(ctx, draft, "dismissed", comment)
    return replace(draft, status="dismissed")


def _dismissal_of(draft: DraftTexts) -> Dismissal:
    statements = [Statement(**statement) for statement in draft.statements]
    return Dismissal(draft.article_id if draft.type == "edit" else None, statements, draft_id=draft.id)


async def _with_live_counts(ctx: Ctx, rows: Sequence[Row]) -> list[Row]:
    """Recount only drafts that are cheap to compare; a list must not wait for the others."""
    conflict_ids = [row.id for row in rows if row.conflict]
    if not conflict_ids:
        return list(rows)
    texts = await queries.find_mergeable(ctx, conflict_ids)
    return [await _recount(row, texts[row.id]) if row.id in texts else row for row in rows]


async def _recount(row: Row, texts: DraftTexts) -> Row:
    merged = await merged_content(texts)
    diff = await compare(texts.compared_with, texts.content if merged is None else merged, SIDES)
    return replace(row, additions=diff.additions, deletions=diff.deletions)

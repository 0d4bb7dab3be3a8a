"""What can be done with drafts: propose, read, change, apply, dismiss."""

from dataclasses import replace
from typing import Any

from pydantic import MISSING

from instep.articles.actions import delete_article
from instep.articles.schemas import Article, ArticleCreate, Source
from instep.articles.texts import create_for_review, find_article, publish_text, replace_text
from instep.core.diff import compare
from instep.core.errors import AppError, InvalidState, InvalidValue, NotFound
from instep.core.etags import refuse_stale
from instep.core.ids import DRAFT_PREFIXES, new_id
from instep.core.markdown import Format, render_bounded
from instep.core.paging import Page, PageRequest
from instep.drafts import queries
from instep.drafts.merging import ALL_IS_LIVE, merged_content, text_to_apply, what_is_taken_away
from instep.drafts.reviewing import warnings_of
from instep.drafts.schemas import (
    ArticleText,
    Draft,
    DraftApply,
    DraftCreate,
    DraftDetail,
    DraftTexts,
    DraftType,
    DraftUpdate,
    NewArticle,
    Proposal,
    draft_item_out,
)
from instep.identity.access import writes
from instep.identity.schemas import Ctx
from instep.webhooks.emit import emit
from instep.webhooks.schemas import EventKind

# The names of the texts in a diff.
SIDES = ("live", "proposed")


class NoChanges(AppError):
    """The proposal is equal to the article's present text and title: there is nothing to review."""

    code = "no_changes"


class DraftNotPending(AppError):
    """The draft has been applied or dismissed already."""

    code = "draft_not_pending"


async def list_drafts(
    ctx: Ctx, draft_type: DraftType | None, article_ref: str | None, page: PageRequest
) -> Page[Draft]:
    """List everything that awaits review, newest first.

    The counts of an edit whose article has changed since are those of what applying makes of its present
    text, as in the detail; of large texts they are those against the text that the edit was made against.
    """
    article_id = (await find_article(ctx, article_ref)).id if article_ref is not None else None
    listed = await queries.list_pending(ctx, draft_type, article_id, page)
    return Page(await with_live_counts(ctx, listed.rows), listed.next_cursor)


async def list_article_drafts(ctx: Ctx, article_ref: str, page: PageRequest) -> Page[Draft]:
    """List the pending edits of an article, newest first."""
    return await list_drafts(ctx, "edit", article_ref, page)


async def get_draft(ctx: Ctx, draft_id: str, format: Format = "markdown") -> DraftDetail:
    """Get a draft, whatever has become of it, with all that a reviewer decides by.

    An edit comes with the diff from the live article to what applying makes of it, its conflict and its
    evidence; once settled with its diff against the text that it was made against. A new article's text is
    that of the article behind it.
    """
    draft = await find_draft(ctx, draft_id)
    content = await render_bounded(draft.content) if format == "html" else draft.content
    if draft.type != "edit":
        return DraftDetail(draft, content, None, None)
    merged = await merged_content(draft)
    result = draft.content if merged is None else merged
    against = await compare(draft.compared_with, result, SIDES)
    warnings = [*draft.warnings, *await warnings_of(ctx, draft, merged)]
    counted = replace(draft, additions=against.additions, deletions=against.deletions, warnings=warnings)
    return DraftDetail(counted, content, against.diff, merged)


@writes
async def propose_edit(
    ctx: Ctx, article_ref: str, new: DraftCreate, format: Format = "markdown"
) -> DraftDetail:
    """Propose another text for an article. The live text stays until someone applies the draft."""
    article = await find_article(ctx, article_ref)
    sent = new.model_dump()
    proposal = Proposal(
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
    await tell_proposal(ctx, draft)
    return await get_draft(ctx, draft.id, format)


async def queue_edit(ctx: Ctx, article_id: str, proposal: Proposal) -> Draft:
    """Put an edit into the review queue."""
    counts = await compare(proposal.base_content, proposal.content, SIDES)
    return await queries.insert_edit(ctx, article_id, proposal, counts)


async def queue_edit_of_task(ctx: Ctx, article_id: str, proposal: Proposal) -> None:
    """Put a task's edit into the queue; of all tasks of one change the latest one's stays there."""
    if proposal.source_url is None:
        await tell_proposal(ctx, await queue_edit(ctx, article_id, proposal))
        return
    # Two of them may end at once: the second waits here, and then sees the other's draft.
    await queries.lock_change(ctx, proposal.source_url)
    draft = await queue_edit(ctx, article_id, proposal)
    if draft.id in await queries.dismiss_superseded(ctx, article_id, proposal.source_url):
        draft = replace(draft, status="dismissed", conflict=False)
    await tell_proposal(ctx, draft)


async def queue_new_article(ctx: Ctx, new: NewArticle) -> str:
    """Put a new article that the service wrote into the review queue."""
    return await queue_new(ctx, "new_article", new)


async def queue_gap_draft(ctx: Ctx, new: NewArticle) -> str:
    """Put an article that answers visitors' questions into the review queue."""
    return await queue_new(ctx, "gap_draft", new)


async def queue_new(ctx: Ctx, draft_type: DraftType, new: NewArticle) -> str:
    draft_id = new_id(DRAFT_PREFIXES[draft_type])
    words = {"title": new.title, "contentMarkdown": new.content, "collectionId": new.collection_id}
    words |= {"locale": new.locale} if new.locale is not None else {}
    article = await create_for_review(ctx, ArticleCreate.model_validate(words), Source("create", draft_id))
    draft = await queries.insert_new(ctx, draft_id, draft_type, article.id, new)
    await tell_proposal(ctx, draft)
    return draft_id


async def renew_gap_draft(ctx: Ctx, draft_id: str, new: NewArticle) -> None:
    """Let a draft that waits take in what visitors asked since; a text that somebody has edited stays."""
    try:
        article = await lock_article(ctx, await find_pending(ctx, draft_id))
    except (DraftNotPending, InvalidState):
        return
    if await queries.renew(ctx, draft_id, new) and await queries.is_of_service(ctx, article.id):
        await replace_text(ctx, article, article.title, new.content, Source("update", draft_id))


async def tell_proposal(ctx: Ctx, draft: Draft) -> None:
    """Emit the event of a draft that was made, with the counts that the queue shows."""
    kind: EventKind = "edit.proposed" if draft.type == "edit" else "draft.created"
    [shown] = await with_live_counts(ctx, [draft])
    await emit(ctx, kind, draft_item_out(shown))


@writes
async def update_draft(
    ctx: Ctx, draft_id: str, update: DraftUpdate, format: Format = "markdown"
) -> DraftDetail:
    """Change the title or the text of a pending draft; nothing goes live by it."""
    draft = await find_pending(ctx, draft_id)
    if draft.type == "edit":
        await change_edit(ctx, draft, update)
    else:
        await change_new(ctx, draft, update)
    return await get_draft(ctx, draft.id, format)


async def change_edit(ctx: Ctx, draft: DraftTexts, update: DraftUpdate) -> None:
    changes = changed_columns(draft, update)
    if not changes:
        return
    content = changes.get("content_markdown", draft.content)
    if content == draft.current_content and changes.get("title", draft.own_title) is None:
        raise NoChanges
    counts = await compare(draft.base_content, content, SIDES)
    changes |= {"additions": counts.additions, "deletions": counts.deletions}
    # Somebody may have settled it since it was read: the row decides.
    if not await queries.change(ctx, draft.id, changes):
        raise DraftNotPending


async def change_new(ctx: Ctx, draft: DraftTexts, update: DraftUpdate) -> None:
    article = await lock_article(ctx, draft)
    # Whoever settles it locks the article too: what is pending now stays so.
    await find_pending(ctx, draft.id)
    sent = update.model_dump()
    title, content = sent.get("title", article.title), sent.get("content_markdown", article.content)
    if (title, content) == (article.title, article.content):
        return
    await queries.change(ctx, draft.id, {})
    await replace_text(ctx, article, title, content, Source("update", draft.id))


@writes
async def apply_draft(ctx: Ctx, draft_id: str, wish: DraftApply, if_match: str | None = None) -> Draft:
    """Make a draft's text the article's: an edit is live at once if its article is, a new article goes live.

    Where the article has changed since, both changes are merged; `onConflict` chooses otherwise. An edit that
    is in the article already is refused: dismiss it. The text that an edit replaces is kept as a revision.
    `If-Match` takes the ETag of the draft's article.
    """
    draft = await find_pending(ctx, draft_id)
    refuse_text_of_new(draft, wish)
    # The article is locked first, as every writer of it does, so that two of them can't wait for each other.
    article = await lock_article(ctx, draft)
    # Somebody may have changed or settled it since it was read.
    draft = await find_pending(ctx, draft_id, lock=True)
    refuse_stale(if_match, article.etag)
    text = await text_to_apply(draft, wish)
    await queries.settle(ctx, draft.id, "applied")
    source = Source("apply", draft.id)
    if draft.type != "edit":
        await publish_text(ctx, article, text.title, text.content, source)
    else:
        await replace_live_text(ctx, article, draft, text)
    return replace(draft, status="applied")


async def replace_live_text(ctx: Ctx, article: Article, draft: DraftTexts, text: ArticleText) -> None:
    """Apply an edit, and warn of what it takes away: only an overwrite takes away anything."""
    if text == draft.live:
        raise NoChanges(ALL_IS_LIVE)
    if draft.conflict:
        ctx.warnings.extend(await what_is_taken_away(draft, text))
    await replace_text(ctx, article, text.title, text.content, Source("apply", draft.id))


@writes
async def dismiss_draft(ctx: Ctx, draft_id: str) -> Draft:
    """Take a draft out of the queue.

    The article of an edit stays as it is, a new article moves to Recently deleted.
    """
    draft = await find_pending(ctx, draft_id)
    if draft.type != "edit":
        await lock_article(ctx, draft)
    if not await queries.settle(ctx, draft.id, "dismissed"):
        raise DraftNotPending
    if draft.type != "edit":
        await delete_article(ctx, draft.article_id)
    return replace(draft, status="dismissed")


async def lock_article(ctx: Ctx, draft: DraftTexts) -> Article:
    """The article of a pending draft, locked; whoever waits here may find the draft settled."""
    try:
        return await find_article(ctx, draft.article_id, lock=True)
    except NotFound:
        if (await find_draft(ctx, draft.id)).status != "pending":
            raise DraftNotPending from None
        raise InvalidState("The article of this draft is deleted: restore it first.") from None


def refuse_text_of_new(draft: Draft, wish: DraftApply) -> None:
    if draft.type != "edit" and wish.content_markdown is not MISSING:
        message = "only the text of an edit can be replaced here: change this draft with PATCH first"
        raise InvalidValue("contentMarkdown", message)


def changed_columns(draft: DraftTexts, update: DraftUpdate) -> dict[str, Any]:
    """The columns that the fields sent really change; a title equal to the article's is none of its own."""
    sent: dict[str, Any] = update.model_dump()
    if sent.get("title") == draft.article_title:
        sent["title"] = None
    old = {"title": draft.own_title, "content_markdown": draft.content}
    return {name: value for name, value in sent.items() if old[name] != value}


async def find_pending(ctx: Ctx, draft_id: str, *, lock: bool = False) -> DraftTexts:
    draft = await find_draft(ctx, draft_id, lock=lock)
    if draft.status != "pending":
        raise DraftNotPending
    return draft


async def find_draft(ctx: Ctx, draft_id: str, *, lock: bool = False) -> DraftTexts:
    draft = await queries.find(ctx, draft_id, lock=lock)
    if draft is None:
        raise NotFound("There is no such draft.")
    return draft


async def with_live_counts(ctx: Ctx, rows: list[Draft]) -> list[Draft]:
    """Count anew what is compared in no time: a list can't wait for the rest."""
    changed = [row.id for row in rows if row.conflict]
    if not changed:
        return rows
    texts = await queries.find_small(ctx, changed)
    return [await recount(row, texts[row.id]) if row.id in texts else row for row in rows]


async def recount(row: Draft, texts: DraftTexts) -> Draft:
    merged = await merged_content(texts)
    against = await compare(texts.compared_with, texts.content if merged is None else merged, SIDES)
    return replace(row, additions=against.additions, deletions=against.deletions)

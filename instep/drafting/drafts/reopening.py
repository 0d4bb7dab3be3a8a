"""Undoes applying or dismissing a draft: it is pending again, and its article is restored."""

from dataclasses import replace

from instep.content.articles.actions import restore_article
from instep.content.articles.revision_schemas import Revision
from instep.content.articles.schemas import Article, TextSource
from instep.content.articles.texts import back_to_review, find_article, replace_text, text_of_version
from instep.drafting.drafts import queries
from instep.drafting.drafts.pending import find_draft
from instep.drafting.drafts.schemas import Draft, DraftTexts
from instep.drafting.drafts.suppression import lift_for
from instep.drafting.drafts.translated_versions import note_versions
from instep.platform.core.errors import Conflict, InvalidState, NotFound
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx

CHANGED_SINCE = (
    "The article has changed since this draft was applied: restore a revision of the article, or propose"
    " another edit."
)
NOT_KEPT = "The text that this draft replaced is no longer kept: restore a revision of the article instead."


@writes
async def reopen_draft(ctx: Ctx, draft_id: str) -> Draft:
    """Put an applied or dismissed draft into the review queue again.

    An applied edit's article gets its previous text back, if it still has the applied one; a new
    article goes back into review, or comes back from Recently deleted. Dismissed statements may be
    proposed again. A pending draft is refused with 400 `invalid_state`.
    """
    before = await find_draft(ctx, draft_id)
    if before.status == "pending":
        raise InvalidState("The draft is already pending.")
    if before.type != "edit" and before.status == "dismissed":
        await _restore_if_deleted(ctx, before)
    article = await _lock_article(ctx, before)
    # Another call may have reopened the draft during the wait for its article.
    draft = await find_draft(ctx, draft_id, lock=True)
    if draft.status != before.status:
        raise InvalidState("The draft has already been reopened.")
    await queries.reopen(ctx, draft.id)
    if draft.status == "applied":
        await _take_back(ctx, article, draft)
        await note_versions(ctx, article.id, draft.statement_keys, is_undone=True)
    elif draft.type != "edit":
        await _review_again(ctx, article, draft)
    await lift_for(ctx, draft_id=draft.id)
    return replace(draft, status="pending")


async def _restore_if_deleted(ctx: Ctx, draft: DraftTexts) -> None:
    try:
        await find_article(ctx, draft.article_id)
    except NotFound:
        await restore_article(ctx, draft.article_id)


async def _lock_article(ctx: Ctx, draft: DraftTexts) -> Article:
    try:
        return await find_article(ctx, draft.article_id, lock=True)
    except NotFound:
        raise InvalidState("The article of this draft is deleted: restore it first.") from None


async def _take_back(ctx: Ctx, article: Article, draft: DraftTexts) -> None:
    """Give the article the text that the draft replaced."""
    text = await _replaced_text(ctx, article, draft)
    source = TextSource("restore", draft.id)
    if draft.type != "edit":
        await back_to_review(ctx, article, text.title, text.content, source)
    elif (text.title, text.content) != (article.title, article.content):
        await replace_text(ctx, article, text.title, text.content, source)


async def _replaced_text(ctx: Ctx, article: Article, draft: DraftTexts) -> Article | Revision:
    if draft.replaced_version is None or draft.applied_version is None:
        raise InvalidState(NOT_KEPT)
    applied = await text_of_version(ctx, article, draft.applied_version)
    if applied is None or (applied.title, applied.content) != (article.title, article.content):
        raise Conflict(CHANGED_SINCE)
    text = await text_of_version(ctx, article, draft.replaced_version)
    if text is None:
        raise Conflict(NOT_KEPT)
    # There is nothing to undo if the draft changed nothing.
    return article if draft.replaced_version == draft.applied_version else text


async def _review_again(ctx: Ctx, article: Article, draft: DraftTexts) -> None:
    if article.status != "draft":
        raise InvalidState("The article of this draft is already published: propose an edit to it instead.")
    await back_to_review(ctx, article, article.title, article.content, TextSource("restore", draft.id))

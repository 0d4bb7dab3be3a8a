"""Pending drafts: find one, lock its article, and refuse one that is already settled."""

from instep.content.articles.schemas import Article
from instep.content.articles.texts import find_article
from instep.drafting.drafts import queries
from instep.drafting.drafts.schemas import Draft, DraftTexts
from instep.platform.core.errors import AppError, Conflict, InvalidState, NotFound
from instep.platform.identity.schemas import Ctx


class DraftNotPending(AppError):
    """The draft has been applied or dismissed already."""

    code = "draft_not_pending"


class ProposalChanged(Conflict):
    """Someone changed this proposal while you viewed it, so nothing was applied: review it again."""


async def find_draft(ctx: Ctx, draft_id: str, *, lock: bool = False) -> DraftTexts:
    draft = await queries.find(ctx, draft_id, lock=lock)
    if draft is None:
        raise NotFound.of("draft")
    return draft


async def lock_draft(ctx: Ctx, draft_id: str) -> DraftTexts:
    """A draft, locked after its article as every writer does, so that there is no deadlock."""
    await queries.lock_article_of_edit(ctx, draft_id)
    return await find_draft(ctx, draft_id, lock=True)


async def lock_pending(ctx: Ctx, draft_id: str) -> DraftTexts:
    """A draft that waits, locked with its article until the transaction ends."""
    draft = await lock_draft(ctx, draft_id)
    if draft.status != "pending":
        raise not_pending(draft)
    return draft


async def find_pending(ctx: Ctx, draft_id: str, *, lock: bool = False) -> DraftTexts:
    draft = await find_draft(ctx, draft_id, lock=lock)
    if draft.status != "pending":
        raise not_pending(draft)
    return draft


async def lock_article(ctx: Ctx, draft: DraftTexts) -> Article:
    """The locked article of a pending draft; raises `DraftNotPending` if it was settled in the meantime."""
    try:
        return await find_article(ctx, draft.article_id, lock=True)
    except NotFound:
        settled = await find_draft(ctx, draft.id)
        if settled.status != "pending":
            raise not_pending(settled) from None
        raise InvalidState("The article of this draft is deleted: restore it first.") from None


def not_pending(draft: Draft) -> DraftNotPending:
    """The error for a settled draft, which says who settled it and when, if known."""
    if draft.settled_at is None or draft.settled_by_name is None:
        return DraftNotPending(f"The draft has already been {draft.status}.")
    when = f"{draft.settled_at:%Y-%m-%d at %H:%M} UTC"
    successor = f"; {draft.replaced_by} replaced it" if draft.replaced_by else ""
    return DraftNotPending(
        f"The draft was already {draft.status} by {draft.settled_by_name} on {when}{successor}."
    )

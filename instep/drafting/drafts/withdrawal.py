"""Withdraws drafts of a code change because a later change reverts or drops them."""

from collections.abc import Sequence

from instep.drafting.drafts import change_queries
from instep.drafting.drafts.actions import dismiss_draft
from instep.drafting.drafts.pending import DraftNotPending
from instep.drafting.drafts.renewing import give_back, warn_continuing
from instep.drafting.drafts.schemas import DraftDismiss
from instep.platform.identity.schemas import Ctx

DROPPED = "A later version of the same change no longer requires this: compare it with the code first."
NO_LONGER = "A later version of the same change no longer requires this."
ABANDONED = "Its change was closed without being merged: compare it with the code first."
REVERTED = "A later change reverts the one that required this: compare it with the code first."


async def dismiss_reverted(ctx: Ctx, title: str, url_patterns: Sequence[str], task_id: str) -> None:
    """Remove the pending drafts of a change that a task's change reverts from the queue.

    A draft that a person has edited stays, with a warning.
    """
    drafts = await change_queries.find_pending_of_change(ctx, title, url_patterns, task_id)
    await change_queries.add_warning(ctx, [row.id for row in drafts if row.is_edited], REVERTED)
    for row in drafts:
        if not row.is_edited:
            await dismiss_pending(ctx, row.id, f"The later change “Revert {title}” reverts this.")


async def dismiss_abandoned(ctx: Ctx, source_url: str) -> None:
    """Remove the pending drafts of a change that was closed without being merged from the queue.

    A draft that a person has edited or approved stays, with a warning that revokes the approval.
    """
    drafts = await change_queries.find_pending_of_source(ctx, source_url)
    kept_ids = [row.id for row in drafts if row.is_edited or row.is_kept]
    await change_queries.add_warning(ctx, kept_ids, ABANDONED)
    for row in drafts:
        if row.id not in kept_ids:
            await dismiss_pending(ctx, row.id, "Its change was closed without being merged.")


async def warn_of(ctx: Ctx, draft_id: str, warning: str) -> None:
    """Add a warning to a pending draft, which revokes its approval."""
    await change_queries.add_warning(ctx, [draft_id], warning)


async def settle_dropped(
    ctx: Ctx, source_url: str, task_id: str, article_ids: Sequence[str], *, is_repeatable: bool
) -> int:
    """Settle the pending drafts of a change that its latest task no longer makes; return how many.

    `article_ids` are the articles that the task read without editing them. A draft that a person edited or
    approved stays, with a warning that revokes the approval. So do all drafts of a task that is not
    repeatable, because a language model may have omitted this time what it proposed before. A draft of
    another change that is based on a dropped draft gets a warning.
    """
    drafts = await change_queries.find_dropped(ctx, source_url, task_id, article_ids, DROPPED)
    dismissable_ids = [row.id for row in drafts if is_repeatable and not row.is_edited and not row.is_kept]
    kept_ids = [row.id for row in drafts if row.id not in dismissable_ids]
    await change_queries.add_warning(ctx, kept_ids, DROPPED)
    await warn_continuing(ctx, await change_queries.list_continued(ctx, article_ids, source_url))
    return sum([await dismiss_pending(ctx, draft_id, NO_LONGER) for draft_id in dismissable_ids])


async def dismiss_pending(ctx: Ctx, draft_id: str, comment: str) -> bool:
    """Dismiss a draft; return False if someone has settled it in the meantime."""
    try:
        draft = await dismiss_draft(ctx, draft_id, DraftDismiss(comment=comment))
    except DraftNotPending:
        return False
    await give_back(ctx, [draft])
    return True

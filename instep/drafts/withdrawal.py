"""Drafts of a code change that leave the queue because of a later one: it reverts them, or drops them."""

from collections.abc import Sequence

from instep.drafts import change_queries
from instep.drafts.actions import dismiss_draft
from instep.drafts.pending import DraftNotPending
from instep.identity.schemas import Ctx

DROPPED = "A later state of the same change no longer calls for this: compare it with the code first."


async def dismiss_reverted(ctx: Ctx, title: str, url_patterns: Sequence[str], task_id: str) -> None:
    """Take the pending drafts of a change out of the queue that the change of a task reverts."""
    for draft_id in await change_queries.find_pending_of_change(ctx, title, url_patterns, task_id):
        await dismiss_pending(ctx, draft_id)


async def settle_dropped(
    ctx: Ctx, source_url: str, task_id: str, article_ids: Sequence[str], *, is_repeatable: bool
) -> int:
    """Settle the pending drafts of a change that its latest task no longer makes; the number dismissed.

    `article_ids` are those of the articles that the task has read. A draft that a person has edited or
    approved stays, with a warning. So does every one of a task that is not repeatable, since a language model
    may have left out this time what it proposed before.
    """
    drafts = await change_queries.find_dropped(ctx, source_url, task_id, article_ids)
    dismissable_ids = [row.id for row in drafts if is_repeatable and not row.is_touched]
    kept_ids = [row.id for row in drafts if row.id not in dismissable_ids]
    if kept_ids:
        await change_queries.add_warning(ctx, kept_ids, DROPPED)
    return sum([await dismiss_pending(ctx, draft_id) for draft_id in dismissable_ids])


async def dismiss_pending(ctx: Ctx, draft_id: str) -> bool:
    """Dismiss a draft; False if somebody has settled it in the meantime."""
    try:
        await dismiss_draft(ctx, draft_id)
    except DraftNotPending:
        return False
    return True

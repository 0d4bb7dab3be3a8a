"""Dismisses drafts of earlier file versions, whose texts are no longer in git."""

from instep.drafting.drafts.actions import dismiss_draft
from instep.drafting.drafts.pending import DraftNotPending, find_draft
from instep.platform.core.errors import NotFound
from instep.platform.identity.schemas import Ctx
from instep.transfer.git_sync.work import SyncWork


async def dismiss_forgotten(work: SyncWork) -> None:
    """Dismiss drafts that a restart left without a file, except those that a person edited or approved."""
    for draft_id in sorted(work.pending_drafts):
        draft = await find_draft(work.ctx, draft_id)
        if draft.updated_at == draft.created_at and draft.approved_at is None:
            await dismiss_former(work.ctx, draft_id)


async def dismiss_former(ctx: Ctx, draft_id: str) -> None:
    try:
        await dismiss_draft(ctx, draft_id)
    except (DraftNotPending, NotFound):
        # Someone settled it in the meantime.
        return

"""Decides on drafts of a source at once: applies the certain ones, or approves, applies or dismisses all."""

from collections.abc import Sequence

from instep.drafting.drafts import source_queries
from instep.drafting.drafts.actions import dismiss_draft
from instep.drafting.drafts.batches import apply_each, lock_articles
from instep.drafting.drafts.queue_schemas import BatchResult, SourceBatch
from instep.drafting.drafts.schemas import DraftApply
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx

FOR_RELEASE = DraftApply(when="release")


@writes
async def apply_certain(ctx: Ctx, source_key: str) -> SourceBatch:
    """Apply the certain drafts of a source, at most `MAX_SOURCE_DRAFTS`, in one transaction.

    A draft that changes lines which have changed in the article since stays pending, with its refusal.
    """
    await lock_articles(ctx, await source_queries.list_certain(ctx, source_key))
    drafts = await source_queries.list_certain(ctx, source_key)
    return SourceBatch(source_key, await apply_each(ctx, drafts))


@writes
async def approve_source(ctx: Ctx, source_key: str) -> SourceBatch:
    """Approve the pending drafts of a source, at most `MAX_SOURCE_DRAFTS`, for its release.

    A draft that changes lines which have changed in the article since stays without approval.
    """
    await lock_articles(ctx, await source_queries.list_unapproved(ctx, source_key))
    drafts = await source_queries.list_unapproved(ctx, source_key)
    return SourceBatch(source_key, await apply_each(ctx, drafts, FOR_RELEASE))


@writes
async def apply_proposals(ctx: Ctx, source_key: str, draft_ids: Sequence[str]) -> SourceBatch:
    """Apply the drafts of a source that a reviewer has seen, at most `MAX_SOURCE_DRAFTS`.

    A draft that changes lines which have changed in the article since stays pending, with its refusal.
    """
    await lock_articles(ctx, await source_queries.list_seen(ctx, source_key, draft_ids))
    drafts = await source_queries.list_seen(ctx, source_key, draft_ids)
    return SourceBatch(source_key, await apply_each(ctx, drafts))


@writes
async def dismiss_proposals(ctx: Ctx, source_key: str, draft_ids: Sequence[str]) -> SourceBatch:
    """Dismiss the drafts of a source that a reviewer has seen, at most `MAX_SOURCE_DRAFTS`."""
    await lock_articles(ctx, await source_queries.list_seen(ctx, source_key, draft_ids))
    drafts = await source_queries.list_seen(ctx, source_key, draft_ids)
    for draft in drafts:
        await dismiss_draft(ctx, draft.id)
    return SourceBatch(source_key, [BatchResult(draft, None) for draft in drafts])

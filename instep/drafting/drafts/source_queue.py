"""Decides on drafts of a source at once: applies the certain ones, or approves, applies or dismisses all."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from instep.drafting.drafts import source_queries
from instep.drafting.drafts.actions import dismiss_draft
from instep.drafting.drafts.batches import apply_each, lock_articles
from instep.drafting.drafts.pending import DraftNotPending, ProposalChanged
from instep.drafting.drafts.queue_schemas import BatchResult, SourceBatch
from instep.drafting.drafts.release_schemas import DraftOfArticle
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


async def find_draft_states(ctx: Ctx, draft_ids: Sequence[str]) -> dict[str, str]:
    """The states of drafts, which a page sends back with a decision about all of them."""
    return await source_queries.list_states(ctx, draft_ids)


@writes
async def apply_proposals(ctx: Ctx, source_key: str, shown_states: Mapping[str, str]) -> SourceBatch:
    """Apply the drafts of a source, at most `MAX_SOURCE_DRAFTS`, whose states a page showed a reviewer.

    A draft that has changed since, or changes lines which have changed in the article since, stays pending,
    with its refusal.
    """
    drafts, changed = await _lock_shown(ctx, source_key, shown_states)
    return SourceBatch(source_key, [*await apply_each(ctx, drafts), *changed])


@writes
async def dismiss_proposals(ctx: Ctx, source_key: str, shown_states: Mapping[str, str]) -> SourceBatch:
    """Dismiss the drafts of a source that a page showed a reviewer, but not those that have changed since."""
    drafts, changed = await _lock_shown(ctx, source_key, shown_states)
    results = list[BatchResult]()
    for draft in drafts:
        with suppress(DraftNotPending):
            await dismiss_draft(ctx, draft.id)
            results.append(BatchResult(draft, None))
    return SourceBatch(source_key, [*results, *changed])


async def _lock_shown(
    ctx: Ctx, source_key: str, shown_states: Mapping[str, str]
) -> tuple[list[DraftOfArticle], list[BatchResult]]:
    """The drafts of a source that are as a page showed them, with their articles locked, and the others."""
    await lock_articles(ctx, await source_queries.list_seen(ctx, source_key, list(shown_states)))
    drafts = await source_queries.list_seen(ctx, source_key, list(shown_states))
    states = await source_queries.list_states(ctx, list(shown_states))
    changed = [row for row in drafts if states[row.id] != shown_states[row.id]]
    return [row for row in drafts if row not in changed], [
        BatchResult(row, ProposalChanged()) for row in changed
    ]

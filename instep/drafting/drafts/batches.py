"""Applies several drafts in one transaction; drafts that can't be applied stay pending."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from instep.content.product_versions.actions import lock_existing_versions
from instep.drafting.drafts.applying import NOW, apply_pending
from instep.drafting.drafts.pending import DraftNotPending
from instep.drafting.drafts.queue_schemas import BatchResult
from instep.drafting.drafts.release_schemas import DraftOfArticle
from instep.drafting.drafts.schemas import Draft, DraftApply
from instep.platform.core.errors import Conflict, InvalidRequest, InvalidState
from instep.platform.core.restarts import NeededWork, WorkNeeded
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx

NOTHING_SEEN: Mapping[str, str] = MappingProxyType({})


async def lock_articles(ctx: Ctx, drafts: Sequence[DraftOfArticle]) -> None:
    """Lock the articles of drafts in a fixed order before changing any, so that there is no deadlock."""
    await lock_existing_versions(ctx)
    await ctx.execute(
        """
        select id from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and id = any(%(articles)s)
        order by id for no key update
        """,
        articles=[draft.article_id for draft in drafts],
    )


async def apply_each(
    ctx: Ctx,
    drafts: Sequence[DraftOfArticle],
    request: DraftApply = NOW,
    seen: Mapping[str, str] = NOTHING_SEEN,
) -> list[BatchResult]:
    """Apply drafts whose articles are locked; drafts that others have settled in the meantime are skipped.

    `seen` has the digests of the proposals that reviewers saw, by the ids of drafts.
    """
    results, needed = list[BatchResult](), NeededWork()
    for draft in drafts:
        try:
            async with ctx.tx.transaction():
                await apply_in_batch(ctx, draft.id, request, seen.get(draft.id))
        except (Conflict, InvalidRequest, InvalidState) as refusal:
            results.append(BatchResult(draft, refusal))
        except WorkNeeded:
            needed.take()
        except DraftNotPending:
            continue
        else:
            results.append(BatchResult(draft, None))
    await needed.do_before_next_attempt()
    return results


@writes
async def apply_in_batch(ctx: Ctx, draft_id: str, request: DraftApply, seen: str | None) -> Draft:
    """Apply one of several drafts; a draft whose text is already live is settled too."""
    return await apply_pending(ctx, draft_id, request, accepts_no_changes=True, seen=seen)

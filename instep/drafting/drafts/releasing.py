"""Releases: drafts that were approved in advance go live when their change ships."""

from collections.abc import Mapping, Sequence

from instep.content.product_versions.actions import lock_existing_versions
from instep.drafting.drafts import release_queries
from instep.drafting.drafts.assigning import notify_of_conflicts
from instep.drafting.drafts.batches import NOTHING_SEEN, apply_each, lock_articles
from instep.drafting.drafts.merging import ALL_IS_LIVE, merged_content, obstacles
from instep.drafting.drafts.pending import ProposalChanged, find_pending, lock_draft, not_pending
from instep.drafting.drafts.queries import withdraw_approvals
from instep.drafting.drafts.release_queries import ReleaseSources
from instep.drafting.drafts.release_schemas import DraftOfArticle, Release, ReleaseCreate
from instep.drafting.drafts.schemas import Draft
from instep.platform.core.errors import InvalidRequest
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.platform.text.characters import shorten

# Maximum length of the list of sources in the audit log.
MAX_AUDITED_CHARACTERS = 200


@writes
async def release_drafts(ctx: Ctx, request: ReleaseCreate) -> Release:
    """Apply all approved drafts of the sources in one transaction; repeating the call does nothing.

    If the live text has changed elsewhere, both changes are merged. A draft that changes the same lines stays
    pending, and its approval is revoked.
    """
    sent = request.model_dump()
    sources = ReleaseSources(sent.get("source_urls", []), sent.get("task_ids", []))
    if not sources.urls and not sources.task_ids:
        raise InvalidRequest("Send `sourceUrls`, `taskIds` or both to identify the shipped changes.")
    name = shorten(" ".join([*sources.urls, *sources.task_ids]), MAX_AUDITED_CHARACTERS)
    return await _release(ctx, name, sources)


async def list_waiting_drafts(ctx: Ctx, source_url: str) -> list[DraftOfArticle]:
    """The pending drafts of a source, oldest first."""
    return await release_queries.list_pending(ctx, ReleaseSources([source_url], []))


@writes
async def release_seen(ctx: Ctx, source_url: str, seen: Mapping[str, str]) -> Release:
    """Apply the approved drafts of a source that `seen` names, as `release_drafts` does.

    `seen` has the digests of the proposals that reviewers saw, by the ids of drafts: another proposal is not
    applied, and loses its approval.
    """
    return await _release(ctx, source_url, ReleaseSources([source_url], []), seen)


@writes
async def withdraw_approval(ctx: Ctx, draft_id: str, seen: str) -> Draft:
    """Take back the approval of a draft for its release; `seen` is the digest of the approved proposal."""
    draft = await lock_draft(ctx, draft_id)
    if draft.status != "pending":
        raise not_pending(draft)
    if draft.text_digest != seen:
        raise ProposalChanged
    await withdraw_approvals(ctx, [draft_id])
    return draft


async def settle_live(ctx: Ctx, article_ids: Sequence[str]) -> None:
    """Settle the approved edits that these articles, which are locked, have received from elsewhere."""
    drafts = await release_queries.list_approved_edits(ctx, article_ids)
    texts = [await find_pending(ctx, row.id) for row in drafts]
    live_ids = {draft.id for draft in texts if obstacles(draft, await merged_content(draft)) == [ALL_IS_LIVE]}
    await apply_each(ctx, [row for row in drafts if row.id in live_ids])


async def _release(
    ctx: Ctx, name: str, sources: ReleaseSources, seen: Mapping[str, str] | None = None
) -> Release:
    def is_meant(row: DraftOfArticle) -> bool:
        return row.is_approved and (seen is None or row.id in seen)

    # A split moves drafts to other articles.
    await lock_existing_versions(ctx)
    approved = [row for row in await release_queries.list_pending(ctx, sources) if is_meant(row)]
    await lock_articles(ctx, approved)
    # Others may have settled, approved or changed drafts during the wait for the locks.
    drafts = await release_queries.list_pending(ctx, sources)
    locked_ids = {row.article_id for row in approved}
    meant = [row for row in drafts if is_meant(row) and row.article_id in locked_ids]
    results = await apply_each(ctx, meant, seen=seen or NOTHING_SEEN)
    applied = [result.draft for result in results if result.refusal is None]
    conflicts = [result.draft for result in results if result.refusal is not None]
    await notify_of_conflicts(ctx, [row.id for row in conflicts])
    await withdraw_approvals(ctx, [row.id for row in conflicts])
    return Release(name, applied, conflicts, [row for row in drafts if not row.is_approved])

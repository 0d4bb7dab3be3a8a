"""Releases: drafts that were approved in advance go live when their change ships."""

from instep.drafting.drafts import release_queries
from instep.drafting.drafts.batches import apply_each, lock_articles
from instep.drafting.drafts.queries import withdraw_approvals
from instep.drafting.drafts.release_queries import ReleaseSources
from instep.drafting.drafts.release_schemas import Release, ReleaseCreate
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
    approved = [row for row in await release_queries.list_pending(ctx, sources) if row.is_approved]
    await lock_articles(ctx, approved)
    # Others may have settled, approved or changed drafts during the wait for the locks.
    drafts = await release_queries.list_pending(ctx, sources)
    locked_ids = {row.article_id for row in approved}
    results = await apply_each(
        ctx, [row for row in drafts if row.is_approved and row.article_id in locked_ids]
    )
    applied = [result.draft for result in results if result.refusal is None]
    conflicts = [result.draft for result in results if result.refusal is not None]
    await withdraw_approvals(ctx, [row.id for row in conflicts])
    name = shorten(" ".join([*sources.urls, *sources.task_ids]), MAX_AUDITED_CHARACTERS)
    return Release(name, applied, conflicts, [row for row in drafts if not row.is_approved])

"""The drafts of a pull request under their numbers, which never change, and what a comment shows of them."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from instep.drafting.drafts.actions import get_draft
from instep.drafting.drafts.releasing import list_waiting_drafts
from instep.drafting.places.actions import list_task_places
from instep.platform.core import limits
from instep.platform.core.errors import NotFound
from instep.platform.identity.schemas import Ctx
from instep.transfer.repositories.held_pulls import READER, HeldPull
from instep.transfer.repositories.pull_text import NumberedDraft, ReviewState
from instep.transfer.repositories.schemas import ShownDraft

# A draft that was replaced is followed this often.
MAX_REPLACEMENTS = 50


async def read_state(work: HeldPull) -> ReviewState:
    """The numbered drafts, and the new ones after them."""
    task, url = work.task, work.pull.url
    async with work.context(READER) as ctx, ctx.tx.transaction():
        drafts = [await numbered(ctx, entry, url) for entry in work.entries]
        known_ids = {item.entry.id for item in drafts if item}
        waiting = [row.id for row in await list_waiting_drafts(ctx, url)]
        new_ids = [draft_id for draft_id in waiting if draft_id not in known_ids]
        for number, draft_id in enumerate(new_ids, len(drafts) + 1):
            if number <= limits.MAX_NUMBERED_DRAFTS:
                drafts.append(await numbered(ctx, ShownDraft(number, draft_id), url))
        places = await list_task_places(ctx, task.id) if task else []
    has_failed = work.change.status == "failed" or (task is not None and task.status == "failed")
    return ReviewState(
        [item for item in drafts if item],
        [place for place in places if place.status == "open"],
        error="the pull request could not be read" if has_failed else None,
        note=work.change.message,
    )


async def numbered(ctx: Ctx, entry: ShownDraft, url: str) -> NumberedDraft | None:
    """The draft of a number, or the one of the same change that has replaced it; None if it was erased."""
    try:
        detail = await get_draft(ctx, entry.id)
        for _ in range(MAX_REPLACEMENTS):
            if detail.draft.replaced_by is None:
                break
            successor = await get_draft(ctx, detail.draft.replaced_by)
            if successor.draft.source_url != url:
                break
            detail = successor
    except NotFound:
        return None
    return NumberedDraft(replace(entry, id=detail.id), detail)


def entries_after(
    before: Sequence[ShownDraft], state: ReviewState, written_at: datetime | None
) -> list[ShownDraft]:
    """The entries as a comment written at that time shows them; without a comment, none can be approved."""
    digests = {draft.number: draft.digest for draft in before}
    after = {draft.number: draft for draft in before}
    for item in state.drafts:
        number, digest = item.entry.number, item.seen_digest if written_at else ""
        is_same = digest == digests.get(number)
        since = item.entry.since if is_same or not written_at else written_at.isoformat()
        after[number] = replace(item.entry, digest=digest, since=since)
    return list(after.values())

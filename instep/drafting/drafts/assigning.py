"""Asks a person to review a draft."""

from collections.abc import Sequence

from instep.drafting.drafts import queries
from instep.drafting.drafts.pending import find_pending
from instep.drafting.drafts.schemas import Draft, DraftTexts
from instep.notifications.inbox.actions import notify
from instep.notifications.inbox.schemas import NoticeKind, NoticeSubject
from instep.platform.core.errors import InvalidValue
from instep.platform.identity.access import proposes
from instep.platform.identity.schemas import Ctx

NOT_RELEASED = "It was approved for a release, but the article has changed in the same lines: decide again."


@proposes
async def assign_draft(ctx: Ctx, draft_id: str, person_id: str | None) -> Draft:
    """Assign a pending draft to a person; None removes the assignment."""
    draft = await find_pending(ctx, draft_id)
    await require_member(ctx, person_id)
    await queries.assign(ctx, draft.id, person_id)
    await notify(ctx, [person_id], "assigned", NoticeSubject(draft.id, draft.title))
    return await find_pending(ctx, draft_id)


async def require_member(ctx: Ctx, person_id: str | None) -> None:
    """Raise `InvalidValue` unless the person may work in the workspace."""
    if person_id is not None and not await queries.is_member(ctx, person_id):
        raise InvalidValue("assignee", "it must be a person of the workspace")


async def notify_of_conflicts(ctx: Ctx, draft_ids: Sequence[str]) -> None:
    """Notify the people who approved these drafts, and their assignees, that they were not released."""
    for row in await queries.list_followers(ctx, draft_ids):
        people = [row.assignee_id, row.approver_id]
        await notify(ctx, people, "conflict", NoticeSubject(row.id, row.title), NOT_RELEASED)


async def notify_proposer(ctx: Ctx, draft: DraftTexts, kind: NoticeKind, text: str | None = None) -> None:
    """Notify the person who proposed a draft of another person's decision."""
    await notify(ctx, [draft.proposer_id], kind, NoticeSubject(draft.id, draft.title), text)

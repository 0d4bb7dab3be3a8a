"""Queues a task's edit: it replaces the pending drafts that it is based on, and keeps people's words."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from instep.drafting.drafts import change_queries, queries
from instep.drafting.drafts.actions import dismiss_draft, emit_proposal, insert_edit, queue_edit
from instep.drafting.drafts.pending import find_draft
from instep.drafting.drafts.proposals import EditProposal, Statement
from instep.drafting.drafts.reopening import reopen_draft
from instep.drafting.drafts.schemas import Draft, DraftDismiss, DraftTexts, EvidenceOut, TitledText
from instep.drafting.drafts.waiting import WaitingText
from instep.platform.core.errors import NotFound
from instep.platform.identity.schemas import Ctx
from instep.platform.text.diff import merge
from instep.platform.text.moved_lines import moved_lines

Item = TypeVar("Item")

SAME_CHANGE = "A later version of the same change proposes this again."
WORDS_KEPT = (
    "A later version of the same change proposes a different text for lines that a person edited here: its"
    " draft is waiting too, so compare both."
)
STATE_CHANGED = (
    "The earlier change “{title}”, which this draft builds on, has changed: compare it with the code."
)
CONTESTED = (
    "The later change “{title}” makes lines untrue that a person wrote here: compare this draft with its own."
)
TAKEN_BACK = "The later change “{title}” reverts what this draft says."
GOES_ON = "The later change “{title}” makes lines of this draft untrue: its draft builds on this one."
APPROVED = "{name} had approved the earlier draft for a release: approve this one again."
CARRIED = "It contains text that {name} wrote in an earlier draft: read the whole text."
WAITS_RENEWED = "A draft that a later change has renewed already proposes this."
LEFT_OUT = (
    "The change also proposed a different text for lines of this draft, which was left out: send the change"
    " again after this draft is applied or dismissed."
)
RENEWED = "A pending draft contains this statement, and was renewed."
ONE_WITHDRAWN = "1 draft was withdrawn because the change reverts it."
WITHDRAWN = "{count} drafts were withdrawn because the change reverts them."


@dataclass(frozen=True, slots=True)
class Renewal:
    """A later change's edit of a pending draft's text; `change_title` names the change.

    It is contested if it changes lines that a person wrote.
    """

    waiting: WaitingText
    proposal: EditProposal
    change_title: str
    is_contested: bool


@dataclass(frozen=True, slots=True)
class QueuedEdit:
    """The outcome of a task's edit: its draft, if it is pending, and sentences for the task."""

    draft_id: str | None
    sentences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Earlier:
    """A draft that an edit may replace, and the version of its text that the edit knows."""

    draft: DraftTexts
    before: TitledText
    renewal: Renewal | None = None


async def queue_edit_of_task(
    ctx: Ctx, article_id: str, proposal: EditProposal | None, renewals: Sequence[Renewal] = ()
) -> QueuedEdit:
    """Queue a task's edit: the result of its change for the live text and for pending drafts.

    Only the edit of a change's latest task stays pending. The drafts that it replaces leave the queue, and
    people's words in them are merged into it. A draft that can't be merged stays, with a warning. An edit
    that only takes drafts back leaves none.
    """
    source_url = (proposal or renewals[0].proposal).source_url
    if proposal and source_url is None and not renewals:
        return QueuedEdit((await queue_edit(ctx, article_id, proposal)).id)
    # If two tasks end at the same time, the second waits here and then sees the first one's draft.
    await change_queries.lock_change(ctx, source_url or "")
    # Lock the article first, as when applying a draft.
    await queries.lock_article(ctx, article_id)
    present = [item for row in renewals if (item := await _present(ctx, row))]
    if present:
        return await _take_places(ctx, article_id, present, proposal)
    if proposal is None:
        return QueuedEdit(None)
    if await _waits_renewed(ctx, article_id, proposal):
        return QueuedEdit(None, (WAITS_RENEWED,))
    return await _take_places(ctx, article_id, [], proposal)


async def _present(ctx: Ctx, renewal: Renewal) -> Earlier | None:
    """The pending draft as it is now; None if a person has dismissed it since it was read."""
    read = renewal.waiting
    try:
        draft = await find_draft(ctx, read.draft.id, lock=True)
    except NotFound:
        return None
    before = TitledText(read.draft.title, read.draft.content)
    if draft.status == "applied":
        applied = replace(renewal.proposal, base_title=read.text.title, base_content=read.text.content)
        return Earlier(draft, before, replace(renewal, proposal=applied))
    is_open = draft.status == "pending" or await change_queries.is_beneath_pending(ctx, draft.id)
    return Earlier(draft, before, renewal) if is_open else None


async def _waits_renewed(ctx: Ctx, article_id: str, proposal: EditProposal) -> bool:
    """True if a later change's draft is based on the same edit; if on a different one, it gets a warning."""
    beneath = await change_queries.list_continued(ctx, [article_id], proposal.source_url)
    for draft in beneath:
        if await merge(draft.base_content, proposal.base_content, draft.written.content) == proposal.content:
            return True
    await warn_continuing(ctx, beneath)
    return False


async def warn_continuing(ctx: Ctx, beneath: Iterable[DraftTexts]) -> None:
    """Warn that the change of these drafts' bases is now in another state."""
    for draft in beneath:
        if draft.replaced_by is not None:
            warning = STATE_CHANGED.format(title=draft.source_title)
            await change_queries.add_warning(ctx, [draft.replaced_by], warning)


async def _take_places(
    ctx: Ctx, article_id: str, present: Sequence[Earlier], live: EditProposal | None
) -> QueuedEdit:
    edit, resting = await _join(present, live)
    is_certain = edit.certainty == "certain"
    edit, refused = await _carry(edit, [item for item in resting if item.draft.status != "applied"])
    resting = [item for item in resting if item not in refused]
    written = edit
    same_change = await change_queries.list_same_change(ctx, article_id, edit.source_url, edit.task_id)
    siblings = [Earlier(draft, draft.written) for draft in same_change]
    edit, staying = await _carry(edit, siblings)
    if edit.edited_by_name is not None:
        warnings = _union(edit.warnings, (CARRIED.format(name=edit.edited_by_name),))
        edit = replace(
            edit,
            written_title=written.title,
            written_content=written.content,
            warnings=warnings,
            certainty=edit.certainty and "likely",
        )
    title = present[0].renewal.change_title if present and present[0].renewal else ""
    contested = [item.draft.id for item in present if item not in resting]
    await change_queries.add_warning(ctx, contested, CONTESTED.format(title=title))
    await change_queries.add_warning(ctx, [item.draft.id for item in staying], WORDS_KEPT)
    leaving = [
        item for item in [*resting, *siblings] if item.draft.status == "pending" and item not in staying
    ]
    if edit.text == edit.base:
        return await _take_back(ctx, edit, leaving, resting, title, is_certain=is_certain)
    draft_id = await _replace(ctx, article_id, edit, leaving, resting, title)
    return QueuedEdit(draft_id, (RENEWED,) if resting else ())


async def _join(present: Sequence[Earlier], live: EditProposal | None) -> tuple[EditProposal, list[Earlier]]:
    """One edit with everything that the change does to an article, and the drafts that it is based on.

    Lines that a person wrote are not changed in their draft: that draft stays.
    """
    parts: list[tuple[EditProposal, Earlier | None]] = [
        (item.renewal.proposal, item) for item in present if item.renewal
    ]
    parts += [(live, None)] if live else []
    edit, first = parts[0]
    joined = [first]
    for part, item in parts[1:]:
        here = await merge(part.base_content, edit.base_content, part.content)
        content = None if here is None else await merge(edit.base_content, edit.content, here)
        if content is not None:
            edit = await _with_part(await _with_content(edit, content), part)
            joined.append(item)
        elif item is None:
            edit = replace(edit, warnings=_union(edit.warnings, (LEFT_OUT,)))
    resting = [item for item in joined if item and item.renewal and not item.renewal.is_contested]
    for item in resting:
        edit = await _with_part(edit, _origin_of(item.draft))
    return edit, resting


async def _carry(edit: EditProposal, earlier: Sequence[Earlier]) -> tuple[EditProposal, list[Earlier]]:
    """The edit with people's changes to these drafts, and the drafts that can't be merged with it."""
    refused: list[Earlier] = []
    for item in earlier:
        draft = item.draft
        content = await merge(item.before.content, draft.content, edit.content)
        if content is None:
            refused.append(item)
            continue
        edit = await _with_content(edit, content)
        if draft.title != item.before.title:
            edit = replace(edit, title=None if draft.title == edit.base_title else draft.title)
        if draft.edited_by_name is not None:
            moved = (await moved_lines(draft.content, content)).moved
            lines = {*edit.edited_lines, *(moved[line] for line in draft.edited_lines if line in moved)}
            edit = replace(edit, edited_by_name=draft.edited_by_name, edited_lines=tuple(sorted(lines)))
    return edit, refused


async def _with_content(edit: EditProposal, content: str) -> EditProposal:
    """The edit with another text; facts about its lines are carried over."""
    lines = await moved_lines(edit.content, content)
    evidence = tuple(
        place.model_copy(update={"article_line": lines.place_of(place.article_line)})
        for place in edit.evidence
    )
    edited_lines = tuple(lines.moved[line] for line in edit.edited_lines if line in lines.moved)
    return replace(edit, content=content, evidence=evidence, edited_lines=edited_lines)


async def _with_part(edit: EditProposal, part: EditProposal) -> EditProposal:
    """The edit with the evidence for a part of its text, which another edit also contains."""
    placed = await _with_content(part, edit.content)
    return replace(
        edit,
        title=edit.title or part.title,
        reason=" ".join(dict.fromkeys(filter(None, [edit.reason, part.reason]))),
        evidence=_union(edit.evidence, placed.evidence),
        warnings=_union(edit.warnings, part.warnings),
        certainty=edit.certainty if part.certainty == "certain" else part.certainty,
        statements=_union(edit.statements, part.statements),
        model=edit.model or part.model,
    )


def _origin_of(draft: DraftTexts) -> EditProposal:
    source = f"It builds on the pending draft of “{draft.source_title or draft.title}”."
    return EditProposal(
        content=draft.content,
        base_version=draft.base_version,
        base_title=draft.base_title,
        base_content=draft.base_content,
        reason=f"{source} {draft.reason or ''}".rstrip(),
        evidence=tuple(EvidenceOut(**place) for place in draft.evidence),
        warnings=tuple(draft.warnings),
        certainty=draft.certainty,
        statements=tuple(Statement(**statement) for statement in draft.statements),
        model=draft.model,
    )


async def _replace(
    ctx: Ctx,
    article_id: str,
    edit: EditProposal,
    leaving: Sequence[Earlier],
    resting: Sequence[Earlier],
    title: str,
) -> str:
    """Queue the edit instead of these drafts; return the id of its draft."""
    same = {item.draft.id for item in leaving if item.draft.proposes(edit.text, edit.base)}
    approvals = {
        item.draft.approved_by_name: None
        for item in leaving
        if item.draft.approved_by_name and item.draft.id not in same
    }
    warnings = _union(edit.warnings, tuple(APPROVED.format(name=name) for name in approvals))
    draft: Draft = await insert_edit(ctx, article_id, replace(edit, warnings=warnings))
    if await change_queries.is_outdated(ctx, draft):
        # The task for a later state of the change ended earlier.
        await queries.settle(ctx, draft.id, "dismissed", comment=SAME_CHANGE)
        await emit_proposal(ctx, await find_draft(ctx, draft.id))
        return draft.id
    if leaving:
        assignee_ids = (item.draft.assignee_id for item in leaving)
        await queries.assign(ctx, draft.id, next(filter(None, assignee_ids), None))
    for item in leaving:
        comment = GOES_ON.format(title=title) if item.renewal else SAME_CHANGE
        await dismiss_draft(ctx, item.draft.id, DraftDismiss(comment=comment), replaced_by=draft.id)
    if await change_queries.take_over_approval(ctx, draft.id, same):
        draft = await find_draft(ctx, draft.id)
    beneath = {item.draft.id for item in resting}
    await change_queries.put_beneath(ctx, draft.id, beneath)
    await give_back(ctx, [item.draft for item in leaving if not item.renewal], beneath)
    await emit_proposal(ctx, draft)
    return draft.id


async def _take_back(
    ctx: Ctx,
    edit: EditProposal,
    leaving: Sequence[Earlier],
    resting: Sequence[Earlier],
    title: str,
    *,
    is_certain: bool,
) -> QueuedEdit:
    """Withdraw drafts whose lines the change certainly takes back, unless a person wrote in them."""
    comment = TAKEN_BACK.format(title=title)
    withdrawn = [item.draft for item in leaving if is_certain and not item.draft.has_words_of_people]
    warned = [item.draft.id for item in leaving if item.draft not in withdrawn]
    await change_queries.add_warning(ctx, warned, comment)
    for draft in withdrawn:
        await dismiss_draft(ctx, draft.id, DraftDismiss(comment=comment))
    siblings = [item.draft for item in leaving if not item.renewal and item.draft in withdrawn]
    await give_back(ctx, siblings, {item.draft.id for item in resting})
    if not withdrawn:
        return QueuedEdit(None)
    count = len(withdrawn)
    return QueuedEdit(None, (ONE_WITHDRAWN if count == 1 else WITHDRAWN.format(count=count),))


async def give_back(ctx: Ctx, dismissed: Sequence[Draft], still_beneath: Iterable[str] = ()) -> None:
    """Return the drafts of other changes that the dismissed ones were based on to the queue."""
    for draft in dismissed:
        for beneath_id in await change_queries.list_beneath(ctx, draft):
            if beneath_id not in still_beneath:
                await reopen_draft(ctx, beneath_id)


def _union(first: Sequence[Item], second: Sequence[Item]) -> tuple[Item, ...]:
    return tuple(dict.fromkeys([*first, *second]))

"""The contents of a draft's page: its blocks with their notes, its diff, and who has it open."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from markupsafe import Markup

from instep.drafting.drafts.schemas import DraftDetail, DraftTexts
from instep.interfaces.dashboard.review import queries
from instep.interfaces.dashboard.review.diff_lines import ShownDiff, read_shown_diff
from instep.interfaces.dashboard.review.proof import Fold, Proof, ProofBlock, ProofPart, prove, prove_new
from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, is_short, run_bounded
from instep.platform.identity.schemas import Ctx
from instep.platform.text.moved_lines import MovedLines, moved_lines
from instep.platform.text.patch import InvalidDiff, Line
from instep.platform.text.patch_parser import parse_diff
from instep.platform.text.terms import words_in

NEXT_FILE = re.compile(r"^(?=diff --git )", re.MULTILINE)
# A line of the new code: its file, its number and its text.
CodeLine = tuple[str, int, str]
VIEWS = {"page": "Page", "text": "Text", "sides": "Side by side"}


async def read_replaced_code(
    ctx: Ctx, task_id: str | None, evidence: Collection[Mapping[str, Any]]
) -> dict[CodeLine, str]:
    """The replaced code for each line of the evidence, without lines that the change only adds."""
    if task_id is None or not evidence:
        return {}
    lines = {code_line(place) for place in evidence}
    diff = await queries.read_diff(ctx, task_id)
    try:
        return await run_bounded(
            replaced_code, diff, lines, seconds=limits.MAX_DIFF_SECONDS, is_small=is_short(diff)
        )
    except TimeLimitExceeded:
        return {}


def replaced_code(diff: str, lines: Collection[CodeLine]) -> dict[CodeLine, str]:
    return {line: before for line, before in replaced_lines(diff, lines) if line in lines}


def code_line(place: Mapping[str, Any]) -> CodeLine:
    return place["file"], place["start_line"], place["excerpt"].strip()


def replaced_lines(diff: str, lines: Collection[CodeLine]) -> Iterator[tuple[CodeLine, str]]:
    """The previous form of lines, for files that can be parsed at once."""
    files, numbers = {line[0] for line in lines}, {line[1] for line in lines}
    for section in NEXT_FILE.split(diff):
        if len(section) > limits.MAX_INLINE_CHARACTERS or not any(file in section for file in files):
            continue
        try:
            patches = parse_diff(section).files
        except InvalidDiff:
            # The last file of a truncated diff may end anywhere.
            continue
        for patch in patches:
            for removed, added in (block for hunk in patch.hunks for block in hunk.blocks()):
                for place, line in enumerate(added):
                    before = line_before(removed, added, place) if line.new in numbers else None
                    if before:
                        yield (patch.path, line.new, line.text.strip()), before.strip()


def line_before(removed: Sequence[Line], added: Sequence[Line], place: int) -> str | None:
    """The removed line that an added one replaced: the one in its position, or with most of its words."""
    if len(removed) == len(added):
        return removed[place].text
    words = set(words_in(added[place].text))
    best = max(removed, key=lambda line: len(words.intersection(words_in(line.text))), default=None)
    return best.text if best and words.intersection(words_in(best.text)) else None


@dataclass(frozen=True, slots=True)
class EvidenceNote:
    """A location in the code change behind a block, in the margin; `line` is a line of the proposed text.

    `before` is the replaced line of code; empty if the change only adds.
    """

    number: int
    place: str
    lines: list[str]
    is_cut: bool
    line: int | None
    before: str = ""
    reason: str = ""


@dataclass(slots=True)
class ShownBlock:
    """A block of the page with its notes; `reason_of_none` says why a changed one has no note."""

    kind: str
    html: Markup
    hunks: tuple[int, ...] = ()
    is_formal: bool = False
    has_fold: bool = False
    notes: list[EvidenceNote] = field(default_factory=list)
    reason_of_none: str = ""
    # The person who edited it: no code evidence supports what a person wrote.
    editor: str = ""
    # The hunks that this block is the first to show, with the switches to leave them out.
    new_hunks: list[int] = field(default_factory=list)
    fold_count: int = 0

    @property
    def is_change(self) -> bool:
        return self.kind not in ("same", "fold")


@dataclass(frozen=True, slots=True)
class Authorship:
    """The authors of the shown text: `edited_lines` are the editor's, numbered from 1."""

    without_evidence: str
    editor: str
    edited_lines: frozenset[int]


@dataclass(frozen=True, slots=True)
class DraftView:
    """Everything on the page of one draft except the queue next to it."""

    detail: DraftDetail
    view: str
    blocks: list[ShownBlock] | None
    diff: ShownDiff | None
    left_out: list[int]
    is_unfolded: bool
    # Whether more blocks change than are shown.
    is_cut: bool = False

    @property
    def draft(self) -> DraftTexts:
        return self.detail.draft

    @property
    def result(self) -> str:
        """The text that applying it would give."""
        return self.detail.draft.content if self.detail.merged is None else self.detail.merged

    @property
    def hunk_count(self) -> int:
        return self.diff.count if self.diff else 0

    @property
    def has_switches(self) -> bool:
        """True if changes can be left out one by one."""
        return 1 < self.hunk_count <= limits.MAX_SWITCHED_HUNKS


async def read_view(
    ctx: Ctx, detail: DraftDetail, view: str, left_out: Sequence[int], *, is_unfolded: bool
) -> DraftView:
    draft = detail.draft
    diff = await read_shown_diff(detail.diff, view)
    count = diff.count if diff and diff.count <= limits.MAX_SWITCHED_HUNKS else 0
    chosen = sorted({number for number in left_out if 1 <= number <= count})
    lines = None if detail.merged is None else await moved_lines(draft.content, detail.merged)
    proof: Proof | None = None
    blocks: list[ShownBlock] | None = None
    if view == "page":
        code_before = await read_replaced_code(ctx, draft.task_id, draft.evidence)
        notes = notes_of(draft, lines, code_before)
        proof = await proof_of(detail, is_unfolded=is_unfolded)
        blocks = None if proof is None else shown_blocks(proof.parts, notes, authorship_of(draft, lines))
    return DraftView(
        detail, view, blocks, diff, chosen, is_unfolded, is_cut=proof is not None and proof.is_cut
    )


async def proof_of(detail: DraftDetail, *, is_unfolded: bool) -> Proof | None:
    draft = detail.draft
    if draft.type != "edit":
        noted_lines = {item["article_line"] for item in draft.evidence if item["article_line"]}
        return await prove_new(draft.content, frozenset(noted_lines.union(draft.edited_lines)))
    result = draft.content if detail.merged is None else detail.merged
    return await prove(draft.compared_with, result, detail.diff, is_unfolded=is_unfolded)


def notes_of(
    draft: DraftTexts, lines: MovedLines | None, code_before: Mapping[CodeLine, str]
) -> list[EvidenceNote]:
    """The evidence as notes, in text order; entries without a line come last.

    `lines` maps the lines of the proposal to lines of the applied text, if that is different.
    """
    places = [
        (item["article_line"] if lines is None else lines.place_of(item["article_line"]), item)
        for item in draft.evidence
    ]
    places.sort(key=lambda place: (place[0] is None, place[0] or 0))
    return [note_of(number, item, line, code_before) for number, (line, item) in enumerate(places, 1)]


def note_of(
    number: int, item: Mapping[str, Any], line: int | None, code_before: Mapping[CodeLine, str]
) -> EvidenceNote:
    first, last = item["start_line"], item["end_line"]
    place = f"{item['file']}:{first}" if last <= first else f"{item['file']}:{first}-{last}"
    quoted = str(item["excerpt"]).split("\n")
    is_cut = len(quoted) > limits.MAX_NOTE_LINES
    before = code_before.get(code_line(item), "")
    return EvidenceNote(
        number, place, quoted[: limits.MAX_NOTE_LINES], is_cut, line, before, item.get("reason") or ""
    )


def authorship_of(draft: DraftTexts, lines: MovedLines | None) -> Authorship:
    edited_lines = frozenset(draft.edited_lines)
    if lines is not None:
        edited_lines = frozenset(lines.moved[line] for line in edited_lines if line in lines.moved)
    return Authorship(without_evidence(draft), draft.edited_by_name or "", edited_lines)


def without_evidence(draft: DraftTexts) -> str:
    """The note on a change that no line of code supports and no person has edited."""
    if draft.type == "gap_draft":
        return "No evidence: written by Instep from visitors' questions."
    if draft.model:
        return f"No evidence: written by the model {draft.model}."
    if draft.source_kind == "article" and draft.author_type == "task":
        return "Assembled from the request and other articles, without a model."
    return f"No evidence: written by {draft.author_name}."


def shown_blocks(
    parts: Sequence[ProofPart], notes: Sequence[EvidenceNote], authorship: Authorship
) -> list[ShownBlock]:
    blocks = [shown_block(part) for part in parts]
    changes = [
        (part, block)
        for part, block in zip(parts, blocks, strict=True)
        if isinstance(part, ProofBlock) and block.is_change
    ]
    for part, block in changes:
        if not authorship.edited_lines.isdisjoint(range(part.first_line, part.last_line + 1)):
            block.editor = authorship.editor
    for note in notes:
        if changes:
            distances = [distance(*change, note.line) for change in changes]
            _, nearest = changes[distances.index(min(distances))]
            nearest.notes.append(note)
    give_hunks([block for _, block in changes])
    explain_missing([block for _, block in changes], authorship.without_evidence)
    return blocks


def shown_block(part: ProofPart) -> ShownBlock:
    if isinstance(part, Fold):
        return ShownBlock("fold", Markup(part.html or ""), fold_count=part.count)
    return ShownBlock(part.kind, Markup(part.html), part.hunks, part.is_formal, part.has_fold)


def distance(part: ProofBlock, block: ShownBlock, line: int | None) -> tuple[bool, bool, int]:
    """The distance of a line from a block, in lines.

    Blocks that a person edited are the farthest unless they contain the line, and remaining blocks are nearer
    than removed ones.
    """
    if line is None:
        return bool(block.editor), part.kind == "removed", 0
    outside = max(part.first_line - line, line - part.last_line, 0)
    return bool(block.editor) and outside > 0, part.kind == "removed" and outside == 0, outside


def give_hunks(blocks: Sequence[ShownBlock]) -> None:
    seen: set[int] = set()
    for block in blocks:
        block.new_hunks = [number for number in block.hunks if number not in seen]
        seen.update(block.hunks)


def explain_missing(blocks: Sequence[ShownBlock], without_evidence: str) -> None:
    """Give changed blocks without a note the one of their hunk, or say that there is none.

    A person's text gets none: the note of the hunk is about other words.
    """
    note_of_hunk = {
        number: block.notes[0].number for block in blocks if block.notes for number in block.hunks
    }
    for block in blocks:
        if block.notes or block.editor:
            continue
        number = next((note_of_hunk[hunk] for hunk in block.hunks if hunk in note_of_hunk), None)
        block.reason_of_none = f"See note {number}." if number else without_evidence

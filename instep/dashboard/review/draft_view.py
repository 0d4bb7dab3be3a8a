"""What the page of a draft shows: its blocks with their notes, its diff, and who is on it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup
from patiencediff import PatienceSequenceMatcher

from instep.core import limits
from instep.dashboard.review.diff_lines import DiffLine, NumberedHunk, read_hunks
from instep.dashboard.review.proof import Fold, ProofBlock, ProofPart, prove, prove_new
from instep.drafts.schemas import DraftDetail, DraftTexts
from instep.text.diff import split_lines

VIEWS = {"page": "Page", "text": "Text", "sides": "Side by side"}


@dataclass(frozen=True, slots=True)
class EvidenceNote:
    """A place of the code change behind a block, in the margin; `line` is that of the proposed text."""

    number: int
    place: str
    lines: list[str]
    is_cut: bool
    line: int | None


@dataclass(slots=True)
class ShownBlock:
    """A block of the page with its notes; `reason_of_none` says why a changed one has no note."""

    kind: str
    html: Markup
    hunks: tuple[int, ...] = ()
    is_formal: bool = False
    notes: list[EvidenceNote] = field(default_factory=list)
    reason_of_none: str = ""
    # The hunks that this block is the first to show: where they are left out and taken in.
    new_hunks: list[int] = field(default_factory=list)
    fold_count: int = 0

    @property
    def is_change(self) -> bool:
        return self.kind not in ("same", "fold")


@dataclass(frozen=True, slots=True)
class SideBySideRow:
    """A line of the live text and the line of the proposal beside it."""

    old: DiffLine | None
    new: DiffLine | None


@dataclass(frozen=True, slots=True)
class DraftView:
    """Everything on the page of one draft, apart from the queue beside it."""

    detail: DraftDetail
    view: str
    blocks: list[ShownBlock] | None
    notes: list[EvidenceNote]
    hunks: list[NumberedHunk]
    left_out: list[int]
    is_unfolded: bool

    @property
    def draft(self) -> DraftTexts:
        return self.detail.draft

    @property
    def result(self) -> str:
        """The text that applying would give."""
        return self.detail.draft.content if self.detail.merged is None else self.detail.merged

    def sides(self, hunk: NumberedHunk) -> list[SideBySideRow]:
        return side_by_side(hunk)


async def read_view(
    detail: DraftDetail, view: str, left_out: Sequence[int], *, is_unfolded: bool
) -> DraftView:
    draft = detail.draft
    hunks = read_hunks(detail.diff)
    chosen = [hunk.number for hunk in hunks if hunk.number in left_out]
    notes = notes_of(detail)
    blocks = None
    if view == "page":
        parts = await parts_of(detail, is_unfolded=is_unfolded)
        blocks = None if parts is None else shown_blocks(parts, notes, written_by(draft))
    return DraftView(detail, view, blocks, notes, hunks, chosen, is_unfolded)


async def parts_of(detail: DraftDetail, *, is_unfolded: bool) -> list[ProofPart] | None:
    draft = detail.draft
    if draft.type != "edit":
        lines = frozenset(item["article_line"] for item in draft.evidence if item["article_line"])
        return await prove_new(draft.content, lines)
    result = draft.content if detail.merged is None else detail.merged
    return await prove(draft.compared_with, result, detail.diff, is_unfolded=is_unfolded)


def notes_of(detail: DraftDetail) -> list[EvidenceNote]:
    """The evidence as notes, in the order of the text; places without a line come last."""
    lines = moved_lines(detail)
    notes = []
    for item in detail.draft.evidence:
        first, last = item["start_line"], item["end_line"]
        place = f"{item['file']}:{first}" if last <= first else f"{item['file']}:{first}-{last}"
        quoted = str(item["excerpt"]).split("\n")
        line = item["article_line"]
        notes.append((place, quoted, lines.get(line, line) if line is not None else None))
    notes.sort(key=lambda note: (note[2] is None, note[2] or 0))
    return [
        EvidenceNote(
            number, place, quoted[: limits.MAX_NOTE_LINES], len(quoted) > limits.MAX_NOTE_LINES, line
        )
        for number, (place, quoted, line) in enumerate(notes, 1)
    ]


def moved_lines(detail: DraftDetail) -> dict[int, int]:
    """Where the lines of the proposal are in what applying gives, if the two differ by a merge."""
    if detail.merged is None or not detail.draft.evidence:
        return {}
    matcher = PatienceSequenceMatcher(None, split_lines(detail.draft.content), split_lines(detail.merged))
    return {
        first + n + 1: second + n + 1
        for first, second, size in matcher.get_matching_blocks()
        for n in range(size)
    }


def shown_blocks(parts: Sequence[ProofPart], notes: Sequence[EvidenceNote], writer: str) -> list[ShownBlock]:
    blocks = [shown_block(part) for part in parts]
    changes = [
        (part, block)
        for part, block in zip(parts, blocks, strict=True)
        if isinstance(part, ProofBlock) and block.is_change
    ]
    for note in notes:
        if changes:
            _, block = min(changes, key=lambda change: distance(change[0], note.line))
            block.notes.append(note)
    give_hunks([block for _, block in changes])
    explain_missing([block for _, block in changes], writer)
    return blocks


def shown_block(part: ProofPart) -> ShownBlock:
    if isinstance(part, Fold):
        return ShownBlock("fold", Markup(part.html or ""), fold_count=part.count)
    return ShownBlock(part.kind, Markup(part.html), part.hunks, part.is_formal)


def distance(part: ProofBlock, line: int | None) -> tuple[bool, int]:
    """How far a line is from a block, in lines; blocks that remain are nearer than removed ones."""
    if line is None:
        return part.kind == "removed", 0
    outside = max(part.first_line - line, line - part.last_line, 0)
    return part.kind == "removed" and outside == 0, outside


def give_hunks(blocks: Sequence[ShownBlock]) -> None:
    seen: set[int] = set()
    for block in blocks:
        block.new_hunks = [number for number in block.hunks if number not in seen]
        seen.update(block.hunks)


def explain_missing(blocks: Sequence[ShownBlock], writer: str) -> None:
    """A changed block without a note of its own shows the one of its hunk, or says that there is none."""
    note_of_hunk = {
        number: block.notes[0].number for block in blocks if block.notes for number in block.hunks
    }
    for block in blocks:
        if block.notes:
            continue
        number = next((note_of_hunk[hunk] for hunk in block.hunks if hunk in note_of_hunk), None)
        block.reason_of_none = f"See note {number}." if number else f"No evidence: written by {writer}."


def written_by(draft: DraftTexts) -> str:
    if draft.type == "gap_draft":
        return "Instep from what visitors asked"
    return "the model" if draft.author_type == "task" else draft.author_name


def side_by_side(hunk: NumberedHunk) -> list[SideBySideRow]:
    """The lines of a hunk in two columns: what goes beside what comes for it."""
    rows: list[SideBySideRow] = []
    removed: list[DiffLine] = []
    added: list[DiffLine] = []

    def put() -> None:
        count = max(len(removed), len(added))
        pad = [None] * count
        pairs = zip([*removed, *pad][:count], [*added, *pad][:count], strict=True)
        rows.extend(SideBySideRow(old, new) for old, new in pairs)
        removed.clear()
        added.clear()

    for line in hunk.lines:
        if line.sign == " ":
            put()
            rows.append(SideBySideRow(line, line))
        else:
            (removed if line.sign == "-" else added).append(line)
    put()
    return rows

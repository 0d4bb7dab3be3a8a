"""A proposal as a page: the changed blocks with their changed words, and the unchanged ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, islice
from typing import Literal

from patiencediff import PatienceSequenceMatcher

from instep.interfaces.dashboard.review.block_marks import mark_block
from instep.interfaces.dashboard.review.diff_lines import ChangedLineNumbers, NumberedHunk, read_hunks
from instep.interfaces.dashboard.review.pieces import Piece, Pieces, read_pieces
from instep.interfaces.dashboard.review.word_marks import mark_all
from instep.platform.core import limits
from instep.platform.core.markdown import renders_at_once
from instep.platform.core.markdown_cost import TooComplex, refuse_costly_markdown
from instep.platform.core.sandbox import TimeLimitExceeded, run_bounded
from instep.platform.text.terms import words_in

# The share of common words that two blocks must have for one to be shown as a change of the other.
MIN_SHARED_WORDS = 0.25
# Removed blocks that are considered as the earlier form of a new block.
MAX_CANDIDATES = 20
# Unchanged blocks shown next to a change.
CONTEXT_BLOCKS = 1
# A fold of more blocks is not part of the page, only its number; it opens with all others.
MAX_FOLDED_BLOCKS = 40

ProofKind = Literal["same", "changed", "added", "removed", "new", "blank"]


@dataclass(frozen=True, slots=True)
class ProofBlock:
    """A block of the page, or several consecutive unchanged ones.

    `hunks` are the numbers of the diff's hunks that change it. Its lines are those of the proposed text.
    """

    kind: ProofKind
    html: str
    hunks: tuple[int, ...] = ()
    first_line: int = 0
    last_line: int = 0
    # The difference is not in words: a link's address, a level, the kind of a list.
    is_formal: bool = False
    # Whether unchanged rows or lines of the block are folded.
    has_fold: bool = False


@dataclass(frozen=True, slots=True)
class Fold:
    """Unchanged blocks that are folded; without `html` they are not part of the page."""

    count: int
    html: str | None


@dataclass(frozen=True, slots=True)
class Pair:
    """A block of the old text, one of the new text, or the same block of both."""

    old: Piece | None
    new: Piece | None

    @property
    def is_same(self) -> bool:
        return self.old is not None and self.new is not None and self.old.source == self.new.source


ProofPart = ProofBlock | Fold


@dataclass(frozen=True, slots=True)
class Proof:
    """The parts of the page; for a very long one the first parts, with `is_cut`."""

    parts: list[ProofPart]
    is_cut: bool = False


async def prove(before: str, after: str, diff: str | None, *, is_unfolded: bool) -> Proof | None:
    """The page of a proposed edit; None if the texts are too complex or take too long."""
    try:
        texts, is_small = (before, after, diff), is_provable_at_once(before + after)
        seconds = limits.MAX_RENDER_SECONDS
        return await run_bounded(prove_now, *texts, is_unfolded, seconds=seconds, is_small=is_small)
    except (TimeLimitExceeded, TooComplex):
        return None


async def prove_new(text: str, noted_lines: frozenset[int]) -> Proof | None:
    """The page of a proposed article; None if it is too complex or takes too long.

    Blocks with a line in `noted_lines` are separate, so that their notes appear next to them.
    """
    try:
        is_small = is_provable_at_once(text)
        return await run_bounded(
            prove_new_now, text, noted_lines, seconds=limits.MAX_RENDER_SECONDS, is_small=is_small
        )
    except (TimeLimitExceeded, TooComplex):
        return None


def is_provable_at_once(text: str) -> bool:
    """True if a text is small enough in blocks and words to be compared in the server process."""
    is_short = len(text) <= limits.MAX_INLINE_PROOF_CHARACTERS
    return is_short and text.count("\n") <= limits.MAX_INLINE_PROOF_LINES and renders_at_once(text)


def prove_new_now(text: str, noted_lines: frozenset[int]) -> Proof:
    refuse_costly_markdown(text)
    new = read_pieces(text)

    def number(piece: Piece) -> int:
        """Zero for pieces without a note, which are grouped; a different number for each with one."""
        return piece.first_line if not noted_lines.isdisjoint(lines_of(piece)) else 0

    runs = [list(run) for _, run in groupby(new.pieces, number)]
    beginning = runs[: limits.MAX_SHOWN_BLOCKS]
    parts: list[ProofPart] = [
        ProofBlock("new", new.render(run), (), run[0].first_line, run[-1].last_line) for run in beginning
    ]
    return Proof(parts, is_cut=len(beginning) < len(runs))


def prove_now(before: str, after: str, diff: str | None, is_unfolded: bool) -> Proof:
    for text in (before, after):
        refuse_costly_markdown(text)
    old, new = read_pieces(before), read_pieces(after)
    hunks = read_hunks(diff)
    numbers = ChangedLineNumbers(hunks)
    pairs = align(old.pieces, new.pieces)
    visible = [True] * len(pairs) if is_unfolded else visible_places(pairs)
    parts: list[ProofPart] = []
    line = 1
    for run, is_visible in runs_of(pairs, visible):
        if len(parts) == limits.MAX_SHOWN_BLOCKS:
            return Proof(parts, is_cut=True)
        if not run[0].is_same:
            parts.append(changed_block(old, new, run[0], numbers, line, is_folded=not is_unfolded))
        elif is_visible:
            parts.append(ProofBlock("same", new.render(pieces_of(run))))
        else:
            is_short = len(run) <= MAX_FOLDED_BLOCKS
            parts.append(Fold(len(run), new.render(pieces_of(run)) if is_short else None))
        line = next((pair.new.last_line for pair in reversed(run) if pair.new), line)
    blank = list(islice(blank_changes(parts, hunks), limits.MAX_SHOWN_BLOCKS + 1))
    return Proof([*parts, *blank[: limits.MAX_SHOWN_BLOCKS]], is_cut=len(blank) > limits.MAX_SHOWN_BLOCKS)


def align(old: Sequence[Piece], new: Sequence[Piece]) -> list[Pair]:
    """The blocks of both texts in their order; a changed block is paired with its earlier form."""
    pairs: list[Pair] = []
    before, after = [piece.source for piece in old], [piece.source for piece in new]
    for change, first, last, start, end in PatienceSequenceMatcher(None, before, after).get_opcodes():
        if change == "equal":
            pairs += map(Pair, old[first:last], new[start:end])
        else:
            pairs += align_changed(old[first:last], new[start:end])
    return pairs


def align_changed(old: Sequence[Piece], new: Sequence[Piece]) -> Iterator[Pair]:
    place = 0
    for piece in new:
        candidates = old[place : place + MAX_CANDIDATES]
        skipped = next((n for n, candidate in enumerate(candidates) if is_alike(candidate, piece)), None)
        if skipped is None:
            yield Pair(None, piece)
            continue
        yield from (Pair(candidate, None) for candidate in candidates[:skipped])
        yield Pair(candidates[skipped], piece)
        place += skipped + 1
    yield from (Pair(piece, None) for piece in old[place:])


def is_alike(old: Piece, new: Piece) -> bool:
    if old.kind != new.kind:
        return False
    before, after = set(words_in(old.source)), set(words_in(new.source))
    shared = len(before & after)
    return shared >= MIN_SHARED_WORDS * max(len(before), len(after), 1)


def visible_places(pairs: Sequence[Pair]) -> list[bool]:
    """True for each block that is shown: changed ones, their neighbors, and the heading above."""
    places: set[int] = set()
    heading = 0
    for place, pair in enumerate(pairs):
        if not pair.is_same:
            places.update(range(place - CONTEXT_BLOCKS, place + CONTEXT_BLOCKS + 1), [heading])
        if pair.new is not None and pair.new.kind == "heading":
            heading = place
    # Folding a single block saves nothing.
    ends = {-1, len(pairs)}
    places.update(place for place in range(len(pairs)) if {place - 1, place + 1} <= places | ends)
    return [place in places for place in range(len(pairs))]


def runs_of(pairs: Sequence[Pair], visible: Sequence[bool]) -> Iterator[tuple[list[Pair], bool]]:
    """Groups unchanged blocks that are shown or folded together; each changed block is separate."""
    run: list[Pair] = []
    is_visible = False
    for pair, shows in zip(pairs, visible, strict=True):
        if run and (not pair.is_same or not run[0].is_same or shows != is_visible):
            yield run, is_visible
            run = []
        run.append(pair)
        is_visible = shows
    if run:
        yield run, is_visible


def pieces_of(run: Sequence[Pair]) -> list[Piece]:
    return [pair.new for pair in run if pair.new is not None]


def changed_block(
    old: Pieces, new: Pieces, pair: Pair, hunks: ChangedLineNumbers, line: int, *, is_folded: bool
) -> ProofBlock:
    """A changed block; `line` is the position of a removed block in the new text."""
    numbers = hunks.hunks_of(lines_of(pair.old), lines_of(pair.new))
    if pair.new is None:
        html = mark_all(old.render([pair.old]), "del") if pair.old else ""
        return ProofBlock("removed", html, numbers, line, line)
    after = new.render([pair.new])
    place = (pair.new.first_line, pair.new.last_line)
    if pair.old is None:
        return ProofBlock("added", mark_all(after, "ins"), numbers, *place)
    marked = mark_block(old.render([pair.old]), after, is_folded=is_folded)
    return ProofBlock(
        "changed", marked.html, numbers, *place, is_formal=not marked.has_marks, has_fold=marked.has_fold
    )


def lines_of(piece: Piece | None) -> range:
    return range(piece.first_line, piece.last_line + 1) if piece else range(0)


def blank_changes(parts: Sequence[ProofPart], hunks: Sequence[NumberedHunk]) -> Iterator[ProofBlock]:
    """The hunks that change no block, such as those of blank lines, so that they can be left out, too."""
    numbers_of_blocks = {number for part in parts if isinstance(part, ProofBlock) for number in part.hunks}
    for hunk in hunks:
        if hunk.number not in numbers_of_blocks:
            added = (line.new_number for line in hunk.lines if line.sign == "+")
            line = min(added, default=min((line.new_number for line in hunk.lines), default=1))
            yield ProofBlock("blank", "", (hunk.number,), line, line, is_formal=True)

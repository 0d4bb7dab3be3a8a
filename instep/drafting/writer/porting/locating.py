"""Finds the replacements of a file's hunks in an article by their context, as `patch` does."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from instep.drafting.writer.porting.article_lines import ArticleLines, squeezed
from instep.platform.text.patch import Hunk, Line

# An added run with this many letters and digits is not added if the article already has it.
_MIN_ADDED_CHARACTERS = 12
# A run with this many counts as the same anywhere in the article; a shorter one only in the same context.
_MIN_OWN_CHARACTERS = 80
# The share of the weight of a replacement's context that must surround its position.
_MIN_CONTEXT_SHARE = 0.45
# The second-best position must be worse by this factor, or the best one is a guess.
_MAX_SECOND_BEST = 0.8
_MAX_CONTEXT_LINES = 4
# Replacements of one file that are searched for by lines that resemble their context.
_MAX_RESEMBLING_BLOCKS = 60
# Limits the lines that one change's replacements are compared with, so that it takes seconds, not minutes.
_MAX_RESEMBLING_PLACES = 600_000


@dataclass(frozen=True, slots=True)
class HunkBlock:
    """One replacement of a hunk.

    `place` is the index of its first line among the old lines of the hunk; `before` and `after` are the
    unchanged lines up to the neighboring replacements, in text order.
    """

    place: int
    old_line: int
    removed: tuple[str, ...]
    added: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class LocatedBlock:
    """A replacement and the lines `start` to `end` (exclusive) of the article that it replaces.

    `is_whole`: all lines of its hunk are there. `is_in_place`: they have the same line numbers as
    in the file. `is_ambiguous`: they occur elsewhere too, and no other hunk says which position is meant.
    """

    block: HunkBlock
    start: int
    end: int
    is_whole: bool
    is_in_place: bool
    is_ambiguous: bool


@dataclass(frozen=True, slots=True)
class LocatedHunks:
    """The located replacements, those that the article already has, and those without a position in it."""

    located: tuple[LocatedBlock, ...]
    present: tuple[HunkBlock, ...]
    missing: tuple[HunkBlock, ...]

    def count_whole(self) -> int:
        return sum(block.is_whole for block in self.located)

    def count_in_place(self) -> int:
        return sum(block.is_in_place for block in self.located)


@dataclass(slots=True)
class PlaceBudget:
    """The number of article positions that may still be compared with contexts of replacements."""

    left: int = _MAX_RESEMBLING_PLACES

    def spend(self, places: int) -> bool:
        """Take this many positions from the budget; return False if they exceed it."""
        self.left -= places
        return self.left >= 0


def locate_hunks(hunks: Sequence[Hunk], article: ArticleLines, budget: PlaceBudget) -> LocatedHunks:
    """The position of each replacement: where its whole hunk matches, or where the context is similar."""
    places = [
        article.places_of([squeezed(line.text) for line in hunk.lines if line.mark != "+"]) for hunk in hunks
    ]
    offsets = _Offsets(hunks, places)
    located, present, missing = list[LocatedBlock](), list[HunkBlock](), list[HunkBlock]()
    removed = {squeezed(line.text) for hunk in hunks for line in hunk.lines if line.mark == "-"}
    for hunk, hunk_places in zip(hunks, places, strict=True):
        if hunk_places:
            located += _whole(hunk, hunk_places, offsets)
            continue
        for block in replacements_of(hunk):
            if _is_present(block, article, removed):
                present.append(block)
            else:
                missing.append(block)
    resembling = list(_resembling(missing[:_MAX_RESEMBLING_BLOCKS], article, offsets, budget))
    blocks = {id(single.block) for single in resembling}
    missing = [block for block in missing if id(block) not in blocks]
    return LocatedHunks(tuple(_without_overlaps([*located, *resembling])), tuple(present), tuple(missing))


class _Offsets:
    """The distance of the article's lines from the file's, by hunks with only one position."""

    def __init__(self, hunks: Sequence[Hunk], places: Sequence[Sequence[int]]) -> None:
        self._known = sorted(
            (_first_old_line(hunk), hunk_places[0] + 1 - _first_old_line(hunk))
            for hunk, hunk_places in zip(hunks, places, strict=True)
            if len(hunk_places) == 1
        )

    def expected(self, old_line: int) -> int:
        """The index of the article's line that most likely corresponds to a line of the file."""
        if not self._known:
            return old_line - 1
        index = bisect_left(self._known, (old_line, 0))
        nearest = self._known[max(0, index - 1) : index + 1]
        return old_line - 1 + min(nearest, key=lambda pair: abs(pair[0] - old_line))[1]


def _first_old_line(hunk: Hunk) -> int:
    return hunk.lines[0].old if hunk.lines else 1


def _whole(hunk: Hunk, places: Sequence[int], offsets: _Offsets) -> Iterator[LocatedBlock]:
    first = _first_old_line(hunk)
    expected = offsets.expected(first)
    place = min(places, key=lambda candidate: abs(candidate - expected))
    is_ambiguous = len(places) > 1 and place != expected
    for block in replacements_of(hunk):
        start = place + block.place
        end = start + len(block.removed)
        yield LocatedBlock(block, start, end, True, place == first - 1, is_ambiguous)


def _is_present(block: HunkBlock, article: ArticleLines, removed: Set[str]) -> bool:
    """True if the article already says what the change makes the file say.

    Lines that the change removes elsewhere (`removed`) are moved: they exist and must go.
    """
    added = [squeezed(line) for line in block.added]
    weight = sum(map(_weight, added))
    if weight < _MIN_ADDED_CHARACTERS or set(added) <= removed:
        return False
    context = _Context(block, len(added))
    return any(
        weight >= _MIN_OWN_CHARACTERS or context.share(article, place) >= _MIN_CONTEXT_SHARE
        for place in article.places_of(added)
    )


def _weight(line: str) -> int:
    return sum(map(str.isalnum, line))


def _resembling(
    blocks: Iterable[HunkBlock], article: ArticleLines, offsets: _Offsets, budget: PlaceBudget
) -> Iterator[LocatedBlock]:
    for block in blocks:
        start = _resembling_place(block, article, offsets, budget)
        if start is not None:
            yield LocatedBlock(block, start, start + len(block.removed), False, False, False)


def _resembling_place(
    block: HunkBlock, article: ArticleLines, offsets: _Offsets, budget: PlaceBudget
) -> int | None:
    """The position of the removed lines whose surroundings resemble the context most."""
    removed = [squeezed(line) for line in block.removed]
    places = article.places_of(removed) if removed else range(len(article.lines) + 1)
    if not budget.spend(len(places)):
        return None
    context = _Context(block, len(removed))
    scores = {place: context.share(article, place) for place in places}
    if not scores:
        return None
    expected = offsets.expected(block.old_line)
    best = max(scores, key=lambda place: (scores[place], -abs(place - expected)))
    if len(scores) == 1 and sum(map(_weight, removed)) >= _MIN_ADDED_CHARACTERS:
        return best
    second = max((score for place, score in scores.items() if place != best), default=0.0)
    is_clear = second <= scores[best] * _MAX_SECOND_BEST
    return best if scores[best] >= _MIN_CONTEXT_SHARE and is_clear else None


class _Context:
    """The lines around a replacement of `line_count` lines, each by its distance, and their weights."""

    def __init__(self, block: HunkBlock, line_count: int) -> None:
        before = [squeezed(line) for line in reversed(block.before[-_MAX_CONTEXT_LINES:])]
        after = [squeezed(line) for line in block.after[:_MAX_CONTEXT_LINES]]
        lines = [(-1 - distance, line) for distance, line in enumerate(before)]
        lines += [(line_count + distance, line) for distance, line in enumerate(after)]
        self._lines = [(distance, line, _weight(line) + 1) for distance, line in lines]
        self._total = sum(weight for _, _, weight in self._lines) or 1

    def share(self, article: ArticleLines, place: int) -> float:
        """The share (0 to 1) of the context's weight found around a position in an article."""
        return (
            sum(
                weight * article.resemblance(place + distance, line) for distance, line, weight in self._lines
            )
            / self._total
        )


def _without_overlaps(located: Sequence[LocatedBlock]) -> Iterator[LocatedBlock]:
    """The blocks in order; of those on the same lines only the first stays, whole hunks first."""
    last: LocatedBlock | None = None
    for block in sorted(located, key=lambda each: (each.start, not each.is_whole, each.end)):
        if last is None or (block.start >= last.end and (block.start, block.end) != (last.start, last.end)):
            last = block
            yield block


def replacements_of(hunk: Hunk) -> list[HunkBlock]:
    """The replacements of a hunk, each with its own context, in their order."""
    blocks, before, place, index = list[HunkBlock](), list[str](), 0, 0
    lines = hunk.lines
    while index < len(lines):
        end = _end_of_run(lines, index)
        run = lines[index:end]
        if run[0].mark == " ":
            before = [line.text for line in run]
            place += len(run)
        else:
            after = lines[end : _end_of_run(lines, end)]
            removed = tuple(line.text for line in run if line.mark == "-")
            added = tuple(line.text for line in run if line.mark == "+")
            context = tuple(line.text for line in after)
            blocks.append(HunkBlock(place, run[0].old, removed, added, tuple(before), context, tuple(run)))
            place += len(removed)
        index = end
    return blocks


def _end_of_run(lines: Sequence[Line], start: int) -> int:
    """The end of the run of changed or unchanged lines that begins at an index."""
    end = start
    while end < len(lines) and (lines[end].mark == " ") == (lines[start].mark == " "):
        end += 1
    return end

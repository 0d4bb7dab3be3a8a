"""The changes between two texts as pages show them: words marked, long unchanged parts folded."""

from collections.abc import Iterator
from dataclasses import dataclass

from instep.content.articles.revision_schemas import VersionText
from instep.platform.text.diff import split_lines
from instep.platform.text.word_changes import LineRun, WordRun, mark_changes

# Lines that stay visible on each side of a change; fewer than `MIN_FOLDED_LINES` are never folded.
CONTEXT_LINES = 3
MIN_FOLDED_LINES = 4


@dataclass(frozen=True, slots=True)
class FoldableRun:
    """A run of lines; `folded_lines` is their number if they are folded, else 0."""

    lines: LineRun
    folded_lines: int = 0


@dataclass(frozen=True, slots=True)
class MarkedChanges:
    """The changes from one version of a text to another."""

    runs: list[FoldableRun]

    @property
    def is_empty(self) -> bool:
        return all(run.lines.change == "same" for run in self.runs)


async def mark_between(before: VersionText, after: VersionText, *, is_folded: bool = True) -> MarkedChanges:
    """The changes of the text; if the titles differ too, both texts begin with theirs as a heading."""
    texts = [before.content, after.content]
    if before.title != after.title:
        texts = [f"# {text.title}\n\n{text.content}" for text in (before, after)]
    runs = await mark_changes(*texts)
    return MarkedChanges(list(fold(runs)) if is_folded else [FoldableRun(run) for run in runs])


def fold(runs: list[LineRun]) -> Iterator[FoldableRun]:
    for number, run in enumerate(runs):
        if run.change != "same":
            yield FoldableRun(run)
            continue
        lines = split_lines(run.text)
        first = CONTEXT_LINES if number else 0
        last = len(lines) - CONTEXT_LINES if number < len(runs) - 1 else len(lines)
        yield from fold_between(lines, first, last)


def fold_between(lines: list[str], first: int, last: int) -> Iterator[FoldableRun]:
    """Unchanged lines; those from `first` to `last` are folded if there are enough."""
    if last - first < MIN_FOLDED_LINES:
        yield FoldableRun(unchanged(lines))
        return
    if first:
        yield FoldableRun(unchanged(lines[:first]))
    yield FoldableRun(unchanged(lines[first:last]), last - first)
    if last < len(lines):
        yield FoldableRun(unchanged(lines[last:]))


def unchanged(lines: list[str]) -> LineRun:
    return LineRun("same", (WordRun("same", "".join(lines)),))

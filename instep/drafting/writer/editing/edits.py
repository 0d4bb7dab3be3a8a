"""An edit of an article, its reason, and the text that edits produce."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from instep.drafting.writer.facts.became import Became
from instep.drafting.writer.porting.ported_text import PortedText

EditReason = Became | PortedText


class Replacement(Protocol):
    """A span of a text (offsets in characters), and its replacement."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...
    @property
    def new(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Edit:
    """Replaces a span of an article (offsets in characters) with `new`, because of `fact`.

    `probability` (0 to 1) is how likely the change replaced what this span refers to.
    """

    start: int
    end: int
    new: str
    fact: EditReason
    probability: float = 1.0


# The edits of each article by its id, sorted by offset and without overlaps.
EditsByArticle = dict[str, list[Edit]]


def add_edit(edits: list[Edit], edit: Edit) -> None:
    """Insert an edit by its offset, unless it overlaps an existing one."""
    index = bisect_right(edits, edit.start, key=lambda other: other.start)
    is_free_before = index == 0 or edits[index - 1].end <= edit.start
    if is_free_before and (index == len(edits) or edit.end <= edits[index].start):
        edits.insert(index, edit)


def apply(edits: Sequence[Replacement], text: str) -> str:
    """The text with each span replaced and nothing else changed; the edits are sorted by offset."""
    parts, end = list[str](), 0
    for edit in edits:
        parts += text[end : edit.start], edit.new
        end = edit.end
    return "".join([*parts, text[end:]])

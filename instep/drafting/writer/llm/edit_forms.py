"""The form in which a model proposes edits, and the spans of the articles that they replace.

An edit is anchored twice: by a line number and by a copy of the line's text. So a wrong number or a small
copying error does no harm, and an edit that fits nowhere is refused.
"""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import accumulate, islice
from typing import Literal

from pydantic import BaseModel, Field

from instep.drafting.writer.llm.located_edit import LocatedEdit
from instep.platform.core import limits
from instep.platform.core.name_matching import mention
from instep.platform.text.characters import with_single_spaces

_NUMBER = re.compile(r"(?m)^[ \t]*\d{1,6}\|")
_BLOCK = re.compile(r"[ \t]*(?:[-*+]|\d+[.)]|[|#>]|[`~]{3}|:{2,})")
# A copied line may differ from the line by this much (0 to 1).
_MIN_SIMILARITY = 0.85
# A line is searched for within this distance from the model's line number.
_NEAR_LINES = 12
_MAX_OCCURRENCES = 300


class ModelEdit(BaseModel):
    """One edit of a reply; fields that its action does not use are empty or 0."""

    article: str
    action: Literal["replace", "insert", "delete", "move", "rename", "title", "check"]
    line: int = 0
    last: int = 0
    to: int = 0
    old: str = ""
    new: str = ""
    reason: str = ""
    quote: str = ""


class ModelArticle(BaseModel):
    """A new article; `neighbor` is the short name of an article in the collection that it belongs to."""

    neighbor: str = Field("", alias="near")
    title: str
    text: str
    reason: str = ""
    quote: str = ""


class UnchangedArticle(BaseModel):
    article: str
    reason: str = ""


class ModelReply(BaseModel):
    edits: list[ModelEdit]
    articles: list[ModelArticle] = []
    unchanged: list[UnchangedArticle] = []
    show: list[str] = []
    searches: list[str] = []


class EditRefused(Exception):
    """An edit that can't be placed; the message is the end of a sentence."""


class TextLines:
    """The lines of a text, with the offset of each."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))

    def end(self, index: int) -> int:
        """The offset after a line, without its line break."""
        return self.starts[index] + len(self.lines[index])

    def find(self, number: int, copy: str) -> int:
        """The index of the line with this number, from 1, or of the nearby line that the copy matches."""
        target, index = with_single_spaces(copy.split("\n")[0]), number - 1
        if not target and 0 <= index < len(self.lines):
            return index
        if not target:
            raise EditRefused("it names no line of the article")
        by_distance = sorted(range(len(self.lines)), key=lambda at: abs(at - index))
        for at in by_distance:
            if with_single_spaces(self.lines[at]) == target:
                return at
        for at in by_distance[:_NEAR_LINES]:
            line = with_single_spaces(self.lines[at])
            # A copy may be the beginning of a long line.
            if line.startswith(target) or _is_similar(line, target):
                return at
        raise EditRefused("the line that it names is not in the article")


def located_edits(edit: ModelEdit, text: str) -> Iterator[LocatedEdit]:
    """The spans of one edit of an article's text; raises `EditRefused`."""
    lines = TextLines(text)
    new = _without_numbers(edit.new)
    if edit.action == "replace":
        yield _replacement(edit, new, lines)
    elif edit.action == "insert":
        yield _insertion(edit.line, edit.old, new, lines)
    elif edit.action == "rename":
        yield from _renames(edit.old.strip(), new.strip(), text)
    elif edit.action in ("delete", "move"):
        first = lines.find(edit.line, _without_numbers(edit.old))
        last = first + max(0, edit.last - edit.line)
        if last >= len(lines.lines):
            raise EditRefused("its last line is not in the article")
        yield _deletion(first, last, lines)
        if edit.action == "move":
            moved = "\n".join(lines.lines[first : last + 1])
            if first <= edit.to - 1 <= last:
                raise EditRefused("it moves lines into themselves")
            yield _insertion(edit.to, "", moved, lines)


def _replacement(edit: ModelEdit, new: str, lines: TextLines) -> LocatedEdit:
    old = _without_numbers(edit.old).strip("\n")
    if not old.strip():
        raise EditRefused("it does not say which text it replaces")
    start, end = _span_of(old, edit.line, lines)
    replaced = lines.text[start:end]
    new = new.strip("\n") if new.strip() else ""
    if not new and (start == 0 or lines.text[start - 1] == "\n") and lines.text[end : end + 1] == "\n":
        end += 1
    if replaced == new:
        raise EditRefused("it changes nothing")
    return LocatedEdit(start, end, new)


def _span_of(old: str, number: int, lines: TextLines) -> tuple[int, int]:
    """The occurrence of a text that begins nearest to a line, exactly or with other white space."""
    text = lines.text
    for pattern in (re.escape(old), r"\s+".join(map(re.escape, old.split()))):
        matches = islice(re.finditer(pattern, text), _MAX_OCCURRENCES)
        # A span may begin anywhere in the named line.
        if spans := [match.span() for match in matches]:
            return min(spans, key=lambda span: abs(text.count("\n", 0, span[0]) + 1 - number))
    copied = old.split("\n")
    first = lines.find(number, copied[0])
    last = first + len(copied) - 1
    there = with_single_spaces("\n".join(lines.lines[first : last + 1]))
    if last >= len(lines.lines) or not _is_similar(there, with_single_spaces(old)):
        raise EditRefused("the text that it replaces is not in the article")
    return lines.starts[first], lines.end(last)


def _insertion(number: int, copy: str, new: str, lines: TextLines) -> LocatedEdit:
    """Whole lines after a line; number 0 is the beginning of the text.

    A blank line at the beginning of `new` makes it a separate block.
    """
    is_block = not new.split("\n")[0].strip()
    new = new.strip("\n")
    if not new.strip():
        raise EditRefused("it inserts nothing")
    if number == 0 and not copy.strip():
        return LocatedEdit(0, 0, f"{new}\n\n")
    index = lines.find(number, _without_numbers(copy))
    above = lines.lines[index]
    below = lines.lines[index + 1] if index + 1 < len(lines.lines) else ""
    added = new.split("\n")
    before = "\n" if (is_block and above.strip()) or _needs_space(above, added[0]) else ""
    after = "\n" if (is_block and below.strip()) or _needs_space(added[-1], below) else ""
    return LocatedEdit(lines.end(index), lines.end(index), f"\n{before}{new}{after}")


def _needs_space(above: str, below: str) -> bool:
    """True if Markdown would join two lines that should be separate blocks."""
    if not above.strip() or not below.strip() or below[0] in " \t":
        return False
    kinds = [match[0].strip()[:1] if (match := _BLOCK.match(line)) else "" for line in (above, below)]
    return "#" in kinds or kinds[0] != kinds[1]


def _deletion(first: int, last: int, lines: TextLines) -> LocatedEdit:
    """Whole lines, and one of the two adjacent blank lines that they would leave."""
    start, end = lines.starts[first], lines.end(last) + 1
    is_blank_above = first == 0 or not lines.lines[first - 1].strip()
    is_blank_below = last + 1 < len(lines.lines) and not lines.lines[last + 1].strip()
    if is_blank_above and is_blank_below:
        end = lines.end(last + 1) + 1
    if end > len(lines.text):
        start, end = max(0, start - 1), len(lines.text)
    return LocatedEdit(start, end, "")


def _renames(old: str, new: str, text: str) -> Iterator[LocatedEdit]:
    if len(old) < 2 or not new or old == new:
        raise EditRefused("it does not say which name becomes which")
    matches = [match.span() for match in mention(old).finditer(text)]
    if not matches:
        raise EditRefused("the name that it changes is not in the article")
    if len(matches) > _MAX_OCCURRENCES:
        raise EditRefused(f"the name is in the article more than {_MAX_OCCURRENCES} times")
    yield from (LocatedEdit(start, end, new) for start, end in matches)


def _without_numbers(copy: str) -> str:
    """A text without the prompt's line numbers, if every line begins with one."""
    lines = [line for line in copy.split("\n") if line.strip()]
    return _NUMBER.sub("", copy) if lines and all(map(_NUMBER.match, lines)) else copy


def _is_similar(text: str, other: str) -> bool:
    short = max(len(text), len(other)) <= limits.INLINE_LINE_CHARACTERS
    return short and SequenceMatcher(None, text, other, autojunk=False).ratio() >= _MIN_SIMILARITY

"""Members that a change adds to a set in the code: a line among lines of its form, a literal among others."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from instep.text.file_kinds import LONG_LINE
from instep.text.patch import Hunk, Line
from instep.writer.diffs.change_set import ReviewedFile
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.line_alignment import LinePair

_LITERAL = re.compile(r"""(["'`])([^"'`\n]{2,40})\1""")
# The words of `%w[csv json]`, Ruby's list of strings, and of `%i[csv json]`, its list of symbols.
_WORD_LIST = re.compile(r"%[wi][\[({<]([^\])}>\n]*)")
# The member that a line defines: `FIT(`, `case fit = `, `System,`.
_LEADING = re.compile(r"""\s*(?:case\s+)?([A-Za-z][\w-]*)(?=\s*(?:[,;=(:]|$))""")
_WORD = re.compile(r"[A-Za-z]\w*|\d[\w.]*")
_MAX_SIBLINGS = 8
_MAX_NEW = 4
_MIN_SIBLINGS = 2

# The texts of a member that an article may show: its name and its literals, by their place in the line.
Slots = tuple[str, ...]
# A file with the pairs of its lines before and after.
ComparedFile = tuple[ReviewedFile, Sequence[LinePair]]


@dataclass(frozen=True, slots=True)
class NewMembers:
    """New members of a set, in their order; `before` and `after` are those beside them, nearest first.

    They are all the others if the set `is_whole`; else the change may not show some of them.
    """

    new: tuple[Slots, ...]
    before: tuple[Slots, ...]
    after: tuple[Slots, ...]
    source: SourceLine
    is_whole: bool = False


def find_new_members(compared: Iterable[ComparedFile]) -> Iterator[NewMembers]:
    """The new members in files that concern users; not those of sets that are new themselves."""
    for file, pairs in compared:
        if file.kind in {"test", "internal", "docs"} or file.patch.status == "added":
            continue
        for hunk in file.patch.hunks:
            yield from _new_lines(hunk, file.patch.path, file.weight)
        for pair in pairs:
            yield from _new_literals(pair.old, pair.new, file.patch.path, file.weight)


def _new_lines(hunk: Hunk, path: str, weight: float) -> Iterator[NewMembers]:
    lines = [line for line in hunk.lines if line.mark != "-" and line.text.strip()]
    removed_shapes = {_shape(line.text) for line in hunk.lines if line.mark == "-"}
    remaining_slots = {_slots(line.text) for line in lines}
    lost_slots = {
        slots
        for line in hunk.lines
        if line.mark == "-" and (slots := _slots(line.text)) not in remaining_slots
    }
    at = 0
    while at < len(lines):
        if lines[at].mark != "+" or not _slots(lines[at].text):
            at += 1
            continue
        shape, end = _shape(lines[at].text), at + 1
        while end < len(lines) and lines[end].mark == "+" and _shape(lines[end].text) == shape:
            end += 1
        new = [line for line in lines[at:end] if not _was_there(line, hunk)]
        before = _siblings(lines[:at][::-1], shape, hunk)
        after = _siblings(lines[end:], shape, hunk)
        is_replaced = bool(lost_slots) and shape in removed_shapes
        if 0 < len(new) <= _MAX_NEW and not is_replaced and len(before) + len(after) >= _MIN_SIBLINGS:
            source = SourceLine(path, new[0].new, new[0].text, weight)
            yield NewMembers(tuple(_slots(line.text) for line in new), before, after, source)
        at = end


def _was_there(line: Line, hunk: Hunk) -> bool:
    """Whether an added line only repeats a removed one, as where a comma follows it now."""
    return any(other.mark == "-" and _slots(other.text) == _slots(line.text) for other in hunk.lines)


def _siblings(lines: Sequence[Line], shape: str, hunk: Hunk) -> tuple[Slots, ...]:
    siblings = list[Slots]()
    for line in lines[:_MAX_SIBLINGS]:
        is_old = line.mark == " " or _was_there(line, hunk)
        if _shape(line.text) == shape and is_old:
            siblings.append(_slots(line.text))
        elif not line.text.lstrip().startswith(("#", "//", "*")) and line.mark == " ":
            break
    return tuple(siblings)


def _slots(text: str) -> Slots:
    if len(text) > LONG_LINE:
        return ()
    leading = _LEADING.match(text)
    literals = [match[2] for match in _LITERAL.finditer(text)]
    return tuple(chain([leading[1]] if leading else [], literals))


def _shape(text: str) -> str:
    """The form of a line: its indent and its marks, each word and literal as one."""
    bare = _WORD.sub("w", _LITERAL.sub("s", text.rstrip().rstrip(",;")))
    return re.sub(r"(?:w[\s.]*)+", "w", bare)


def _literals(text: str) -> list[str]:
    words = _WORD_LIST.search(text)
    return words[1].split() if words else [match[2] for match in _LITERAL.finditer(text)]


def _new_literals(old: Line, new: Line, path: str, weight: float) -> Iterator[NewMembers]:
    """Literals that a line with several of them has in addition: `"jpg" | "png" | "avif"`, `%w[jpg png]`."""
    if max(len(old.text), len(new.text)) > LONG_LINE:
        return
    before, after = (_literals(line.text) for line in (old, new))
    added = [text for text in after if text not in before]
    if len(before) < _MIN_SIBLINGS or not 0 < len(added) <= _MAX_NEW or any(t not in after for t in before):
        return
    first = after.index(added[0])
    if after[first : first + len(added)] != added:
        return
    earlier, later = after[:first][::-1], after[first + len(added) :]
    yield NewMembers(
        tuple((text,) for text in added),
        tuple((text,) for text in earlier),
        tuple((text,) for text in later),
        SourceLine(path, new.new, new.text, weight),
        is_whole=True,
    )

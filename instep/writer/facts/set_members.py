"""Members that a set in the code gets or loses: a line among lines of its form, a literal among others."""

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
_TEXT = re.compile(r"""(["'`])((?:\\.|(?!\1)[^\\])*)\1""")
# The words of `%w[csv json]`, Ruby's list of strings, and of `%i[csv json]`, its list of symbols.
_WORD_LIST = re.compile(r"%[wi][\[({<]([^\])}>\n]*)")
# The member that a line defines: `FIT(`, `case fit = `, `System,`.
_LEADING = re.compile(r"""\s*(?:case\s+)?([A-Za-z][\w-]*)(?=\s*(?:[,;=(:]|$))""")
_WORD = re.compile(r"[A-Za-z]\w*|\d[\w.]*")
_NAME = re.compile(r"[A-Za-z][\w-]*")
_MAX_SIBLINGS = 8
_MAX_CHANGED = 4
_MIN_SIBLINGS = 2

# The texts of a member that an article may show: its name and its literals, by their place in the line.
Slots = tuple[str, ...]
# A file with the pairs of its lines before and after.
ComparedFile = tuple[ReviewedFile, Sequence[LinePair]]


@dataclass(frozen=True, slots=True)
class MemberChange:
    """What a set gets, `new`, or loses, `removed`; `before` and `after` stay beside it, nearest first.

    They are all the others if the set `is_whole`; else the change may not show some of them. A text of the
    code that lists them is `quoted` as it was: 'Must be "a" or "b"'.
    """

    new: tuple[Slots, ...]
    removed: tuple[Slots, ...]
    before: tuple[Slots, ...]
    after: tuple[Slots, ...]
    source: SourceLine
    is_whole: bool = False
    quoted: str = ""


def find_member_changes(compared: Sequence[ComparedFile]) -> Iterator[MemberChange]:
    """The changes of sets in files that concern users; not sets that are new themselves, or move."""
    visible = [(file, pairs) for file, pairs in compared if file.kind not in {"test", "internal", "docs"}]
    added_texts = _literals_and_names(file for file, _ in visible)
    for file, pairs in visible:
        if file.patch.status in {"added", "deleted"}:
            continue
        changes = [
            *(change for hunk in file.patch.hunks for change in members_in_lines(hunk, file)),
            *(change for pair in pairs for change in _in_literals(pair.old, pair.new, file)),
        ]
        yield from (change for change in changes if not _goes_on(change.removed, added_texts))


def _literals_and_names(files: Iterable[ReviewedFile]) -> frozenset[str]:
    """What the added lines of a change have in places where the name of a member may stand."""
    lines = (line.text for file in files for line in file.patch.lines() if line.mark == "+")
    return frozenset(text for line in lines if len(line) <= LONG_LINE for text in _texts_in(line))


def _texts_in(line: str) -> Iterator[str]:
    yield from _NAME.findall(line)
    yield from _literals(line)


def _goes_on(removed: Sequence[Slots], added_texts: frozenset[str]) -> bool:
    return any(slot in added_texts for slots in removed for slot in slots)


def members_in_lines(hunk: Hunk, file: ReviewedFile) -> Iterator[MemberChange]:
    """Lines of a form that are added to, or taken from, others of that form."""
    for mark, other_mark in (("+", "-"), ("-", "+")):
        lines = [line for line in hunk.lines if line.mark != other_mark and line.text.strip()]
        other = _OtherSide.of(hunk, lines, other_mark)
        at = 0
        while at < len(lines):
            shape, end = _shape(lines[at].text), at + 1
            if lines[at].mark == mark and _slots(lines[at].text):
                while end < len(lines) and lines[end].mark == mark and _shape(lines[end].text) == shape:
                    end += 1
                yield from _of_run(lines, at, end, other, file)
            at = end


@dataclass(frozen=True, slots=True)
class _OtherSide:
    """The forms and members of the lines of a hunk that the other text alone has.

    `has_more` says that one of those members is not among the lines of this text.
    """

    shapes: frozenset[str]
    members: frozenset[Slots]
    has_more: bool

    @classmethod
    def of(cls, hunk: Hunk, lines: Sequence[Line], mark: str) -> "_OtherSide":
        texts = [line.text for line in hunk.lines if line.mark == mark]
        members = frozenset(map(_slots, texts))
        has_more = not members <= {_slots(line.text) for line in lines}
        return cls(frozenset(map(_shape, texts)), members, has_more)

    def repeats(self, line: Line) -> bool:
        """Whether it has the member of a changed line too, as where a comma follows it now."""
        return _slots(line.text) in self.members

    def is_exchange(self, shape: str) -> bool:
        """Whether it has lines of the form, and one that is not among these."""
        return shape in self.shapes and self.has_more


def _of_run(
    lines: Sequence[Line], start: int, end: int, other: _OtherSide, file: ReviewedFile
) -> Iterator[MemberChange]:
    """The change that a run of changed lines of one form makes, if other lines have that form."""
    mark, shape = lines[start].mark, _shape(lines[start].text)
    changed = [at for at in range(start, end) if not other.repeats(lines[at])]
    if not 0 < len(changed) <= _MAX_CHANGED:
        return
    before = _siblings(lines[: changed[0]][::-1], shape, other)
    after = _siblings(lines[changed[-1] + 1 :], shape, other)
    if len(before) + len(after) >= _MIN_SIBLINGS and not other.is_exchange(shape):
        members, first = tuple(_slots(lines[at].text) for at in changed), lines[changed[0]]
        source = SourceLine(file.patch.path, first.new if mark == "+" else first.old, first.text, file.weight)
        new, removed = (members, ()) if mark == "+" else ((), members)
        yield MemberChange(new, removed, before, after, source)


def _siblings(lines: Sequence[Line], shape: str, other: _OtherSide) -> tuple[Slots, ...]:
    siblings = list[Slots]()
    for line in lines[:_MAX_SIBLINGS]:
        stays = line.mark == " " or other.repeats(line)
        if _shape(line.text) == shape and stays:
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


def _texts_that_list(old: str, new: str) -> tuple[str, str] | None:
    """The one quoted text in which two lines differ, if it quotes others: 'Must be "a" or "b"'."""
    before, after = ([match[2] for match in _TEXT.finditer(line)] for line in (old, new))
    differing = [texts for texts in zip(before, after, strict=False) if texts[0] != texts[1]]
    if len(before) != len(after) or len(differing) != 1:
        return None
    return differing[0] if all(" " in text and _LITERAL.search(text) for text in differing[0]) else None


def _in_literals(old: Line, new: Line, file: ReviewedFile) -> Iterator[MemberChange]:
    """Literals that a line with several gets or loses: `"jpg" | "png" | "avif"`, `%w[jpg png]`."""
    if max(len(old.text), len(new.text)) > LONG_LINE:
        return
    texts = _texts_that_list(old.text, new.text)
    before, after = (_literals(text) for text in texts or (old.text, new.text))
    less, more = sorted((before, after), key=len)
    changed = [text for text in more if text not in less]
    if len(less) < _MIN_SIBLINGS or not 0 < len(changed) <= _MAX_CHANGED or any(t not in more for t in less):
        return
    first = more.index(changed[0])
    if more[first : first + len(changed)] != changed:
        return
    members = tuple((text,) for text in changed)
    new_members, removed = (members, ()) if more is after else ((), members)
    yield MemberChange(
        new_members,
        removed,
        tuple((text,) for text in more[:first][::-1]),
        tuple((text,) for text in more[first + len(changed) :]),
        SourceLine(file.patch.path, new.new, new.text, file.weight),
        is_whole=True,
        quoted=texts[0] if texts else "",
    )

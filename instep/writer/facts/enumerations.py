"""Lists of values that grow or shrink in the code, in the ways in which a sentence names all of them."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from instep.text.patch import Hunk, Line
from instep.writer.diffs.change_set import ReviewedFile
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.rewordings import Rewording

# `ALLOWED_FORMATS = ["jpg", "png"]`, in one line or with a line for each member.
_LIST = re.compile(
    r"""(?P<head>[\w.$"'-]{1,60}\s{0,2}(?::[^\n=]{0,60})?[=:(]\s{0,2}(?:[\w.]{0,30}[(\[{]\s{0,20})?)"""
    r"""[\[({]\s{0,40}(?P<members>(?:["'][\w./+ -]{1,40}["'],?\s{0,40}){2,30})[\])}]"""
)
_MEMBER = re.compile(r"""["']([\w./+ -]{1,40})["']""")
_JOINTS = (
    (", ", ", "),
    (", ", " and "),
    (", ", ", and "),
    (", ", " or "),
    (", ", ", or "),
    ("/", "/"),
    (" / ", " / "),
)
_MARKS = ("", "`", "``", '"', "**")
_MIN_MEMBERS = 3
_MAX_HUNK_LINES, _MAX_LISTS = 400, 10
_MIN_WEIGHT = 0.5


def find_enumerations(files: Sequence[ReviewedFile]) -> Iterator[Rewording]:
    """What a sentence says of a list before and after: "JPG, PNG or GIF" for `["jpg", "png", "gif"]`."""
    lists = (
        changed
        for file in files
        if file.weight >= _MIN_WEIGHT
        for hunk in file.patch.hunks
        if len(hunk.lines) <= _MAX_HUNK_LINES
        for changed in _in_hunk(hunk, file)
    )
    for old, new, source in islice(lists, _MAX_LISTS):
        yield from _spelled(old, new, source)


def _in_hunk(hunk: Hunk, file: ReviewedFile) -> Iterator[tuple[Sequence[str], Sequence[str], SourceLine]]:
    """The lists that only get members, or only lose some, and a line of the code that shows it."""
    old_lists, new_lists = _lists(hunk, "-"), _lists(hunk, "+")
    for head, old in old_lists.items():
        new = new_lists.get(head)
        added = [member for member in new or () if member not in old]
        removed = [member for member in old if new is not None and member not in new]
        line = _line_with((*added, *removed), hunk)
        # A list that gets members and loses others may have become another one.
        if new and line and bool(added) != bool(removed) and max(len(old), len(new)) >= _MIN_MEMBERS:
            number = line.old if line.mark == "-" else line.new
            yield old, new, SourceLine(file.patch.path, number, line.text, file.weight)


def _line_with(members: Sequence[str], hunk: Hunk) -> Line | None:
    return next(
        (line for line in hunk.lines if line.mark != " " and any(member in line.text for member in members)),
        None,
    )


def _lists(hunk: Hunk, mark: str) -> Mapping[str, Sequence[str]]:
    """The whole lists of one side of a hunk by what stands before them."""
    text = "\n".join(line.text for line in hunk.lines if line.mark in (" ", mark))
    return {match["head"].strip(): _MEMBER.findall(match["members"]) for match in _LIST.finditer(text)}


def _spelled(old: Sequence[str], new: Sequence[str], source: SourceLine) -> Iterator[Rewording]:
    for spell in (str, str.upper, str.capitalize):
        for mark in _MARKS:
            before, after = ([f"{mark}{spell(member)}{mark}" for member in members] for members in (old, new))
            for comma, last in _JOINTS:
                texts = (_joined(before, comma, last), _joined(after, comma, last))
                yield Rewording(*texts, (source,), is_part=True)


def _joined(members: Sequence[str], comma: str, last: str) -> str:
    """The members of a list in a sentence; two of them need no comma before the word between them."""
    last = last.removeprefix(",") if len(members) == 2 and last != ", " else last
    return comma.join(members[:-1]) + last + members[-1]

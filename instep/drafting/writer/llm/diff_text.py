"""A change as a model reads it: whole if it is short, else the lines that users notice most."""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from instep.drafting.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.drafting.writer.shapes import CodeExcerpt
from instep.platform.text.patch import Line

_MAX_LINE_CHARACTERS = 500
_CONTEXT_LINES = 3
_MAX_COUNTS = 40
# The lines of each run of added or removed lines in a long diff, in rising steps.
_RUN_STEPS = (3, 6, 12, 25)
_IMPORT = re.compile(
    r"\s*+(?:import\b|from\s++\S++\s++import\b|using\b|#include\b|package\b)|\W*+from\s++[\"']"
)
_BRACKETS = re.compile(r"\W*+$")
_QUOTED = re.compile(r"[\"'`>]([^\"'`<>]{2,})[\"'`<]")
_NAME = re.compile(r"\b[A-Z][A-Z0-9]*+_[A-Z0-9_]++\b|\s--[a-z]|[@/][a-z{:]")
# Words without code, which may be a comment.
_PROSE = re.compile(r"\s*+(?:(?:[#*]++|//++|/[*]++|--++)\s)?+[\w\s,.!?':;()`-]++$")
_MIN_PROSE_WORDS = 3
_COUNTED_KINDS = frozenset(("test", "internal"))


def diff_text(change_set: ChangeSet, max_bytes: int) -> str:
    """The diff, the most user-facing files first, in at most about `max_bytes` of UTF-8.

    Tests, lock files and generated files are only counted. If the diff is too long, it loses the context
    lines, and the lines of each file that users notice least.
    """
    files = noticed_files(change_set)
    ends = [count_of(file) for file in change_set.files if file not in files]
    ends += [f"({path}: {kind})" for path, kind in change_set.skipped]
    if change_set.skipped_for_size:
        ends.append(f"({change_set.skipped_for_size} more files, too large to read)")
    room = max_bytes - size_of(ends[:_MAX_COUNTS])
    if len(ends) > _MAX_COUNTS:
        ends = [*ends[:_MAX_COUNTS], f"(and {len(ends) - _MAX_COUNTS} more files)"]
    texts = ["\n".join(_file_lines(file, _CONTEXT_LINES)) for file in files]
    if size_of(texts) > room:
        texts = _fitting(files, room)
    return "\n".join([*texts, *ends])


def code_text(change_set: ChangeSet, excerpts: Sequence[CodeExcerpt], max_bytes: int) -> str:
    """The code around the hunks of files that users may notice, in their order, as much as fits."""
    texts, room = list[str](), max_bytes
    for file in noticed_files(change_set):
        for row in excerpts:
            lines = [f"{row.file}, from line {row.start_line}:", row.text, ""]
            if row.file == file.patch.new_path and size_of(lines) <= room:
                room -= size_of(lines)
                texts += lines
    return "\n".join(texts)


def noticed_files(change_set: ChangeSet) -> list[ReviewedFile]:
    """The files that users may notice, or all files if there are none."""
    return [file for file in change_set.files if file.kind not in _COUNTED_KINDS] or list(change_set.files)


def _fitting(files: Sequence[ReviewedFile], max_bytes: int) -> list[str]:
    """A count for each file or, while there is room, more and more of its lines."""
    texts = [count_of(file) for file in files]
    room = max_bytes - size_of(texts)
    for longest_run in (*_RUN_STEPS, None):
        for number, file in enumerate(files):
            text = "\n".join(_file_lines(file, 0, longest_run))
            growth = size_of([text]) - size_of([texts[number]])
            if growth <= room:
                room, texts[number] = room - growth, text
    return texts


def count_of(file: ReviewedFile) -> str:
    """The line that stands for a file in a diff that is too long: its path and how much has changed."""
    marks = [line.mark for line in file.patch.lines()]
    return f"({file.patch.path}: {marks.count('+')} lines added, {marks.count('-')} removed; not shown)"


def _file_lines(file: ReviewedFile, context: int, longest_run: int | None = None) -> Iterator[str]:
    yield f"--- {file.patch.old_path}"
    yield f"+++ {file.patch.new_path}"
    for hunk in file.patch.hunks:
        yield f"@@ {hunk.section}"
        yield from _hunk_lines(hunk.lines, context, longest_run)


def _hunk_lines(lines: Sequence[Line], context: int, longest_run: int | None) -> Iterator[str]:
    runs = _runs(lines)
    visible = {at for run in runs for index in run for at in range(index - context, index + context + 1)}
    if longest_run is not None:
        visible = {index for run in runs for index in _noticed(lines, run, longest_run)}
    hidden = 0
    for index, line in enumerate(lines):
        if index not in visible:
            hidden += line.mark != " "
            continue
        if hidden:
            yield _gap(hidden)
        hidden = 0
        yield line.mark + line.text[:_MAX_LINE_CHARACTERS]
    if hidden:
        yield _gap(hidden)


def _gap(count: int) -> str:
    return f"[lines not shown: {count}]"


def _runs(lines: Sequence[Line]) -> list[list[int]]:
    """The indexes of neighboring lines that are all added, or all removed."""
    groups = groupby(range(len(lines)), key=lambda index: lines[index].mark)
    return [list(run) for mark, run in groups if mark != " "]


def _noticed(lines: Sequence[Line], run: Sequence[int], count: int) -> list[int]:
    """The lines of a run that users notice most, at most `count`; never imports and brackets."""
    weights = {index: _weight(lines[index].text) for index in run}
    ranked = sorted(run, key=lambda index: -weights[index])
    return [index for index in ranked[:count] if weights[index] >= 0]


def _weight(text: str) -> int:
    """The weight of a line for users: 2 for texts, 1 for names and values, 0 for other code, else -1."""
    if _BRACKETS.match(text) or _IMPORT.match(text):
        return -1
    quoted = _QUOTED.findall(text)
    is_prose = len(text.split()) >= _MIN_PROSE_WORDS and _PROSE.match(text)
    if is_prose or any(" " in part.strip() for part in quoted):
        return 2
    return int(bool(quoted) or bool(_NAME.search(text)))


def size_of(texts: Iterable[str]) -> int:
    """The bytes of some lines in UTF-8."""
    return sum(len(text.encode("utf-8", "replace")) + 1 for text in texts)

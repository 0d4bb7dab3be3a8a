"""The code around the changed lines of a diff: the function or block that contains them, or nearby lines."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from instep.platform.core import limits
from instep.platform.text.file_kinds import kind_of
from instep.platform.text.patch import FilePatch, Hunk
from instep.platform.text.patch_parser import parse_diff

# A longer block is cut: only this many lines on both sides of the change are part of its code.
MAX_BLOCK_LINES, LINES_AROUND = 80, 12
CLOSING = ("}", ")", "]", "end", "</")


def files_to_read(diff: str) -> list[FilePatch]:
    """The changed files of code to read, those of the interface first; raises `InvalidDiff`."""
    files = [file for file in parse_diff(diff).files if file.hunks and file.status in ("modified", "renamed")]
    files = [file for file in files if file.new_path.isprintable()]
    by_kind = [file for kind in ("interface", "code") for file in files if kind_of(file) == kind]
    return by_kind[: limits.MAX_CONTEXT_FILES]


def code_within(files: Iterable[FilePatch], contents: Mapping[str, str]) -> list[dict[str, Any]]:
    """The code around the hunks of files with these contents, as the field `code` of a task has it."""
    rows, room = list[dict[str, Any]](), limits.MAX_CONTEXT_CHARACTERS
    for file in files:
        content = contents.get(file.new_path, "")
        for start, text in code_around(file, content) if content else ():
            if len(text) <= room and len(rows) < limits.MAX_CODE_EXCERPTS:
                room -= len(text)
                rows.append({"file": file.new_path, "startLine": start, "text": text})
    return rows


def code_around(file: FilePatch, content: str) -> Iterator[tuple[int, str]]:
    """The blocks around the hunks of a file, each after the number of its first line.

    Blocks that the hunks show whole are left out.
    """
    lines = content.rstrip("\n").split("\n")
    if max(map(len, lines)) > limits.INLINE_LINE_CHARACTERS:
        return
    spans = list[tuple[int, int]]()
    for first, last in map(changed_span, file.hunks):
        if last - first > MAX_BLOCK_LINES:
            continue
        start, end = block_around(lines, first, last)
        if spans and start <= spans[-1][1] + 1:
            start, end = spans[-1][0], max(end, spans.pop()[1])
        spans.append((start, end))
    seen = {line.new for line in file.lines() if line.mark != "-"}
    for start, end in spans:
        text = "\n".join(lines[start - 1 : end])[: limits.MAX_CODE_EXCERPT_CHARACTERS]
        if not seen.issuperset(range(start, end + 1)):
            yield start, text


def changed_span(hunk: Hunk) -> tuple[int, int]:
    """The first and the last changed line of a hunk, by their numbers after the change."""
    numbers = [line.new for line in hunk.lines if line.mark != " "]
    return numbers[0], numbers[-1]


def block_around(lines: Sequence[str], first: int, last: int) -> tuple[int, int]:
    """The largest block by indentation around some lines that is not too long, or the lines near them."""
    first, last = min(first, len(lines)), min(last, len(lines))
    start, end = max(1, first - LINES_AROUND), min(len(lines), last + LINES_AROUND)
    while depth := min(depths(lines[first - 1 : last]), default=0):
        top = outside(lines, range(first - 1, 0, -1), depth)
        bottom = outside(lines, range(last + 1, len(lines) + 1), depth)
        if top is None or bottom is None or bottom - top > MAX_BLOCK_LINES:
            break
        closes = bottom <= len(lines) and lines[bottom - 1].lstrip().startswith(CLOSING)
        first, last = top, bottom if closes else bottom - 1
        start, end = min(start, first), max(end, last)
    return start, end


def depths(lines: Sequence[str]) -> Iterator[int]:
    """The indentation of each line that is not blank."""
    return (len(line) - len(line.lstrip()) for line in lines if line.strip())


def outside(lines: Sequence[str], numbers: range, depth: int) -> int | None:
    """The first of these lines that is less indented than a block; beyond the end, the line after it."""
    for number in numbers[: MAX_BLOCK_LINES + 1]:
        if any(other < depth for other in depths(lines[number - 1 : number])):
            return number
    return numbers.stop if len(numbers) <= MAX_BLOCK_LINES and numbers.step > 0 else None

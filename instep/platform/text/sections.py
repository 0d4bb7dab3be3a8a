"""The sections of a Markdown text and their parts between blank lines, in one pass over its lines.

`blocks.read_blocks` reads the same headings with the renderer, which takes more than twice as long (0.35 ms
instead of 0.15 for 5,600 characters), and far longer for hostile texts. The search reads whole articles for
each question, in the process that serves all visitors, so it needs time that is linear in their length.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
UNDERLINE = re.compile(r" {0,3}(=+|-+)[ \t]*$")
FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
DELIMITER_ROW = re.compile(r"(?=[^|]*\|)(?=[^-]*-)[ \t|:-]+$")
_PADDING = re.compile(r"(?<=\|) {2,}|(?<! ) {2,}+(?=\|)")
# A longer header row is not repeated in the parts of a split table.
MAX_REPEATED_CHARACTERS = 300
# The beginning of a block that is not a paragraph, so that a line below it does not make it a heading.
OTHER_BLOCK = re.compile(r" {0,3}(?:[-*+>|#]|\d{1,9}[.)] |`{3}|~{3})| {4}|\t|\s*$")


class TextSection(NamedTuple):
    """The lines below a heading up to the next one, of any level.

    `titles` are the Markdown of the headings above, the outermost first. `number` is the index, from 0, of
    the innermost one among the text's headings, or `None` before the first.
    """

    titles: tuple[str, ...]
    number: int | None
    lines: list[str]


def read_sections(markdown: str) -> Iterator[TextSection]:
    """The sections of a text in order; the first one has no heading; any may have no lines."""
    path: list[tuple[int, str]] = []
    section = TextSection((), None, [])
    fence = ""
    for line in markdown.replace("\r\n", "\n").replace("\r", "\n").split("\n"):
        if fence:
            fence = "" if _closes(line, fence) else fence
        elif opening := FENCE.match(line):
            fence = opening[1]
        elif heading := _heading_at(line, section.lines):
            yield section
            level = heading[0]
            path = [*(above for above in path if above[0] < level), heading]
            number = 0 if section.number is None else section.number + 1
            section = TextSection(tuple(title for _, title in path), number, [])
            continue
        section.lines.append(line)
    yield section


def split_into_parts(lines: Sequence[str], max_characters: int) -> Iterator[str]:
    """The parts of a text between blank lines. A code block is one part; longer parts are split.

    If a table is split, each part gets its header, whose length does not count, because rows need it. The
    cells of tables lose their padding.
    """
    part: list[str] = []
    length, fence = 0, ""
    for line in lines:
        if fence:
            fence = "" if _closes(line, fence) else fence
        elif opening := FENCE.match(line):
            fence = opening[1]
        else:
            line = without_padding(line)
        ends = not fence and not line.strip()
        if length and (ends or length + len(line) > max_characters):
            yield "\n".join(part)
            part, length = [] if ends or fence else _table_head(part, line), 0
        for start in range(0, 0 if ends else max(1, len(line)), max_characters):
            if length and length + len(line) > max_characters:
                yield "\n".join(part)
                part, length = [], 0
            part.append(line[start : start + max_characters])
            length += len(part[-1])
    if any(line.strip() for line in part):
        yield "\n".join(part)


def without_padding(line: str) -> str:
    """A line of a table without the spaces that align its cells; any other line as it is."""
    return _PADDING.sub(" ", line) if line.startswith("|") else line


def _table_head(part: Sequence[str], line: str) -> list[str]:
    """The header and delimiter rows of the table in a part, if a line continues it."""
    if "|" not in line:
        return []
    for header_row, delimiter_row in pairwise(part):
        if DELIMITER_ROW.match(delimiter_row) and "|" in header_row:
            return [header_row, delimiter_row] if len(header_row) <= MAX_REPEATED_CHARACTERS else []
    return []


def _heading_at(line: str, lines_above: list[str]) -> tuple[int, str] | None:
    """Level and title of the heading that a line is or underlines; the title above is removed."""
    if match := HEADING.match(line):
        return len(match[1]), without_closing_hashes(line[match.end() :])
    if underlines_heading(line) and lines_above and not OTHER_BLOCK.match(lines_above[-1]):
        return (1 if "=" in line else 2), lines_above.pop()
    return None


def underlines_heading(line: str) -> bool:
    """True if a line makes the text above it a heading (CommonMark 0.31.2, section 4.3)."""
    return UNDERLINE.match(line) is not None


def without_closing_hashes(title: str) -> str:
    """The text of a heading without the `#` characters that may end it (CommonMark 0.31.2, section 4.2)."""
    title = title.strip(" \t")
    opening = title.rstrip("#")
    return opening.rstrip(" \t") if not opening or opening[-1] in " \t" else title


def _closes(line: str, fence: str) -> bool:
    """True if a line ends the code block that this fence began (CommonMark 0.31.2, section 4.5)."""
    closing = FENCE.match(line)
    return closing is not None and closing[1].startswith(fence) and not line[closing.end() :].strip()

"""Repairs tables whose head and rule differ in their cells, which GitHub's Markdown shows as text."""

import re
from itertools import takewhile

_RULE = re.compile(r"([ \t>]*+)\|[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?+[ \t]*+")
_BAR = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(r"[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?+")


def repair_table_heads(text: str) -> str:
    """The text with as many cells in the head and the rule of a table as its widest row has.

    Code in the text must be hidden.
    """
    if "|" not in text:
        return text
    lines = text.split("\n")
    end = 0
    for number in range(1, len(lines)):
        head, rule = _row(lines[number - 1]), _RULE.fullmatch(lines[number])
        if number < end or rule is None or not head or _RULE.fullmatch(lines[number - 1]):
            continue
        below = (_row(lines[at]) for at in range(number + 1, len(lines)))
        rows = list(takewhile(bool, below))
        end = number + 1 + len(rows)
        cells, marks = _cells(head), _cells(_row(lines[number]))
        if len(cells) != len(marks):
            width = max(map(len, [cells, *map(_cells, rows)]))
            lines[number - 1] = lines[number - 1].removesuffix(head) + _written(cells, width, "")
            lines[number] = rule[1] + _written(marks[:width], width, "---")
    return "\n".join(lines)


def _row(line: str) -> str:
    """The line from its first bar; empty if no row of a table begins with a bar."""
    marks = _MARKS.match(line)
    row = line[marks.end() :] if marks else line
    return row if row.startswith("|") else ""


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|")
    cells = _BAR.split(inner)
    return [cell.strip() for cell in (cells[:-1] if len(cells) > 1 and not cells[-1].strip() else cells)]


def _written(cells: list[str], width: int, blank: str) -> str:
    padded = [*cells, *[blank] * (width - len(cells))]
    return f"| {' | '.join(padded)} |"

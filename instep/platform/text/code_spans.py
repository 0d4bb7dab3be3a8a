"""The spans of code inside of Markdown text, between runs of equally many backticks."""

import re
from collections.abc import Iterator

_BACKTICKS = re.compile(r"(?<!\\)`+")


def code_spans(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each span (CommonMark 0.31.2, section 6.1)."""
    end = 0
    for run, closing in runs_of_backticks(text):
        if closing is not None and run.start() >= end:
            end = closing.end()
            yield run.start(), end


def runs_of_backticks(text: str) -> Iterator[tuple[re.Match[str], re.Match[str] | None]]:
    """The runs of backticks, each with the next one of the same length."""
    runs = list(_BACKTICKS.finditer(text))
    following: dict[int, re.Match[str]] = {}
    closing: list[re.Match[str] | None] = []
    for run in reversed(runs):
        closing.append(following.get(len(run[0])))
        following[len(run[0])] = run
    return zip(runs, reversed(closing), strict=True)

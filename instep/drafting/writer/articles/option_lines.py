"""Options that an article lists like a command's help: one line each, in columns."""

import re
from collections.abc import Iterator, Sequence

from instep.drafting.writer.articles.parsed_article import TextLine

# A flag, its value and its text; a command without a text may continue in the next line.
_LINE = re.compile(
    r"(?P<lead>\s{2,40}(?:-\w(?:,\s{0,2}|\s)\s{0,4})?)(?P<flag>--[a-z][\w-]{0,60}\w)"
    r"(?:[ =\[](?! )[^\s]{1,60}(?: [^\s]{1,40}){0,3}?)?\s{2,80}[^\s-].*(?<!\\)"
)


def option_runs(lines: Sequence[TextLine]) -> Iterator[list[tuple[str, list[TextLine]]]]:
    """Adjacent options with their lines: a continued text is indented as deep as it began."""
    run = list[tuple[str, list[TextLine]]]()
    depth = 0
    for line in lines:
        option = _LINE.fullmatch(line.text) if "--" in line.text else None
        if option:
            run.append((option["flag"], [line]))
            depth = len(option["lead"])
        elif run and len(line.text) - len(line.text.lstrip()) > depth:
            run[-1][1].append(line)
        elif run:
            yield run
            run = []
    if run:
        yield run

"""Words of others, made harmless for a log, a line of it, and a page in Markdown."""

import re
from collections.abc import Sequence

from instep.core import limits

# How runners are commanded from within a line, as in `##[group]` and `##vso[…]`.
COMMAND = re.compile(r"##(?=\w*\[)")
# In Markdown, and in the HTML that it may hold.
SIGNIFICANT = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>&@:$])")


def without_commands(text: str) -> str:
    """One line without what commands a terminal or, unless the line begins with it, a runner."""
    signs = (sign if sign.isprintable() or sign == "\t" else "\N{REPLACEMENT CHARACTER}" for sign in text)
    return COMMAND.sub("# #", "".join(signs))


def one_line(text: str) -> str:
    """Sentences, however they were broken into lines."""
    return without_commands(" ".join(text.split()))


def line_excerpt(text: str) -> str:
    """The beginning of a line, with its indentation."""
    most = limits.MAX_REPORTED_LINE_CHARACTERS
    return without_commands(text if len(text) <= most else text[: most - 1] + "…")


def escaped(text: str) -> str:
    """What a page in Markdown shows as it is."""
    return SIGNIFICANT.sub(r"\\\1", one_line(text)).replace("\\<", "&lt;").replace("\\&", "&amp;")


def fenced(lines: Sequence[str], language: str) -> str:
    longest = max((len(ticks) for line in lines for ticks in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{language}", *lines, fence])

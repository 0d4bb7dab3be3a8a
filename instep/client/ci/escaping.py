"""Escape untrusted text for the log of a CI service and for Markdown."""

import re
from collections.abc import Sequence

from instep.platform.core import limits
from instep.platform.text.characters import replace_unprintable, shorten

# Azure Pipelines executes commands such as `##[group]` and `##vso[…]` anywhere in a line.
COMMAND = re.compile(r"##(?=\w*\[)")
# Characters with a meaning in Markdown or HTML.
SIGNIFICANT = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>&@:$])")
# The characters after an escape that begin a mention, a reference or a command in GitHub or GitLab; and URLs.
REFERENCE = re.compile(r"(\\[@#!~$\[]|%)(?=\w)|^(?=/)")
ADDRESS = re.compile(r"(www|\\:)(\\\.|//)", re.IGNORECASE)
# A code span that no other backtick touches.
CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
ZERO_WIDTH_SPACE = "\u200b"


def without_commands(text: str) -> str:
    """The text without control sequences of terminals, and without commands of runners inside a line."""
    return COMMAND.sub("# #", replace_unprintable(text, allowed="\t"))


def one_line(text: str) -> str:
    """The text on one line."""
    return without_commands(" ".join(text.split()))


def line_excerpt(text: str) -> str:
    """The start of a line, with its indentation."""
    return without_commands(shorten(text, limits.MAX_REPORTED_LINE_CHARACTERS))


def escaped(text: str) -> str:
    """The text on one line, escaped so that Markdown shows it unchanged."""
    return _with_escapes(one_line(text))


def inert(text: str) -> str:
    """The text on one line with its code as code, and all else escaped.

    A code host finds no mention, reference, label or URL in it: hosts look for none in code.
    """
    parts = CODE.split(one_line(text))
    return "".join(f"`{part}`" if number % 2 else _inert_words(part) for number, part in enumerate(parts))


def _inert_words(text: str) -> str:
    marked = REFERENCE.sub(lambda match: (match[1] or "") + ZERO_WIDTH_SPACE, _with_escapes(text))
    return ADDRESS.sub(rf"\1{ZERO_WIDTH_SPACE}\2", marked)


def _with_escapes(text: str) -> str:
    return SIGNIFICANT.sub(r"\\\1", text).replace("\\<", "&lt;").replace("\\&", "&amp;")


def fenced(lines: Sequence[str], language: str) -> str:
    longest = max((len(ticks) for line in lines for ticks in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join([f"{fence}{language}", *lines, fence])

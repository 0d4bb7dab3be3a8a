"""What the code around a definition says of it: the comment above, the doc string below, its help text."""

import re
from collections.abc import Iterator, Sequence

from instep.writer.diffs.patch import Hunk
from instep.writer.facts.declarations import Declaration
from instep.writer.words.prose import is_prose, prose_of

_SIGNS = re.compile(r"^\s*+(?:#+|//+!?|/\*+|\*+/|\*|--)\s?|(?<!\s)\s*+\*/\s*+$")
_COMMENT = re.compile(r"\s*(?:#(?!\[)|//|/\*|\*)")
_DECORATOR = re.compile(r"\s*@[\w.]+")
_QUOTED = re.compile(r"""[rfu]?("{3}|'{3})(.*?)(?:\1|\Z)|([\"'`])((?:\\.|(?!\3)[^\\])*)\3""", re.DOTALL)
_TAG = re.compile(r"^@\w+.*", re.MULTILINE | re.DOTALL)
_TRAILING = re.compile(r"(?:\s\s#|\s//)\s++(.+)$")
_MOST_LINES = 25


def doc_of(one: Declaration, declared: Sequence[Declaration], hunk: Hunk) -> str:
    """The first that there is, as plain prose; empty if the code says nothing."""
    return next((doc for doc in _docs(one, declared, hunk) if doc), "")


def _docs(one: Declaration, declared: Sequence[Declaration], hunk: Hunk) -> Iterator[str]:
    yield prose_of(_below(one, declared, hunk))
    yield prose_of(_above(one, hunk))
    trailing = _TRAILING.search(one.line.text)
    if trailing and is_prose(trailing[1]):
        yield prose_of(trailing[1])


def _above(one: Declaration, hunk: Hunk) -> str:
    """The comment that ends right above, decorators aside; only if the change brings it along."""
    said = list[str]()
    for line in reversed(hunk.lines[: one.place]):
        if line.mark == "-" or (not said and _DECORATOR.match(line.text) and not _COMMENT.match(line.text)):
            continue
        if line.mark != "+" or not _COMMENT.match(line.text) or len(said) > _MOST_LINES:
            break
        said.append(_SIGNS.sub("", line.text).rstrip())
        if line.text.lstrip().startswith("/*"):
            break
    return _TAG.sub("", "\n".join(reversed(said)))


def _below(one: Declaration, declared: Sequence[Declaration], hunk: Hunk) -> str:
    """The doc string or the longest text among the lines up to the next definition of the same depth."""
    following = next(
        (d.place for d in declared if d.place > one.place and d.indent <= one.indent), len(hunk.lines)
    )
    lines = list[str]()
    for line in hunk.lines[one.place : min(following, one.place + _MOST_LINES)]:
        if line.mark == "-":
            continue
        depth = len(line.text) - len(line.text.lstrip())
        if line.mark == " " or (lines and line.text.strip() and depth < one.indent):
            break
        lines.append(line.text)
    texts = [found[2] or found[4] or "" for found in _QUOTED.finditer("\n".join(lines))]
    return max(filter(is_prose, texts), key=len, default="")

"""What the code around a definition says about it: the doc string, the comment above, its help text."""

import re
from collections.abc import Iterator, Sequence

from instep.text.patch import Hunk, Line
from instep.writer.facts.declarations import Declaration
from instep.writer.facts.details import is_description, reports_error, unescaped
from instep.writer.words.prose import is_prose, prose_of

_SIGNS = re.compile(r"^\s*+(?:#+|//+!?|/\*+|\*+/|\*|--)\s?|(?<!\s)\s*+\*/\s*+$")
_COMMENT = re.compile(r"\s*(?:#(?!\[)|//|/\*|\*)")
_DECORATOR = re.compile(r"\s*@[\w.]+")
_QUOTED = re.compile(r"""[rfu]?("{3}|'{3})(.*?)(?:\1|\Z)|([\"'`])((?:\\.|(?!\3)[^\\])*)\3""", re.DOTALL)
_TAG = re.compile(r"^@\w+.*", re.MULTILINE | re.DOTALL)
_DEFAULT_TAG = re.compile(
    r"""^@default(?:Value)?[ \t]+(?:(?P<mark>["'`])(?P<text>[^"'`\n]{1,60})(?P=mark)"""
    r"""|(?P<constant>-?[\w.]{1,40}))\s*$""",
    re.MULTILINE,
)
_TRAILING = re.compile(r"(?:\s\s#|\s//)\s++(.+)$")
_ANNOTATION = re.compile(r"^[ \t]*(?:@|\[|#\[)[A-Za-z][\w.]*\(", re.MULTILINE)
_STATEMENT_END = re.compile(r"[;{}]\s*$")
_MAX_LINES = 25
# Removed lines and decorators may stand between a comment and its definition.
_MAX_LINES_ABOVE = 200


def doc_of(declarations: Sequence[Declaration], index: int, hunk: Hunk) -> str:
    """The first description of the declaration at an index as plain prose; empty if the code has none."""
    return next((doc for doc in _docs(declarations, index, hunk) if doc), "")


def comment_above(place: int, hunk: Hunk) -> str:
    """The comment that the change adds right above a line, as plain prose."""
    return prose_of(_TAG.sub("", _above(place, hunk)))


def default_above(place: int, hunk: Hunk) -> str:
    """The default that a tag of the comment right above a line tells: `@default 'bottom-right'`."""
    tag = _DEFAULT_TAG.search(_above(place, hunk))
    return tag["text"] or tag["constant"] if tag else ""


def parameter_doc(name: str, hunk: Hunk) -> str:
    """What a doc string that the change extends says of a parameter: `:param name: ...`, `@param name`."""
    start = re.compile(
        rf"(?P<indent>\s*)(?:\*\s*)?(?::param(?:\s+[\w.\[\]]+)?\s+{re.escape(name)}:"
        rf"|@param\s+(?:\{{[^{{}}]*\}}\s+)?\[?{re.escape(name)}\b(?:=[^\]]*)?\]?\s*-?)\s*(?P<text>\S.*)"
    )
    for index, line in enumerate(hunk.lines):
        match = start.match(line.text) if line.mark == "+" and "param" in line.text else None
        if match:
            following = _continued(hunk.lines[index + 1 : index + _MAX_LINES], len(match["indent"]))
            return prose_of(" ".join([match["text"].rstrip(), *following]))
    return ""


def _continued(lines: Sequence[Line], indent: int) -> Iterator[str]:
    """The added lines that go on with a text, indented deeper than it began."""
    for line in lines:
        text = _SIGNS.sub("", line.text).strip()
        depth = len(line.text) - len(line.text.lstrip())
        is_deeper = depth > indent or (line.text.lstrip().startswith("*") and not text.startswith("@"))
        if line.mark != "+" or not is_deeper or not text or text.startswith((":", "@", "*/")):
            return
        yield text


def _docs(declarations: Sequence[Declaration], index: int, hunk: Hunk) -> Iterator[str]:
    declaration = declarations[index]
    yield prose_of(_below(declarations, index, hunk))
    yield comment_above(declaration.place, hunk)
    yield prose_of(_annotation_above(declaration.place, hunk))
    trailing = _TRAILING.search(declaration.line.text)
    if trailing and is_prose(trailing[1]):
        yield prose_of(trailing[1])


def _above(place: int, hunk: Hunk) -> str:
    """The comment that ends right above, apart from decorators; only if the change adds it."""
    comment_lines = list[str]()
    for index in range(place - 1, max(-1, place - _MAX_LINES_ABOVE), -1):
        line = hunk.lines[index]
        if line.mark == "-" or (
            not comment_lines and _DECORATOR.match(line.text) and not _COMMENT.match(line.text)
        ):
            continue
        if line.mark != "+" or not _COMMENT.match(line.text) or len(comment_lines) > _MAX_LINES:
            break
        comment_lines.append(_SIGNS.sub("", line.text).rstrip())
        if line.text.lstrip().startswith("/*"):
            break
    return "\n".join(reversed(comment_lines))


def _annotation_above(place: int, hunk: Hunk) -> str:
    """The longest text of the annotations right above: `@Description("How long to wait")`."""
    lines = list[str]()
    for index in range(place - 1, max(-1, place - _MAX_LINES), -1):
        line = hunk.lines[index]
        if line.mark == "-":
            continue
        if line.mark != "+" or not line.text.strip() or _STATEMENT_END.search(line.text):
            break
        lines.append(line.text)
    above = "\n".join(reversed(lines))
    annotation = _ANNOTATION.search(above)
    texts = _texts_in(above[annotation.start() :]) if annotation else ()
    return max(texts, key=len, default="")


def _below(declarations: Sequence[Declaration], index: int, hunk: Hunk) -> str:
    """The doc string or the longest text among the lines up to the next definition of the same indent."""
    declaration = declarations[index]
    # A line has at most one declaration, so those after as many as the lines are too far below.
    following = next(
        (
            other.place
            for other in declarations[index + 1 : index + _MAX_LINES]
            if other.indent <= declaration.indent
        ),
        len(hunk.lines),
    )
    lines = list[str]()
    for line in hunk.lines[declaration.place : min(following, declaration.place + _MAX_LINES)]:
        if line.mark == "-":
            continue
        depth = len(line.text) - len(line.text.lstrip())
        if line.mark == " " or (lines and line.text.strip() and depth < declaration.indent):
            break
        if not reports_error(line.text):
            lines.append(line.text)
    return max(_texts_in("\n".join(lines)), key=len, default="")


def _texts_in(code: str) -> Iterator[str]:
    texts = (unescaped(match[2] or match[4] or "") for match in _QUOTED.finditer(code))
    return filter(is_description, texts)

"""Replaces code by marks, so that simple regular expressions can change the rest of a page.

A block of code becomes a line with one mark, at the position of its fence. If the mark is moved, indented or
quoted, so is the code when it is restored. A mark is delimited by NUL, which decoded texts never contain.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from textwrap import dedent
from typing import NamedTuple

from instep.platform.text.code_spans import runs_of_backticks

_FENCE = re.compile(r"([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})(.*)$")
# The mark of a block, a code span or a plain text.
_MARK = re.compile(r"\x00([BCT])(\d+)\x00")
_NEW_BLOCK = re.compile(r"\n[ \t]*(?:\n|[>|]|[-*+#][ \t]|\d{1,9}[.)][ \t]|\x00B)")
# Indented text after one of these markers is not code: list items, footnotes, definitions, and the blocks of
# Python-Markdown.
_ITEM = re.compile(r"([ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]{1,4})(?=\S)")
_OPENING = re.compile(r"([ \t]*)(?:!!!|\?\?\?\+?|===[!+]?[ \t]|:[ \t]{1,3}\S|\[\^[^\]\s]+\]:)")
_BLOCK = re.compile(r"[ \t]*(?:[>#]|`{3}|~{3})")
_CODE_INDENT = 4
# Destinations in angle brackets (CommonMark 6.3), and the characters that they can't contain without them.
_BRACKETED = re.compile(r"(\]\([ \t]*|^[ \t>]*\[[^\]\n]+\]:[ \t]*)<([^<>\n]*)>", re.MULTILINE)
_DIVIDER = re.compile(r"[ \t(){}]")
# Titles of alerts and directives are plain text.
_PLAIN_TITLE = re.compile(r"[ \t>]*(?:> \[![A-Z]+\] |:{3,}[a-z-]+\[[^\]]*$)")


def ticks_for(text: str) -> str:
    """The backticks of a block of code with this text."""
    return "`" * (max((len(run) for run in re.findall("`{3,}", text)), default=2) + 1)


class Fence(NamedTuple):
    """A block of code: its fence (empty if indented), the info string after the fence, and its lines."""

    fence: str
    info: str
    lines: tuple[str, ...]
    is_closed: bool = True

    def markdown_lines(self) -> list[str]:
        if not self.fence:
            return list(self.lines)
        return [f"{self.fence}{self.info}", *self.lines, *([self.fence] if self.is_closed else [])]


@dataclass(slots=True)
class HiddenCode:
    """The code blocks and spans of one text; `fences` may be changed before they are restored."""

    fences: list[Fence] = field(default_factory=list)
    spans: list[str] = field(default_factory=list)

    def show(self, text: str) -> str:
        """The text with its marks replaced by the code."""
        return "\n".join(self._show_line(line) for line in text.split("\n"))

    def add_fence(self, fence: Fence) -> str:
        """Hide a block of code; return its mark."""
        self.fences.append(fence)
        return f"\x00B{len(self.fences) - 1}\x00"

    def add_span(self, span: str) -> str:
        """Hide a code span, or a text that nothing may change; return its mark."""
        self.spans.append(span)
        return f"\x00{'C' if span.startswith('`') else 'T'}{len(self.spans) - 1}\x00"

    def add_text(self, text: str, language: str) -> str:
        """Hide a text as a block of code between as many backticks as it needs; return its mark."""
        lines = tuple(text.split("\n"))
        return self.add_fence(Fence(ticks_for(text), language, lines))

    def _show_line(self, line: str) -> str:
        if "\x00" not in line:
            return line
        prefix, lines, rest = "", [], line
        while match := _MARK.search(rest):
            prefix += rest[: match.start()]
            rest = rest[match.end() :]
            if match[1] != "B":
                span = self.spans[int(match[2])]
                prefix += span.strip("`").strip() if _PLAIN_TITLE.match(prefix) else span
                continue
            lines.append(self._indent(prefix, self.fences[int(match[2])]))
            # Text after a block of code begins a separate paragraph.
            prefix, rest = "", rest.lstrip()
        if lines and not prefix + rest:
            return "\n".join(lines)
        return "\n".join([*lines, prefix + rest])

    def _indent(self, prefix: str, fence: Fence) -> str:
        """The lines of a block of code, each with the prefix of its first line."""
        first, *others = fence.markdown_lines() or [""]
        indent = re.sub(r"[^>\t]", " ", prefix)
        following = (indent + line if line else indent.rstrip() for line in others)
        return "\n".join([prefix + first, *following])


def outside_code(text: str, transform: Callable[[str], str]) -> str:
    """The text after `transform`, which is not applied to code."""
    hidden_text, code = hide_code(text)
    return code.show(transform(hidden_text))


def hide_code(text: str, *, has_indented_code: bool = True) -> tuple[str, HiddenCode]:
    """The text with a mark for each code block and code span, and the hidden code.

    MDX has no indented code: its authors indent components. Angle brackets around destinations of links are
    removed, so that they are not mistaken for tags.
    """
    code = HiddenCode()
    hidden_text = _hide_spans(_hide_blocks(text, code, has_indented_code), code, not has_indented_code)
    return _BRACKETED.sub(lambda match: match[1] + _DIVIDER.sub(_encoded, match[2]), hidden_text), code


def _encoded(sign: re.Match[str]) -> str:
    return f"%{ord(sign[0]):02X}"


def hide_into(text: str, code: HiddenCode, *, has_indented_code: bool = True) -> str:
    """A text with its code hidden in this object, to be inserted into the text of this object."""
    hidden_text, inner = hide_code(text, has_indented_code=has_indented_code)
    offsets = {"B": len(code.fences), "C": len(code.spans), "T": len(code.spans)}
    code.fences += inner.fences
    code.spans += inner.spans
    return _MARK.sub(lambda mark: f"\x00{mark[1]}{int(mark[2]) + offsets[mark[1]]}\x00", hidden_text)


def _hide_blocks(text: str, code: HiddenCode, has_indented_code: bool) -> str:
    lines = text.split("\n")
    hidden_lines: list[str] = []
    indents = _Indents()
    at = 0
    while at < len(lines):
        line = lines[at]
        if (match := _FENCE.match(line)) and not ("`" in match[2] and "`" in match[3]):
            fence, at = _read_fence(lines, at, match, has_indented_code and not indents.is_in_html)
            hidden_lines.append(match[1] + code.add_fence(fence))
            indents.follow(line)
            continue
        if has_indented_code and (base := indents.of_code(line)) is not None:
            end = end_of_indented_block(lines, at, base + _CODE_INDENT)
            block = tuple(inner.expandtabs(4)[base:] for inner in lines[at:end])
            hidden_lines.append(" " * base + code.add_fence(Fence("", "", block)))
            at = end
            continue
        indents.follow(line)
        hidden_lines.append(line)
        at += 1
    return "\n".join(hidden_lines)


def _read_fence(
    lines: list[str], start: int, match: re.Match[str], is_indent_meant: bool
) -> tuple[Fence, int]:
    """The block of code that starts at a line, and the number of the line after it."""
    prefix, ticks, info = match.groups()
    end = _closing_line(lines, start, prefix, ticks, is_indent_meant)
    body = tuple(_without_prefix(line, prefix) for line in lines[start + 1 : end])
    is_closed = end < len(lines) and _closes(lines[end], ticks, len(prefix) + 3)
    return Fence(ticks, info.rstrip(), body, is_closed), end + is_closed


def _closing_line(lines: list[str], start: int, prefix: str, ticks: str, is_indent_meant: bool) -> int:
    """The number of the line that closes a fence, or of the first line outside of its item or quote."""
    end_of_container = len(lines)
    indent = len(prefix.expandtabs(4)) if is_indent_meant else 0
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if _closes(line, ticks, len(prefix) + 3):
            return number
        is_outside = ">" in prefix and not line.lstrip().startswith(">")
        is_outside = is_outside or (indent > 3 and line.strip() != "" and indent_of(line) < min(indent, 2))
        if is_outside:
            end_of_container = number
            break
    return end_of_container


def _closes(line: str, ticks: str, max_indent: int) -> bool:
    stripped = line.strip(" \t>")
    is_fence = len(stripped) >= len(ticks) and set(stripped) == {ticks[0]}
    return is_fence and len(line) - len(line.lstrip(" \t>")) <= max_indent


def _without_prefix(line: str, prefix: str) -> str:
    """A line of code without the quote marks and the indentation of its fence."""
    for _ in range(prefix.count(">")):
        line = line.lstrip(" \t").removeprefix(">")
    indent = len(prefix[prefix.rfind(">") + 1 :].expandtabs(4))
    if line.startswith("\t"):
        blanks = len(line) - len(line.lstrip(" \t"))
        line = line[:blanks].expandtabs(4) + line[blanks:] if indent else line
    return line[min(indent, len(line) - len(line.lstrip(" "))) :]


class _Indents:
    """The columns at which the text of the open list items begins, from which indented code is measured."""

    def __init__(self) -> None:
        self.columns: list[int] = []
        self.is_below_blank = True
        self.is_in_html = False

    def follow(self, line: str) -> None:
        if not line.strip():
            self.is_below_blank = True
            return
        indent = indent_of(line)
        if self.is_below_blank or _ITEM.match(line) or _OPENING.match(line) or _BLOCK.match(line):
            while self.columns and indent < self.columns[-1]:
                self.columns.pop()
        rest, column = line, 0
        while item := _ITEM.match(rest):
            column += len(item[1].expandtabs(4))
            self.columns.append(column)
            rest = rest[item.end() :]
        if opening := _OPENING.match(line):
            self.columns.append(len(opening[1].expandtabs(4)) + 4)
        self.is_below_blank = False
        self.is_in_html = line.lstrip().startswith(("<", "{%", "{{")) or (self.is_in_html and indent > 0)

    def of_code(self, line: str) -> int | None:
        """The part of a line's indentation that precedes indented code; None if it is not code."""
        if not self.is_below_blank or not line.strip() or self.is_in_html:
            return None
        indent = indent_of(line)
        base = next((column for column in reversed(self.columns) if column <= indent), 0)
        is_text = _ITEM.match(line) or line.lstrip().startswith("</")
        is_code = indent >= base + _CODE_INDENT and not is_text
        return base if is_code else None


def indent_of(line: str) -> int:
    """The width of a line's indentation, in columns."""
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(4))


def dedented(text: str) -> str:
    """A text whose lines below the first are dedented, so that none of them becomes code."""
    first, _, others = text.partition("\n")
    return f"{first.strip()}\n{dedent(others)}"


def end_of_indented_block(lines: list[str], start: int, indent: int) -> int:
    """The number of the line after the last one with this indentation; blank lines in between are allowed."""
    end = start
    for number in range(start, len(lines)):
        if lines[number].strip():
            if indent_of(lines[number]) < indent:
                break
            end = number + 1
    return end


def _hide_spans(text: str, code: HiddenCode, is_mdx: bool) -> str:
    """Hide code spans: from a run of backticks to the next one of the same length (CommonMark 6.1).

    Template literals in MDX attributes such as `code={`…`}` are hidden too, even across blank lines.
    """
    parts, at = [], 0
    for run, closing in runs_of_backticks(text):
        start = run.start()
        if start < at or closing is None:
            continue
        is_attribute = is_mdx and text.endswith("={", 0, start) and text.startswith("}", closing.end())
        if not is_attribute and _NEW_BLOCK.search(text, start, closing.start()):
            continue
        parts += [text[at:start], code.add_span(text[start : closing.end()])]
        at = closing.end()
    return "".join([*parts, text[at:]])

"""Directives of CommonMark's proposal in articles: tabs, code groups, steps, cards, details and videos.

A line `:::name[Title]` begins one, and `:::` ends it; one that contains others has more colons. What an
author writes in between is Markdown, so links in cards and videos are links like all others. A line with
another name stays text. One pass over the lines finds them, in quotes and lists too, but not in code.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

from instep.platform.core import limits

FENCE = ":::"
# Quote and list markers, and the spaces around them.
_PREFIX = re.compile(r"(?:[ \t]*+(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*+[ \t]*+")
_LABEL = r"(?:\[((?:\\.|[^\\\[\]])*+)\])?+(?:\{[^{}]*+\})?+[ \t]*+"
_DIRECTIVE = re.compile(rf"(:{{3,}}+)[ \t]*+([a-z][\w-]*+)?+{_LABEL}(.*)")
_CODE_FENCE = re.compile(r"(`{3,}+)[ \t]*+([^`]*)|(~{3,}+)[ \t]*+(.*)")
_CODE_INFO = re.compile(r"([^\s\[{]*+)[ \t]*+(.*)")
_CODE_TITLE = re.compile(r"\btitle=(?:\"([^\"]*+)\"|'([^']*+)')|\[([^\[\]]++)\]|^(\w[^={}]*+)$")
_COLONS = re.compile(r"^[ \t>]*(:{3,}+)", re.MULTILINE)
_BRACKET = re.compile(r"[\\\[\]]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_MAX_TITLE = 200
# Lines that are indented further than their list item are code (CommonMark 0.31.2, section 4.4).
_CODE_INDENT = 4
# Marks replace directives while the renderer reads a text. They are HTML blocks of one line, so that no line
# moves, with a character that no text has (Unicode, noncharacters).
_SIGN = "\ufdd0"
_MARK = re.compile(rf"<\?{_SIGN}(\d+)\?>")
_MARKED_CODE = re.compile(
    rf'(<pre[^<>]*>)<code class="language-([^"<>{_SIGN}]*){_SIGN}(\d+)"([^<>]*)>([^<]*</code></pre>)'
)
_LEFT_MARK = re.compile(rf"(?:&lt;\?)?{_SIGN}(\d+)(?:\?&gt;)?")
_TITLE = '<p class="markdown-title"><strong>{}</strong></p>'
_TAGS = {
    "tabs": ('<div class="markdown-tabs">', "</div>"),
    "code-group": ('<div class="markdown-tabs">', "</div>"),
    "tab": ('<div class="markdown-tab">', "</div>"),
    "steps": ('<div class="markdown-steps">', "</div>"),
    "cards": ('<div class="markdown-cards">', "</div>"),
    "card": ('<div class="markdown-card">', "</div>"),
    "details": ("<details>", "</details>"),
    "video": ('<div class="markdown-video">', "</div>"),
}


def write_directive(name: str, body: str, title: str = "") -> str:
    """A directive around a text, with more colons than those in it; code in the text should be hidden."""
    longest = max((len(run) for run in _COLONS.findall(body)), default=0)
    colons = ":" * max(len(FENCE), longest + 1)
    words = _BRACKET.sub(r"\\\g<0>", " ".join(title.split()))
    label = f"[{words}]" if words else ""
    lines = [f"{colons}{name}{label}", body.strip("\n"), colons]
    return "\n".join(line for line in lines if line)


class DirectiveLine(NamedTuple):
    """A line of a text: `prefix` are its quote and list markers, `rest` what follows.

    `html` and `title` are those of a directive that begins or ends here, or of code in a group; `language` is
    that code's, with its fence.
    """

    prefix: str
    rest: str
    html: str | None = None
    title: str = ""
    language: str | None = None


class _Open(NamedTuple):
    """A directive without its end; one with an unknown name has no closing tag."""

    name: str
    colons: int
    quotes: int
    indent: int
    end: str | None


@dataclass(slots=True)
class MarkedText:
    """A text with marks in place of its directives, for the renderer."""

    text: str
    lines: list[DirectiveLine] = field(default_factory=list)

    def html(self, html: str) -> str:
        """The rendered text with the tags of its directives; marks in code become the written line again."""
        if not self.lines:
            return html
        html = _MARK.sub(lambda mark: self.lines[int(mark[1])].html or "", html)
        html = _MARKED_CODE.sub(self._titled_code, html)
        return _LEFT_MARK.sub(lambda mark: self._written(self.lines[int(mark[1])]), html)

    def _titled_code(self, block: re.Match[str]) -> str:
        language = f' class="language-{block[2]}"' if block[2] else ""
        title = self.lines[int(block[3])].html
        return f"{title}{block[1]}<code{language}{block[4]}>{block[5]}</div>"

    def _written(self, line: DirectiveLine) -> str:
        return escape(line.rest.removeprefix(line.language or ""), quote=False)


def mark_directives(text: str) -> MarkedText:
    """The text for the renderer; it has as many lines as before."""
    if FENCE not in text or _SIGN in text:
        return MarkedText(text)
    lines: list[DirectiveLine] = []
    marked: list[str] = []
    for line in read_lines(text):
        sign = f"{_SIGN}{len(lines)}"
        if line.html is None:
            marked.append(line.prefix + line.rest)
            continue
        marked.append(
            f"{line.prefix}<?{sign}?>" if line.language is None else line.prefix + line.language + sign
        )
        lines.append(line)
    return MarkedText("\n".join(marked), lines)


def plain_markdown(text: str) -> str:
    """The text without directives, for readers of Markdown: titles are bold, all else stays as it is."""
    if FENCE not in text:
        return text
    plain: list[str] = []
    is_after = False
    for line in read_lines(text):
        written = line.prefix + line.rest
        blank = line.prefix.rstrip() if line.prefix.strip(" \t>") == "" else ""
        if line.html is not None:
            plain += [blank] if plain and plain[-1].strip(" \t>") else []
            plain += [f"{line.prefix}**{line.title}**", blank] if line.title else []
            plain += [written] if line.language is not None else []
        elif not (is_after and plain and written.strip() == plain[-1].strip() in ("", ">")):
            plain.append(written)
        is_after = line.html is not None and line.language is None
    return "\n".join(plain)


def read_lines(text: str) -> Iterator[DirectiveLine]:
    """The lines of a text, with its directives."""
    reader = _Reader()
    return map(reader.read, text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


@dataclass(slots=True)
class _Reader:
    """One pass over the lines of a text."""

    stack: list[_Open] = field(default_factory=list)
    code_fence: str = ""
    count: int = 0
    # The indent of the list item that a line may be in.
    item: int = 0

    def read(self, source: str) -> DirectiveLine:
        prefix = _PREFIX.match(source)[0]  # type: ignore[index]
        line = DirectiveLine(prefix, source[len(prefix) :])
        if self.code_fence:
            self._end_code(line.rest)
            return line
        if not line.rest:
            return line
        quotes, indent = prefix.count(">"), len(prefix.rpartition(">")[2].expandtabs(4))
        self._leave_parents(quotes, indent)
        if prefix.strip(" \t>") or indent < self.item:
            self.item = indent
        if indent - self.item >= _CODE_INDENT:
            return line
        if code := _CODE_FENCE.fullmatch(line.rest):
            return self._begin_code(line, code[1] or code[3], code[2] or code[4] or "")
        directive = _DIRECTIVE.fullmatch(line.rest)
        if directive is None:
            return line
        colons, name, title, rest = directive.groups()
        if name is None:
            return line if title is not None or rest else self._close(line, len(colons))
        return self._open(line, _Open(name, len(colons), quotes, indent, None), title or "", rest)

    def _leave_parents(self, quotes: int, indent: int) -> None:
        """Forget the directives of quotes and list items that end above a line: the parser ends them."""
        while self.stack:
            last = self.stack[-1]
            if last.quotes <= quotes and (last.indent < 2 or last.indent <= indent or last.quotes < quotes):
                return
            self.stack.pop()

    def _begin_code(self, line: DirectiveLine, fence: str, info: str) -> DirectiveLine:
        self.code_fence = fence
        is_grouped = self.stack and self.stack[-1].name == "code-group" and self.stack[-1].end
        if not is_grouped or self.count >= limits.MAX_DIRECTIVES:
            return line
        self.count += 1
        language, further = _CODE_INFO.fullmatch(info.strip()).groups()  # type: ignore[union-attr]
        named = _CODE_TITLE.search(further.strip())
        title = next(filter(None, named.groups()), "") if named else ""
        title = (title.strip() or language or "Code")[:_MAX_TITLE]
        html = _TAGS["tab"][0] + _TITLE.format(escape(title))
        return line._replace(html=html, title=title, language=fence + language)

    def _end_code(self, rest: str) -> None:
        closing = rest.rstrip()
        if closing.startswith(self.code_fence) and not closing.strip(self.code_fence[0]):
            self.code_fence = ""

    def _open(self, line: DirectiveLine, opened: _Open, title: str, rest: str) -> DirectiveLine:
        tags = _TAGS.get(opened.name) if not rest else None
        if len(self.stack) >= limits.MAX_DIRECTIVE_LEVELS or self.count >= limits.MAX_DIRECTIVES:
            tags = None
        if tags is None:
            if len(self.stack) < limits.MAX_DIRECTIVE_LEVELS:
                self.stack.append(opened)
            return line
        self.count += 1
        self.stack.append(opened._replace(end=tags[1]))
        title = _ESCAPE.sub(r"\1", title).strip()[:_MAX_TITLE]
        if opened.name == "details":
            title = title or "Details"
            return line._replace(html=f"{tags[0]}<summary>{escape(title)}</summary>", title=title)
        return line._replace(html=tags[0] + (_TITLE.format(escape(title)) if title else ""), title=title)

    def _close(self, line: DirectiveLine, colons: int) -> DirectiveLine:
        """End the innermost directive with as many colons, or else with fewer, and all within it."""
        places = range(len(self.stack) - 1, -1, -1)
        place = next((at for at in places if self.stack[at].colons == colons), None)
        if place is None:
            place = next((at for at in places if self.stack[at].colons < colons), None)
        if place is None:
            return line
        closed = self.stack[place:]
        del self.stack[place:]
        if closed[0].end is None:
            return line
        return line._replace(html="".join(each.end or "" for each in reversed(closed)))

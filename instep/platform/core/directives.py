"""Directives of CommonMark's proposal in articles: tabs, code groups, steps, cards, details and videos.

A line `:::name[Title]` begins one, and `:::` ends it; one that contains others has more colons. The lines
in between are Markdown, so links in cards and videos are links like all others. A line with another name
stays text. One pass over the lines finds them, in quotes and lists too, but not in code.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from typing import NamedTuple

from instep.platform.core import limits

FENCE = ":::"
# Quote and list markers, and the spaces around them.
_PREFIX = re.compile(r"(?:[ \t]*+(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*+[ \t]*+")
_LABEL = r"(?:\[((?:\\.|[^\\\[\]])*+)\])?+(?:\{[^{}]*+\})?+[ \t]*+"
_DIRECTIVE = re.compile(rf"(:{{3,}}+)[ \t]*+([a-z][\w-]*+)?+{_LABEL}(.*)")
_CODE_FENCE = re.compile(r"(`{3,}+)[ \t]*+([^`]*)|(~{3,}+)[ \t]*+(.*)")
_CODE_LANGUAGE = re.compile(r"[^\s\[{]++")
_CODE_TITLE = re.compile(r"\btitle=(?:\"([^\"]*+)\"|'([^']*+)')|\[([^\[\]]++)\]|^(\w[^={}]*+)$")
_COLONS = re.compile(r"^[ \t>]*(:{3,}+)", re.MULTILINE)
_END = re.compile(r":{3,}+[ \t]*+")
_BRACKET = re.compile(r"[\\\[\]]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
# Lines that are indented further than their list item are code (CommonMark 0.31.2, section 4.4).
_CODE_INDENT = 4
# Marks replace directives while the renderer reads a text. They are HTML blocks of one line, so that no line
# moves, with the digest of the text, which no author can write into it.
_SIGN = "\ufdd0"
_KEY = rf"{_SIGN}([0-9a-f]{{16}})-(\d+)"
_MARK = re.compile(rf"<\?{_KEY}\?>")
_MARKED_CODE = re.compile(
    rf'(<pre[^<>]*>)<code class="language-([^"<>]*){_KEY}"([^<>]*)>([^<]*</code></pre>)'
)
_LEFT_MARK = re.compile(rf"(?:&lt;\?)?{_KEY}(?:\?&gt;)?")
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


class _OpenCode(NamedTuple):
    """A block of code without its end: its fence, and the quotes and the indent of the item around it."""

    fence: str
    quotes: int
    item: int


@dataclass(slots=True)
class MarkedText:
    """A text with marks in place of its directives, for the renderer."""

    text: str
    digest: str = ""
    lines: list[DirectiveLine] = field(default_factory=list)

    def html(self, html: str) -> str:
        """The rendered text with the tags of its directives; marks in code become the written line again."""
        if not self.lines:
            return html
        html = _MARK.sub(self._tags, html)
        html = _MARKED_CODE.sub(self._titled_code, html)
        return _LEFT_MARK.sub(self._written, html)

    def _tags(self, mark: re.Match[str]) -> str:
        return self.lines[int(mark[2])].html or "" if mark[1] == self.digest else mark[0]

    def _titled_code(self, block: re.Match[str]) -> str:
        start, language, digest, number, attributes, code = block.groups()
        if digest != self.digest:
            return block[0]
        name = f' class="language-{language}"' if language else ""
        return f"{self.lines[int(number)].html}{start}<code{name}{attributes}>{code}</div>"

    def _written(self, mark: re.Match[str]) -> str:
        if mark[1] != self.digest:
            return mark[0]
        line = self.lines[int(mark[2])]
        return escape(line.rest.removeprefix(line.language or ""), quote=False)


def mark_directives(text: str) -> MarkedText:
    """The text for the renderer; it has as many lines as before."""
    if FENCE not in text:
        return MarkedText(text)
    digest = sha256(text.encode("utf-8", "replace")).hexdigest()[:16]
    lines: list[DirectiveLine] = []
    marked: list[str] = []
    for line in read_lines(text):
        if line.html is None:
            marked.append(line.prefix + line.rest)
            continue
        sign = f"{_SIGN}{digest}-{len(lines)}"
        marked.append(line.prefix + (f"<?{sign}?>" if line.language is None else line.language + sign))
        lines.append(line)
    return MarkedText("\n".join(marked), digest, lines)


def plain_markdown(text: str) -> str:
    """The text without directives, for readers of Markdown: titles are bold, all else stays as it is."""
    if FENCE not in text:
        return text
    plain: list[str] = []
    is_after = False
    # True after a line that is only a list marker: an item may begin with one blank line, not with two.
    is_marker = False
    for line in read_lines(text):
        written = line.prefix + line.rest
        is_item = line.prefix.strip(" \t>") != ""
        blank = "" if is_item else line.prefix.rstrip()
        if line.html is not None:
            plain += [blank] if plain and plain[-1].strip(" \t>") and (is_item or not is_marker) else []
            plain += [f"{line.prefix}**{line.title}**", blank] if line.title else []
            plain += [written] if line.language is not None else []
            if is_item and not line.title:
                plain.append(line.prefix.rstrip())
            is_marker = not line.title and (is_item or is_marker)
        elif is_marker and not written.strip(" \t>"):
            continue
        elif not (is_after and plain and written.strip() == plain[-1].strip() in ("", ">")):
            plain.append(written)
            is_marker = False
        is_after = line.html is not None and line.language is None
    return "\n".join(plain)


def without_directives(text: str) -> str:
    """The text with the titles of its directives in place of them, on the same lines.

    For parts of it that are shown alone: the beginning of a directive or its end alone means nothing.
    """
    return "\n".join(map(_line_without_directive, read_lines(text))) if FENCE in text else text


def _line_without_directive(line: DirectiveLine) -> str:
    if line.html is None or line.language is not None:
        return line.prefix + line.rest
    # Two spaces at its end keep the title apart from a paragraph right below.
    return f"{line.prefix}**{line.title}**  " if line.title else line.prefix.rstrip()


def count_broken(text: str) -> int:
    """The number of directives without an end of their own, and of ends without a directive."""
    if FENCE not in text:
        return 0
    reader, count = _Reader(), 0
    for source in text.splitlines():
        depth = len(reader.stack)
        line = reader.read(source)
        if reader.code is None and _END.fullmatch(line.rest):
            # One end should end one directive, which has begun before.
            count += abs(depth - len(reader.stack) - 1)
    return count + len(reader.stack)


def read_lines(text: str) -> Iterator[DirectiveLine]:
    """The lines of a text, with its directives."""
    reader = _Reader()
    return map(reader.read, text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


@dataclass(slots=True)
class _Reader:
    """One pass over the lines of a text."""

    stack: list[_Open] = field(default_factory=list)
    code: _OpenCode | None = None
    count: int = 0
    # The indents of the list items that a line may be in.
    items: list[int] = field(default_factory=list)

    def read(self, source: str) -> DirectiveLine:
        marks = _PREFIX.match(source)
        prefix = marks[0] if marks else ""
        line = DirectiveLine(prefix, source[len(prefix) :])
        if self.code and self._is_code(self.code, source):
            return line
        if not line.rest:
            return line
        inner = prefix.rpartition(">")[2]
        quotes, indent = prefix.count(">"), _width(inner)
        self._leave_parents(quotes, indent)
        is_item = prefix.strip(" \t>") != ""
        start = _indent_of(inner) if is_item else indent
        self.items = [item for item in self.items if item <= start] + [indent] * is_item
        item = self.items[-1] if self.items else 0
        if indent - item >= _CODE_INDENT:
            return line
        if code := _CODE_FENCE.fullmatch(line.rest):
            self.code = _OpenCode(code[1] or code[3], quotes, item)
            return self._begin_code(line, self.code.fence, code[2] or code[4] or "")
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
        is_grouped = self.stack and self.stack[-1].name == "code-group" and self.stack[-1].end
        if not is_grouped or self.count >= limits.MAX_DIRECTIVES:
            return line
        self.count += 1
        info = info.strip()
        word = _CODE_LANGUAGE.match(info)
        language = word[0] if word else ""
        named = _CODE_TITLE.search(info[len(language) :].strip())
        title = next(filter(None, named.groups()), "") if named else ""
        title = title.strip() or language or "Code"
        html = _TAGS["tab"][0] + _TITLE.format(escape(title))
        return line._replace(html=html, title=title, language=fence + language)

    def _is_code(self, code: _OpenCode, source: str) -> bool:
        """True for a line of the code; the code ends with its fence, or with the quote or item it is in."""
        *quotes, rest = source.split(">", code.quotes)
        is_outside = len(quotes) < code.quotes or "".join(quotes).strip(" \t") != ""
        closing, indent = rest.strip(), _indent_of(rest)
        # The space after the sign of a quote is not needed.
        if is_outside or (closing and indent < code.item > 1):
            self.code = None
            return False
        is_end = closing.startswith(code.fence) and not closing.strip(code.fence[0])
        if is_end and indent - code.item < _CODE_INDENT + (code.quotes > 0):
            self.code = None
        return True

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
        title = _ESCAPE.sub(r"\1", title).strip()
        if opened.name == "details":
            title = title or "Details"
            return line._replace(html=f"{tags[0]}<summary>{escape(title)}</summary>", title=title)
        return line._replace(html=tags[0] + (_TITLE.format(escape(title)) if title else ""), title=title)

    def _close(self, line: DirectiveLine, colons: int) -> DirectiveLine:
        """End the innermost directive with that many colons, or else with fewer, and all inside it."""
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


def _width(blank: str) -> int:
    return len(blank.expandtabs(4))


def _indent_of(text: str) -> int:
    return _width(text[: len(text) - len(text.lstrip(" \t"))])

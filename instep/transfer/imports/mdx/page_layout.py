"""Places pieces of Markdown at the positions of tags: indented, quoted and between blank lines."""

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from instep.transfer.imports.markdown.hidden_code import indent_of

# A block needs blank lines around it; an item can follow another item directly.
PieceKind = Literal["inline", "block", "item"]
_CONTAINER_PREFIX = re.compile(r"[ \t]*(?:(?:>|[-*+]|\d{1,9}[.)])[ \t]*)*")
_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?=\S)")
_QUOTE = re.compile(r"\A[ \t]*>[ \t]?")
_MARK = re.compile(r"\x00P(\d+)\x00")
_IDENTITY = re.compile(r"[\w:.%-]+")


class MarkdownPiece(NamedTuple):
    """Dedented Markdown, and its separation from other blocks."""

    text: str
    kind: PieceKind = "inline"


def indent_lines(text: str, indent: str) -> str:
    """The text with all lines except the first indented by `indent`; blank lines stay empty."""
    first, *others = text.split("\n")
    return "\n".join([first, *((indent + line) if line else indent.rstrip() for line in others)])


def list_item(marker: str, text: str) -> str:
    """A text as a list item."""
    return f"{marker} {indent_lines(text, ' ' * (len(marker) + 1))}".rstrip()


def quote(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def on_one_line(text: str) -> str:
    return " ".join(text.split())


def paragraphs(*texts: str) -> str:
    """The non-empty texts, separated by blank lines."""
    return "\n\n".join(text for text in texts if text.strip())


def dedent_block(text: str, quotes: int = 0) -> str:
    """A text without the indentation of its first line, without `quotes` marks and without blank edges.

    The indentation of text in components is the author's style and has no meaning.
    """
    lines = text.split("\n")
    for _ in range(quotes):
        lines = [lines[0], *(_QUOTE.sub("", line, count=1) for line in lines[1:])]
    indents = [indent_of(line) for line in lines[1:] if line.strip()] or [0]
    indent = min(indents) if lines[0].strip() else indents[0]
    lines[0] = lines[0].lstrip(" \t")
    return "\n".join(_without_indent(line, indent) for line in lines).strip("\n \t")


class PageLayout:
    """The pieces of a text, each represented by a mark until the text is complete.

    In MDX (`has_indented_code` is false) deeply indented blocks are not code, so they are dedented.
    """

    def __init__(self, *, has_indented_code: bool = True) -> None:
        self.has_indented_code = has_indented_code
        self.pieces: list[MarkdownPiece] = []

    def add(self, piece: MarkdownPiece) -> str:
        """Add a piece and return its placeholder."""
        if piece.kind == "inline" and "\n" not in piece.text:
            return piece.text
        self.pieces.append(piece)
        return f"\x00P{len(self.pieces) - 1}\x00" if piece.text.strip() else ""

    def resolve(self, text: str) -> str:
        """The text with its marks replaced by the pieces."""
        lines, items = _Lines(), _Items()
        for line in text.split("\n"):
            if not self.has_indented_code:
                line = items.less_indented(line)
            items.follow(line)
            if "\x00P" not in line:
                lines.add_line(line)
            elif line.lstrip().startswith("|"):
                lines.add_line(_MARK.sub(lambda mark: self._in_table(int(mark[1])), line))
            else:
                self._add_marked_line(line, lines, items)
        return "\n".join(lines.lines)

    def _in_table(self, number: int) -> str:
        lines = self.pieces[number].text.split("\n")
        return "<br>".join(line.strip() for line in lines if line.strip())

    def _add_marked_line(self, line: str, lines: "_Lines", items: "_Items") -> None:
        match = _CONTAINER_PREFIX.match(line)
        written_prefix = match[0] if match else ""
        prefix = items.indent_of(written_prefix) if written_prefix.isspace() else written_prefix
        indent = re.sub(r"[^\s>]", " ", prefix)
        for number, segment in enumerate(_MARK.split(line[len(written_prefix) :])):
            if number % 2:
                piece = self.pieces[int(segment)]
                lines.add_block(piece, prefix, indent)
                prefix = indent
            elif segment.strip():
                lines.add_line(prefix + segment.strip())
                prefix = indent


class _Items:
    """The content columns of the open list items, which limit the indentation of components."""

    def __init__(self) -> None:
        self.columns: list[int] = []
        self.is_below_blank = True
        # The excess indentation of the current block.
        self.surplus = 0

    def follow(self, line: str) -> None:
        if _is_blank(line):
            self.is_below_blank = True
            return
        match = _ITEM.match(line)
        if match or self.is_below_blank:
            while self.columns and indent_of(line) < self.columns[-1]:
                self.columns.pop()
        if match:
            self.columns.append(len(match[0].expandtabs(4)))
        self.is_below_blank = False

    def less_indented(self, line: str) -> str:
        """A line of a block, indented at most as far as the item that contains it."""
        if _is_blank(line):
            return line
        written = line[: len(line) - len(line.lstrip(" \t"))]
        if self.is_below_blank or line.startswith("\x00B", len(written)):
            # A block as deep as the one before it stays next to it, and is no part of its last item.
            shift = self.surplus if indent_of(line) >= self.surplus else 0
            width = indent_of(line) - shift
            column = len(self.indent_of(" " * width))
            self.surplus = shift + (width - column if width >= column + 4 else 0)
        return _without_indent(line, self.surplus) if self.surplus else line

    def indent_of(self, prefix: str) -> str:
        width = len(prefix.expandtabs(4))
        return " " * next((column for column in reversed(self.columns) if column <= width), 0)


class _Lines:
    """Collects lines, with a blank one before and after each block and none between items."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.last_kind: PieceKind = "inline"

    def add_line(self, line: str) -> None:
        if _is_blank(line):
            if self.lines and _is_blank(self.lines[-1]):
                return
        elif self.last_kind != "inline":
            self._separate(line)
            self.last_kind = "inline"
        self.lines.append(line)

    def add_block(self, piece: MarkdownPiece, prefix: str, indent: str) -> None:
        kind: PieceKind = "item" if piece.kind == "item" else "block"
        if kind == self.last_kind == "item" and prefix == indent:
            while _is_blank(self.lines[-1]):
                self.lines.pop()
        elif prefix == indent:
            self._separate(prefix)
        first, *others = piece.text.split("\n")
        self.lines.append(prefix + first)
        self.lines += [(indent + line) if line else indent.rstrip() for line in others]
        self.last_kind = kind

    def _separate(self, line: str) -> None:
        """Add a blank line before the next one, in the same quote."""
        if self.lines and not _is_blank(self.lines[-1]):
            quotes = _CONTAINER_PREFIX.match(line)
            marks = quotes[0].count(">") if quotes and self.lines[-1].lstrip().startswith(">") else 0
            self.lines.append(("> " * marks).rstrip())


def _is_blank(line: str) -> bool:
    return not line.strip(" \t>")


def _without_indent(line: str, indent: int) -> str:
    blanks = len(line) - len(line.lstrip(" \t"))
    leading = line[:blanks].expandtabs(4)
    return (leading[min(indent, len(leading)) :] + line[blanks:]).rstrip() if line.strip() else ""


@dataclass(slots=True)
class Tag:
    """A tag whose content is already converted: `inner` is dedented Markdown.

    `values` are its attributes as texts, except computed ones; `labels` are the texts of attributes that are
    lists, `tables` their objects as rows. `parent` is the tag around it.
    """

    name: str
    values: dict[str, str]
    source: str
    parent: "Tag | None" = None
    labels: dict[str, list[str]] = field(default_factory=dict)
    tables: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)
    inner: str = ""
    # The Markdown before it on its line.
    line: str = ""
    # The number of its items so far, its summary, and its rows if it is a table.
    count: int = 0
    summary: str = ""
    rows: list[list[str]] = field(default_factory=list)

    def value(self, *names: str) -> str:
        """The value of the first of these attributes that has one."""
        return next((text for name in names if (text := self.values.get(name, "").strip())), "")

    def has(self, name: str) -> bool:
        return self.values.get(name, "false") not in ("false", "")

    def parent_of(self, *names: str) -> "Tag | None":
        """The nearest tag around it with one of these names."""
        parent = self.parent
        while parent is not None and parent.name not in names:
            parent = parent.parent
        return parent


def bold_label(text: str) -> str:
    """A bold label; bold marks inside it are removed."""
    text = on_one_line(text)
    return f"**{text.replace('**', '')}**" if text else ""


def place(identity: str) -> str:
    """The id of an anchor, as `take_heading_ids` reads it."""
    return f"{{#{identity}}}" if _IDENTITY.fullmatch(identity) else ""


def block(text: str) -> MarkdownPiece:
    return MarkdownPiece(text, "block")


def item(text: str) -> MarkdownPiece:
    return MarkdownPiece(text, "item")

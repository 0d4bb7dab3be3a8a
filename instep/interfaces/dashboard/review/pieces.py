"""Splits a Markdown text into pieces that are compared, rendered and shown one by one."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from instep.platform.core.directives import without_directives
from instep.platform.core.markdown import render_excerpt
from instep.platform.text.blocks import Block, read_blocks

# A line that other lines' links refer to; every rendered piece needs the definitions.
DEFINITION = re.compile(r"^ {0,3}\[[^\]^\[]{1,200}\]:[ \t]*\S.*$", re.MULTILINE)
HEADING_TAG = re.compile(r"<(/?)h([1-6])>")
PICTURE = re.compile(r'<img(?: [a-z-]+="[^"]*")*>')
ATTRIBUTE_SRC = re.compile(r' src="(https?:[^"]*)"')
ATTRIBUTE_ALT = re.compile(r' alt="([^"]*)"')
ONLY_TAGS = re.compile(r"(?:\s*</?[a-zA-Z][a-zA-Z0-9]*>)+\s*")
TEXT_OR_PICTURE = re.compile(r"<(?:img|hr|input)\b|>[^<]*[^<\s]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A block of the text, or an item of a list; lines count from 1, and `last_line` is part of it."""

    kind: str
    first_line: int
    last_line: int
    source: str


@dataclass(frozen=True, slots=True)
class Pieces:
    """A text with its pieces, in order, and the definitions of its links."""

    lines: tuple[str, ...]
    pieces: tuple[Piece, ...]
    definitions: str

    def render(self, pieces: Sequence[Piece]) -> str:
        """The HTML of consecutive pieces, safe for a dashboard page."""
        first, last = pieces[0], pieces[-1]
        source = "\n".join(self.lines[first.first_line - 1 : last.last_line])
        html = excerpt_html(f"{source}\n\n{self.definitions}" if closes_itself(last) else source)
        if not TEXT_OR_PICTURE.search(html):
            if ONLY_TAGS.fullmatch(source):
                return ""
            # Nothing of it is visible on the page: comments, definitions of links and footnotes.
            return f'<pre tabindex="0" role="group" aria-label="Source"><code>{escape(source)}</code></pre>'
        return html


def excerpt_html(text: str) -> str:
    """The HTML of a part of a text, safe for a dashboard page."""
    # Several regions of the same name would be indistinguishable landmarks.
    html = render_excerpt(text).replace('role="region"', 'role="group"')
    # The text is part of a page with its own headings, whose levels it must continue without a gap.
    html = HEADING_TAG.sub(lambda tag: "</h2>" if tag[1] else f'<h2 data-level="{tag[2]}">', html)
    return PICTURE.sub(without_foreign_picture, html)


def read_pieces(text: str) -> Pieces:
    parsed = read_blocks(without_directives(text))
    spans = list(block_spans(parsed.blocks))
    pieces: list[Piece] = []
    line = 1
    for kind, first, last in [*spans, ("end", len(parsed.lines) + 1, 0)]:
        # Between blocks there are only raw HTML, comments and definitions.
        pieces += piece_of(parsed.lines, "other", line, first - 1)
        pieces += piece_of(parsed.lines, kind, max(first, line), last)
        line = max(line, last + 1)
    definitions = "\n".join(DEFINITION.findall("\n".join(parsed.lines)))
    return Pieces(parsed.lines, tuple(pieces), definitions)


def block_spans(blocks: Sequence[Block]) -> Iterator[tuple[str, int, int]]:
    """The outermost blocks; a list is replaced by its items."""
    for block in blocks:
        is_item = block.kind == "item" and block.depth == 1
        if is_item or (block.depth == 0 and block.kind != "list"):
            yield block.kind, block.first_line, block.last_line


def piece_of(lines: Sequence[str], kind: str, first: int, last: int) -> Iterator[Piece]:
    """The piece between two lines, without surrounding blank ones; none if all are blank."""
    while first <= last and not lines[last - 1].strip():
        last -= 1
    while first <= last and not lines[first - 1].strip():
        first += 1
    if first <= last:
        yield Piece(kind, first, last, "\n".join(line.rstrip() for line in lines[first - 1 : last]))


def closes_itself(piece: Piece) -> bool:
    """True if lines below a piece are not part of it, unlike those below an unclosed fence."""
    return piece.kind not in ("code", "other")


def without_foreign_picture(picture: re.Match[str]) -> str:
    """An image of another site as a link, so that other sites don't learn who reviews."""
    source = ATTRIBUTE_SRC.search(picture[0])
    if source is None:
        return picture[0]
    alt = ATTRIBUTE_ALT.search(picture[0])
    words = (alt[1] if alt else "") or source[1]
    return f'<span class="picture">Image: {words}</span>'

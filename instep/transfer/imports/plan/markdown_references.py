"""Finds links and images in Markdown, with the positions of their destinations, as the renderer reads them.

The renderer reports the position of each link (`sourcepos`), so text in code is never mistaken for a link.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Literal
from urllib.parse import unquote

from instep.platform.text.blocks import html_with_positions

Form = Literal["inline", "definition", "autolink", "html"]

# This rendering omits raw HTML, so every tag in it comes from the renderer.
_ELEMENT = re.compile(
    r'<(a|img|code|pre)(?: xml:\w+="\w*")?[^<>]*? data-sourcepos="(\d+):(\d+)-(\d+):(\d+)"'
    r'(?:[^<>]*? (?:href|src)="([^"]*)")?'
)
_HEADING = re.compile(
    r'<h[1-6](?: id="h-([^"]*)")?[^<>]*? data-sourcepos="(\d+):[^<>]*>(.*?)</h[1-6]>', re.DOTALL
)
_TAG = re.compile(r"<[^<>]*>")
_LINE_END = re.compile(r"\r\n|\n|\r")
_DESTINATION = r"(?P<destination><[^<>\n]*>|(?:\\.|[^\s\\<])(?:\\.|[^\s\\])*?|)"
_TITLE = r"(?:\s+(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)))?"
_INLINE_TAIL = re.compile(rf"\]\(\s*{_DESTINATION}{_TITLE}\s*\)\Z")
_DEFINITION = re.compile(
    rf"^[ \t>]*(?:[-*+][ \t]+|\d+[.)][ \t]+)?\[(?!\^)(?:\\.|[^\[\]\\])+\]:[ \t]*(?:\r?\n[ \t]*)?"
    rf"{_DESTINATION}"
    rf"(?={_TITLE}[ \t]*$)",
    re.MULTILINE,
)
_HTML = re.compile(
    r"<(?P<tag>a|img|video|source|audio)\b(?P<before>[^<>]*?)\s(?:href|src)\s*=\s*"
    r"(?:\"(?P<double>[^\"]*)\"|'(?P<single>[^']*)')(?P<after>[^<>]*)>",
    re.IGNORECASE,
)
_ALT = re.compile(r"""\balt\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")


@dataclass(frozen=True, slots=True)
class Reference:
    """A destination in a text: characters `start` to `end` (exclusive), inside its element.

    `uses` is the number of links with this definition; `alt` is an image's alternative text.
    """

    start: int
    end: int
    destination: str
    form: Form
    is_picture: bool
    element_start: int
    element_end: int
    alt: str = ""
    uses: int = 1


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """The references of a text, in order, and its headings: the ids from our renderer, and the texts.

    `heading_places` are the character offsets of the lines of the headings.
    """

    references: tuple[Reference, ...]
    headings: tuple[tuple[str, str], ...]
    heading_places: tuple[int, ...]


def parse_references(text: str) -> ParsedPage:
    """Parse a text. As for the renderer, the time can be large, so untrusted texts belong in a sandbox."""
    html = html_with_positions(text, has_anchors=True)
    reader = _Reader(text)
    for element in _ELEMENT.finditer(html):
        reader.take(element)
    references = sorted(
        (*reader.references, *reader.definitions(), *reader.html()), key=lambda row: row.start
    )
    found_headings = _HEADING.findall(html)
    headings = tuple((unescape(id), plain_words(words)) for id, _, words in found_headings)
    places = tuple(reader.line_starts[int(line) - 1] for _, line, _ in found_headings)
    return ParsedPage(tuple(references), headings, places)


def plain_words(html: str) -> str:
    return unescape(_TAG.sub("", html)).strip()


class _Reader:
    """Finds destinations at the positions of links that the renderer reports."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.line_starts = [0, *(end.end() for end in _LINE_END.finditer(text))]
        self.references: list[Reference] = []
        self.code: list[tuple[int, int]] = []
        # The number of links to each destination through a definition.
        self.defined: dict[tuple[str, bool], int] = {}

    def take(self, element: re.Match[str]) -> None:
        tag = element[1]
        start = self._place(int(element[2]), int(element[3]) - 1)
        end = self._place(int(element[4]), int(element[5]))
        if tag in ("code", "pre"):
            self.code.append((start, end))
        elif element[6] is not None:
            self._take_link(start, end, unescape(element[6]), is_picture=tag == "img")

    def definitions(self) -> Iterator[Reference]:
        for match in _DEFINITION.finditer(self.text):
            destination = bare(match["destination"])
            key = comparable(destination)
            if not {(key, False), (key, True)} & self.defined.keys() or self._is_code(match.start()):
                continue
            start, end = match.span("destination")
            is_picture = (key, False) not in self.defined
            # The first of several definitions with the same destination counts all links.
            uses = sum(self.defined.get((key, kind), 0) for kind in (False, True))
            self.defined |= dict.fromkeys({(key, False), (key, True)} & self.defined.keys(), 0)
            yield Reference(start, end, destination, "definition", is_picture, start, end, "", uses)

    def html(self) -> Iterator[Reference]:
        for match in _HTML.finditer(self.text):
            if self._is_code(match.start()):
                continue
            group = "double" if match["double"] is not None else "single"
            alt = _ALT.search(match["before"] + match["after"])
            yield Reference(
                *match.span(group),
                unescape(match[group]).strip(),
                "html",
                match["tag"].lower() == "img",
                *match.span(),
                unescape(alt[1] or alt[2] or "") if alt else "",
            )

    def _take_link(self, start: int, end: int, href: str, *, is_picture: bool) -> None:
        segment = self.text[start:end]
        if segment.startswith(("[", "!")) and segment.endswith(")"):
            place = inline_destination(segment, href)
            if place is not None:
                self._add_inline(start, end, place, is_picture=is_picture)
                return
        if segment.startswith(("[", "!")):
            key = (comparable(href), is_picture)
            self.defined[key] = self.defined.get(key, 0) + 1
        elif comparable(bare(segment)) == comparable(href):
            self.references.append(Reference(start, end, href, "autolink", False, start, end))

    def _add_inline(self, start: int, end: int, place: tuple[int, int], *, is_picture: bool) -> None:
        segment = self.text[start:end]
        destination = bare(segment[place[0] : place[1]])
        alt = segment[2 : segment.rfind("](", 0, place[0] + 1)] if is_picture else ""
        self.references.append(
            Reference(
                *(start + place[0], start + place[1], destination, "inline", is_picture, start, end, alt)
            )
        )

    def _is_code(self, place: int) -> bool:
        return any(start <= place < end for start, end in self.code)

    def _place(self, line: int, byte: int) -> int:
        """The character offset in the text of a byte in a line; lines count from 1."""
        start = self.line_starts[min(line, len(self.line_starts)) - 1]
        end = self.line_starts[line] if line < len(self.line_starts) else len(self.text)
        words = self.text[start:end]
        if words.isascii():
            return min(start + byte, end)
        return start + len(words.encode()[:byte].decode(errors="ignore"))


def inline_destination(segment: str, href: str) -> tuple[int, int] | None:
    """The position of the destination in an inline link or image; None if there is none."""
    place = segment.rfind("](")
    while place >= 0:
        tail = _INLINE_TAIL.match(segment, place)
        if tail and comparable(bare(tail["destination"])) == comparable(href):
            return tail.span("destination")
        place = segment.rfind("](", 0, place)
    return None


def bare(destination: str) -> str:
    """A destination without angle brackets and escapes."""
    if destination.startswith("<") and destination.endswith(">"):
        destination = destination[1:-1]
    return unescape(_ESCAPE.sub(r"\1", destination))


def comparable(destination: str) -> str:
    """A decoded destination, because renderers and authors encode differently."""
    text = unquote(destination)
    for prefix in ("http://", "mailto:"):
        text = text.removeprefix(prefix)
    return text

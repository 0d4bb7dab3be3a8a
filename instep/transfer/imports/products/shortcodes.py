"""Converts WordPress content to HTML: paragraphs of the classic editor, and shortcodes."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from html import escape

from instep.transfer.imports.html.block_tags import TagUse, replace_tags

BLOCK_TAG = re.compile(
    r"</?(?:address|article|aside|blockquote|details|div|dl|figure|form|h[1-6]|hr|ol|p|pre|section|table|ul)\b",
    re.IGNORECASE,
)
CODE_TAG = re.compile(r"<(/?)(pre|code)\b[^<>]*>", re.IGNORECASE)
# WordPress does not mark shortcodes without a body.
TOKEN = re.compile(r"\[(?P<end>/)?(?P<name>[A-Za-z][\w-]*)(?P<arguments>(?:\s[^\[\]\n]*)?)(?P<alone>(?!))?\]")
URL = re.compile(r"https?://[^\s\"'<>\[\]]+")
PICTURE = re.compile(r"\s*((?:<a\b[^<>]*>\s*)?<img\b[^<>]*>(?:\s*</a>)?)(.*)", re.DOTALL | re.IGNORECASE)
MEDIA = {"embed", "youtube", "vimeo", "video", "audio", "playlist", "loom", "wistia"}
# A placeholder for code while paragraphs are added; a Unicode noncharacter.
CODE_PLACE = "\ufdda"


@dataclass(slots=True)
class Shortcodes:
    """Replaces shortcodes; `images` are URLs of attachments by id, `tell` receives unknown shortcodes."""

    images: Mapping[str, str]
    tell: Callable[[str], None]

    def replace(self, html: str) -> str:
        """The HTML without shortcodes, in one pass; code stays unchanged."""
        if "[" not in html:
            return html
        parts = code_parts(html)
        return "".join(part if is_code else self._replace(part) for is_code, part in parts)

    def _replace(self, html: str) -> str:
        return replace_tags(html, TOKEN, self._html, keeps_unopened=True)

    def _html(self, tag: TagUse) -> str:
        content = tag.body or ""
        if tag.body is None and tag.name not in {*MEDIA, "gallery"} and "=" not in tag.source:
            return tag.source
        if tag.name == "caption":
            return figure(content, tag.named.get("caption", ""))
        if tag.name == "gallery":
            ids = re.findall(r"\d+", tag.named.get("ids", ""))
            urls = [self.images[each] for each in ids if each in self.images]
            return "".join(f'<p><img src="{escape(url)}" alt=""></p>' for url in urls)
        if tag.name in MEDIA:
            url = URL.search(f"{content} {tag.source}")
            return f'<p><a href="{escape(url[0])}">{escape(url[0])}</a></p>' if url else content
        self.tell(f"shortcode [{tag.name}]{', reduced to its text' if content.strip() else ''}")
        return content


def code_parts(html: str) -> Iterator[tuple[bool, str]]:
    """The HTML in parts, each with a flag for code."""
    start, opened = 0, ""
    for tag in CODE_TAG.finditer(html):
        name = tag[2].lower()
        if not tag[1] and not opened:
            yield False, html[start : tag.start()]
            start, opened = tag.start(), name
        elif tag[1] and name == opened:
            yield True, html[start : tag.end()]
            start, opened = tag.end(), ""
    yield bool(opened), html[start:]


def figure(content: str, caption: str) -> str:
    """An image with the text that follows it as its caption."""
    picture = PICTURE.match(content)
    if picture is None:
        return content
    return f"<figure>{picture[1]}<figcaption>{picture[2].strip() or caption}</figcaption></figure>"


def with_paragraphs(html: str) -> str:
    """HTML for text of the classic editor: blank lines separate paragraphs, and line ends are breaks."""
    if "<!-- wp:" in html or re.search(r"<p[\s>]", html, re.IGNORECASE):
        return html
    parts = list(code_parts(html.replace("\r\n", "\n").replace(CODE_PLACE, "")))
    codes = iter([part for is_code, part in parts if is_code])
    text = "".join(CODE_PLACE if is_code else part for is_code, part in parts)
    blocks = [paragraph(block.strip()) for block in re.split(r"\n[ \t]*\n", text)]
    return re.sub(CODE_PLACE, lambda _: next(codes), "\n".join(filter(None, blocks)))


def paragraph(block: str) -> str:
    if not block or BLOCK_TAG.match(block):
        return block
    return f"<p>{block.replace(chr(10), '<br>')}</p>"

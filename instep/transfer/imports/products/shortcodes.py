"""Content of WordPress as HTML: paragraphs of the classic editor, and shortcodes."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape

BLOCK_TAG = re.compile(
    r"</?(?:address|article|aside|blockquote|details|div|dl|figure|form|h[1-6]|hr|ol|p|pre|section|table|ul)\b",
    re.IGNORECASE,
)
CODE_TAG = re.compile(r"<(/?)(pre|code)\b[^<>]*>", re.IGNORECASE)
TOKEN = re.compile(r"\[(/?)([A-Za-z][\w-]*)((?:\s[^\[\]\n]*)?)\]")
ATTRIBUTE = re.compile(r"(?<![\w-])([\w-]++)\s*+=\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\s\]\"']+))")
URL = re.compile(r"https?://[^\s\"'<>\[\]]+")
PICTURE = re.compile(r"\s*((?:<a\b[^<>]*>\s*)?<img\b[^<>]*>(?:\s*</a>)?)(.*)", re.DOTALL | re.IGNORECASE)
MEDIA = {"embed", "youtube", "vimeo", "video", "audio", "playlist", "loom", "wistia"}
# Stands for code while paragraphs are made; it is a noncharacter of Unicode.
CODE_PLACE = "\ufdda"


@dataclass(slots=True)
class Frame:
    """A shortcode that is open; `raw` is how it was written, `parts` what follows it so far."""

    name: str
    rest: str
    raw: str
    parts: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Shortcodes:
    """Replaces shortcodes; `images` are addresses of attachments by their ids, `tell` gets unknown ones."""

    images: Mapping[str, str]
    tell: Callable[[str], None]

    def replace(self, html: str) -> str:
        """The HTML without shortcodes, in one pass; code stays as it is."""
        if "[" not in html:
            return html
        return "".join(part if is_code else self._replace(part) for is_code, part in code_parts(html))

    def _replace(self, html: str) -> str:
        frames = [Frame("", "", "")]
        open_names: Counter[str] = Counter()
        position = 0
        for token in TOKEN.finditer(html):
            frames[-1].parts.append(html[position : token.start()])
            position = token.end()
            if not token[1]:
                frames.append(Frame(token[2], token[3], token[0]))
                open_names[token[2]] += 1
            elif open_names[token[2]]:
                while frames[-1].name != token[2]:
                    self._close(frames, open_names, is_paired=False)
                self._close(frames, open_names, is_paired=True)
            else:
                frames[-1].parts.append(token[0])
        frames[-1].parts.append(html[position:])
        while len(frames) > 1:
            self._close(frames, open_names, is_paired=False)
        return "".join(frames[0].parts)

    def _close(self, frames: list[Frame], open_names: Counter[str], *, is_paired: bool) -> None:
        frame = frames.pop()
        open_names[frame.name] -= 1
        content = "".join(frame.parts)
        is_single = frame.name in {*MEDIA, "gallery"} or "=" in frame.rest
        if is_paired:
            frames[-1].parts.append(self._html(frame, content))
        elif is_single:
            frames[-1].parts += [self._html(frame, ""), content]
        else:
            frames[-1].parts += [frame.raw, content]

    def _html(self, frame: Frame, content: str) -> str:
        values = {
            match[1]: match[2] or match[3] or match[4] or "" for match in ATTRIBUTE.finditer(frame.rest)
        }
        if frame.name == "caption":
            return figure(content, values.get("caption", ""))
        if frame.name == "gallery":
            ids = re.findall(r"\d+", values.get("ids", ""))
            urls = [self.images[each] for each in ids if each in self.images]
            return "".join(f'<p><img src="{escape(url)}" alt=""></p>' for url in urls)
        if frame.name in MEDIA:
            url = URL.search(f"{content} {frame.rest}")
            return f'<p><a href="{escape(url[0])}">{escape(url[0])}</a></p>' if url else content
        self.tell(f"shortcode [{frame.name}]{', whose text is kept' if content.strip() else ''}")
        return content


def code_parts(html: str) -> Iterator[tuple[bool, str]]:
    """The HTML in parts, each with whether it is code."""
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
    """A picture with the words that follow it as its caption."""
    picture = PICTURE.match(content)
    if picture is None:
        return content
    return f"<figure>{picture[1]}<figcaption>{picture[2].strip() or caption}</figcaption></figure>"


def with_paragraphs(html: str) -> str:
    """HTML of the classic editor, where blank lines separate paragraphs and line ends are line breaks."""
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

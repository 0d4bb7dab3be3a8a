"""Converts HTML in Markdown, each block as a document; code must be hidden."""

import re
from html import unescape
from textwrap import indent

import nh3

from instep.platform.core import limits
from instep.platform.core.directives import FENCE
from instep.transfer.imports.html.boxes import BOX_TAGS, kind_of_classes
from instep.transfer.imports.html.convert import to_markdown
from instep.transfer.imports.html.escapes import shown_comparisons
from instep.transfer.imports.html.html_document import class_words
from instep.transfer.imports.html.markdown_links import link
from instep.transfer.imports.markdown.callouts import alert
from instep.transfer.imports.markdown.hidden_code import dedented
from instep.transfer.imports.markdown.source_pages import PageLosses

_BLOCKS = (
    "address|article|aside|blockquote|center|details|div|dl|fieldset|figcaption|figure|footer|form|header|main"
    "|nav|noscript|ol|p|section|table|ul"
)
_OPENING = re.compile(rf"^([ \t]*)<({_BLOCKS})\b([^<>]*)>", re.IGNORECASE | re.MULTILINE)
_ATTRIBUTE = re.compile(r"(?<![\w-])([\w-]++)[ \t\n]*+=[ \t\n]*+(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]+))")
_GONE = re.compile(
    r"<(script|style|svg|template)\b[^<>]*>(?:(?!<\1\b).)*?</\1[ \t]*>", re.IGNORECASE | re.DOTALL
)
# Elements whose content has no equivalent in Markdown.
_INLINE = re.compile(
    r"<(iframe|video|audio|embed|object)\b[^<>]*?(?:/>|>(?:(?:(?!<\1\b).)*?</\1[ \t]*>)?)|<img\b[^<>]*>",
    re.IGNORECASE | re.DOTALL,
)
_MARKERS = re.compile(r"[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)*+")
_LINE_END = re.compile(r"[ \t]*+$", re.MULTILINE)
_LINK = re.compile(
    r"<a\b([^<>]*\bhref\b[^<>]*)>((?:(?!<a\b|</a|\n[ \t]*\n).)*?)</a[ \t]*>", re.IGNORECASE | re.DOTALL
)
_CONTROL = re.compile(r"</?(?:input|form|select|option|textarea|label|fieldset)\b[^<>]*>", re.IGNORECASE)
_CELL_BREAK = re.compile(
    r"(?<!\s)\s*+</(?:p|div|li)>\s*+(?=<(?:p|div|li|ul|ol)\b)"
    r"|(?<=[^>\s])\s*+<[uo]l\b[^<>]*+>\s*+(?=<li)|</[uo]l>\s*+(?=[^<\s])",
    re.IGNORECASE,
)
_ROW = re.compile(r"^[ \t>]*\|.*<.*$", re.MULTILINE)
# Tags that the help center doesn't show, with content that it does.
_STYLE = re.compile(
    r"</?(?:span|font|small|big|u|ins|mark|button|center|nobr|abbr|wbr|time|picture|source)\b[^<>]*>",
    re.IGNORECASE,
)
_SAME = {"b": "strong", "i": "em", "strike": "del", "s": "del", "tt": "code"}
_SAME_TAG = re.compile(r"<(/?)(b|i|strike|s|tt)(?:[ \t][^<>]*)?>", re.IGNORECASE)
_SUMMARY = re.compile(r"[ \t\n]*<summary\b[^<>]*>(.*?)</summary[ \t]*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_SPAN = re.compile(r"<t[dh]\b[^<>]*(?:row|col)span[ \t]*=[ \t]*[\"']?(?!1\b)\d", re.IGNORECASE)
# Private-use characters for parts that the HTML conversion must not change.
_NUL, _BRACKET = "\ue0f0", "\ue0f1"
_ELEMENT = re.compile(r"(?<!\\)</?([A-Za-z][\w-]*)(?:[ \t\n][^<>]*)?/?>")
_ELEMENTS = frozenset(
    (
        *nh3.ALLOWED_TAGS,
        *("audio", "body", "button", "embed", "fieldset", "figcaption", "figure", "font", "footer", "form"),
        *("head", "html", "iframe", "input", "label", "link", "main", "meta", "nav", "nobr", "noscript"),
        *("object", "option", "picture", "script", "section", "select", "source", "style", "svg"),
        *("template", "textarea", "video"),
    )
)
_BLOCK_TAG = re.compile(rf"<(/?)({_BLOCKS})\b[^<>]*>", re.IGNORECASE)
_STRAY = re.compile(
    rf"</?(?:{_BLOCKS.replace('details|', '').replace('|table', '')})\b[^<>]*>", re.IGNORECASE
)
_HTML_ALONE = frozenset(("ul", "ol", "dl", "p", "table"))
_MARKDOWN = re.compile(r"\n[ \t]*\n[ \t]*[^<\s]|^[ \t]*(?:[-*+>#]|\d+[.)])[ \t]|\x00B", re.MULTILINE)


def attributes_of(tag: str) -> dict[str, str]:
    """The attributes of a tag by lower-case name, with entities decoded."""
    return {name.lower(): unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(tag)}


def replace_html(text: str, losses: PageLosses) -> str:
    """The text with HTML converted to Markdown where possible; other tags are removed, but not their text.

    `<details>`, `<kbd>`, `<sup>`, `<sub>`, `<br>` and tables with blocks in their cells remain.
    """
    if "<" not in text:
        return text
    if span := _SPAN.search(text):
        losses.add("table whose cells span several rows or columns", span[0])
    text = _ELEMENT.sub(_shown_word, shown_comparisons(text, _BRACKET))
    text = _replace_gone(text, losses)
    text = _replace_blocks(_ROW.sub(lambda row: _plain_cells(row[0]), text), losses, 0)
    text = _INLINE.sub(lambda match: _inline(match, losses), text)
    text = _LINK.sub(_link, text)
    text = _SAME_TAG.sub(lambda match: f"<{match[1]}{_SAME[match[2].lower()]}>", text)
    return _STYLE.sub("", text).replace(_BRACKET, "\\<")


def _replace_gone(text: str, losses: PageLosses) -> str:
    def tell(match: re.Match[str]) -> str:
        losses.add(f"<{match[1].lower()}> with its content", match[0])
        return ""

    text = _GONE.sub(tell, text)
    if control := _CONTROL.search(text):
        losses.add("form, reduced to its text", control[0])
    return _CONTROL.sub("", text)


def _shown_word(match: re.Match[str]) -> str:
    """Escape the bracket of text that looks like a tag but is not one, such as <token>."""
    return match[0] if match[1].lower() in _ELEMENTS else _BRACKET + match[0][1:]


def _plain_cells(row: str) -> str:
    """Replace blocks in the rows of a table by line breaks, because Markdown cells can't contain blocks."""
    row = _CELL_BREAK.sub("<br>", row)
    row = re.sub(r"<li\b[^<>]*>\s*", "• ", row, flags=re.IGNORECASE)
    return _STRAY.sub("", re.sub(r"</li>|<hr[ \t]*/?>", " ", row, flags=re.IGNORECASE))


def _inline(match: re.Match[str], losses: PageLosses) -> str:
    """An image or a link; a video only if nothing else is on its line."""
    markdown, text = _converted(match[0], losses), match.string
    if FENCE not in markdown:
        return markdown
    before = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    if _MARKERS.fullmatch(before) and _LINE_END.match(text, match.end()):
        below = re.sub(r"[^>\t]", " ", before)
        return "\n".join(f"{below}{line}".rstrip() for line in markdown.split("\n")).removeprefix(below)
    losses.add("video inside a line, replaced by a link", match[0])
    return " ".join(line for line in markdown.split("\n") if line and FENCE not in line)


def _link(match: re.Match[str]) -> str:
    target = attributes_of(match[1]).get("href", "").strip()
    words = _STYLE.sub("", match[2]).strip()
    return link(words, target) if words else ""


def _replace_blocks(text: str, losses: PageLosses, depth: int) -> str:
    """The text with its outermost HTML blocks converted; `depth` is the number of blocks around it."""
    if depth > limits.MAX_IMPORT_HTML_LEVELS:
        return _TAG.sub("", text)
    parts: list[str] = []
    at = 0
    ends = _ends_of_blocks(text)
    while opening := _OPENING.search(text, at):
        parts.append(text[at : opening.start()])
        inner_end, end = ends.get(opening.end(), (opening.end(), opening.end()))
        if end > opening.end():
            block = _block(opening, text[opening.end() : inner_end], losses, depth).strip("\n")
            parts.append("\n" + indent(block, opening[1], lambda line: line.strip() != "") + "\n\n")
        at = end
    # An unclosed tag, or a closing tag without an opening one, has no effect on a page.
    return _STRAY.sub("", "".join([*parts, text[at:]])) if parts else text


def _ends_of_blocks(text: str) -> dict[int, tuple[int, int]]:
    """The end of each block's content and of the block, by the start of its content."""
    ends: dict[int, tuple[int, int]] = {}
    open_tags: list[tuple[str, int]] = []
    for tag in _BLOCK_TAG.finditer(text):
        name = tag[2].lower()
        if not tag[1]:
            open_tags.append((name, tag.end()))
        elif any(name == other for other, _ in open_tags[-limits.MAX_IMPORT_HTML_LEVELS :]):
            while (last := open_tags.pop())[0] != name:
                pass
            ends[last[1]] = (tag.start(), tag.end())
    return ends


def _block(opening: re.Match[str], content: str, losses: PageLosses, depth: int) -> str:
    name, attributes = opening[2].lower(), attributes_of(opening[3])
    if name == "details":
        return _details(content, losses, depth)
    if name in _HTML_ALONE or not ("markdown" in opening[3] or _MARKDOWN.search(content)):
        return _converted(f"{opening[0].strip()}{content}</{name}>", losses)
    body = _replace_blocks(dedented(content), losses, depth + 1)
    kind = kind_of_classes(class_words(attributes.get("class", ""))) if name in BOX_TAGS else None
    return alert(kind, "", _STYLE.sub("", body).strip()) if kind else body


def _details(content: str, losses: PageLosses, depth: int) -> str:
    summary = _SUMMARY.match(content)
    title = " ".join(_TAG.sub("", summary[1]).split()) if summary else "Details"
    content = content[summary.end() :] if summary else content
    body = _replace_blocks(dedented(content), losses, depth + 1).strip("\n")
    return f"<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>"


def _converted(html: str, losses: PageLosses) -> str:
    """HTML converted to Markdown; marks of hidden code pass through as private-use characters."""
    text = to_markdown(f"<body>{html}".replace("\x00", _NUL), holds_markdown=True)
    for loss in text.losses:
        losses.add(loss, html.partition("\n")[0])
    return text.markdown.replace(_NUL, "\x00").strip("\n")

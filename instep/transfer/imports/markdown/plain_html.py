"""HTML between Markdown as Markdown, by the library html-to-markdown; the code of the text must be hidden."""

import re
from html import unescape
from textwrap import dedent, indent
from urllib.parse import quote

import html_to_markdown
import nh3

from instep.platform.core import limits
from instep.transfer.imports.html.callout_kinds import ALERT_KINDS
from instep.transfer.imports.html.words_in_brackets import shown_comparisons
from instep.transfer.imports.markdown.callouts import alert
from instep.transfer.imports.markdown.page_losses import PageLosses

_BLOCKS = (
    "address|article|aside|blockquote|center|details|div|dl|fieldset|figure|footer|form|header|main|nav|noscript"
    "|ol|p|section|table|ul"
)
_OPENING = re.compile(rf"^([ \t]*)<({_BLOCKS})\b([^<>]*)>", re.IGNORECASE | re.MULTILINE)
_ATTRIBUTE = re.compile(r"(?<![\w-])([\w-]++)[ \t\n]*+=[ \t\n]*+(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'<>]+))")
_GONE = re.compile(
    r"<(script|style|svg|template)\b[^<>]*>(?:(?!<\1\b).)*?</\1[ \t]*>", re.IGNORECASE | re.DOTALL
)
_EMBED = re.compile(
    r"<(iframe|video|audio|embed|object)\b([^<>]*?)(?:/>|>(?:((?:(?!<\1\b).)*?)</\1[ \t]*>)?)",
    re.IGNORECASE | re.DOTALL,
)
_SOURCE = re.compile(r"<source\b([^<>]*)>", re.IGNORECASE)
_IMAGE = re.compile(r"<img\b([^<>]*)>", re.IGNORECASE)
_LINK = re.compile(
    r"<a\b([^<>]*\bhref\b[^<>]*)>((?:(?!<a\b|</a|\n[ \t]*\n).)*?)</a[ \t]*>", re.IGNORECASE | re.DOTALL
)
_CONTROL = re.compile(r"</?(?:input|form|select|option|textarea|label|fieldset)\b[^<>]*>", re.IGNORECASE)
_EMPTY_LINK_ABOVE = re.compile(r"^([ \t]*\[\]\([^()\s]+\))[ \t]*\n[ \t]*\n(?=[^\s#|>`~\x00])", re.MULTILINE)
_LINE_WITH_EMPTY_LINK = re.compile(r"^([^\n|]*?)(?<!!)\[\]\(([^()\s]+)\)([^\n|]*)$", re.MULTILINE)
_MARKDOWN_IMAGE = re.compile(r"!\[[^\]\n]*\]\([^()\n]*\)")
_CELL_BREAK = re.compile(
    r"(?<!\s)\s*+</(?:p|div|li)>\s*+(?=<(?:p|div|li|ul|ol)\b)"
    r"|(?<=[^>\s])\s*+<[uo]l\b[^<>]*+>\s*+(?=<li)|</[uo]l>\s*+(?=[^<\s])",
    re.IGNORECASE,
)
_ROW = re.compile(r"^[ \t>]*\|.*<.*$", re.MULTILINE)
# Tags that the help center doesn't show, around words that it does.
_STYLE = re.compile(
    r"</?(?:span|font|small|big|u|ins|mark|button|center|nobr|abbr|wbr|time|picture|source)\b[^<>]*>",
    re.IGNORECASE,
)
_SAME = {"b": "strong", "i": "em", "strike": "del", "s": "del", "tt": "code"}
_SAME_TAG = re.compile(r"<(/?)(b|i|strike|s|tt)(?:[ \t][^<>]*)?>", re.IGNORECASE)
_SUMMARY = re.compile(r"[ \t\n]*<summary\b[^<>]*>(.*?)</summary[ \t]*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_SPAN = re.compile(r"<t[dh]\b[^<>]*(?:row|col)span[ \t]*=[ \t]*[\"']?(?!1\b)\d", re.IGNORECASE)
_CAPTION = re.compile(
    r"<figcaption\b[^<>]*>\s*((?:(?!<figcaption).)*?)\s*</figcaption[ \t]*>", re.IGNORECASE | re.DOTALL
)
# Characters of a private alphabet stand for what the conversion of HTML must leave alone.
_NUL, _BRACKET = "\ue0f0", "\ue0f1"
_ELEMENT = re.compile(r"(?<!\\)</?([A-Za-z][\w-]*)(?:[ \t\n][^<>]*)?/?>")
_ELEMENTS = frozenset(nh3.ALLOWED_TAGS).union(
    (
        "audio",
        "body",
        "button",
        "embed",
        "fieldset",
        "figcaption",
        "figure",
        "font",
        "footer",
        "form",
        "head",
    ),
    (
        "html",
        "iframe",
        "input",
        "label",
        "link",
        "main",
        "meta",
        "nav",
        "nobr",
        "noscript",
        "object",
        "option",
    ),
    ("picture", "script", "section", "select", "source", "style", "svg", "template", "textarea", "video"),
)
_BLOCK_TAG = re.compile(rf"<(/?)({_BLOCKS})\b[^<>]*>", re.IGNORECASE)
_STRAY = re.compile(
    rf"</?(?:{_BLOCKS.replace('details|', '').replace('|table', '')})\b[^<>]*>", re.IGNORECASE
)
_LISTS = frozenset(("ul", "ol", "dl", "p"))
_MARKDOWN = re.compile(r"\n[ \t]*\n[ \t]*[^<\s]|^[ \t]*(?:[-*+>#]|\d+[.)])[ \t]|\x00B", re.MULTILINE)
_CALLOUT_CLASS = re.compile(
    r"\b(?:usa-)?(?:alert|admonition|callout|hint|notice|note|tip|warning|important|caution)\b"
)


def attributes_of(tag: str) -> dict[str, str]:
    """The attributes of a tag by their names in lower case, with entities as characters."""
    return {name.lower(): unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(tag)}


def replace_html(text: str, losses: PageLosses) -> str:
    """The text with Markdown instead of HTML, as far as Markdown has it; other tags go, and their words stay.

    `<details>`, `<kbd>`, `<sup>`, `<sub>`, `<br>` and tables whose cells have blocks remain.
    """
    if "<" not in text:
        return text
    if span := _SPAN.search(text):
        losses.add("table whose cells span several rows or columns", span[0])
    text = _ELEMENT.sub(_shown_word, shown_comparisons(text, _BRACKET))
    text = _replace_gone(text, losses)
    text = _EMBED.sub(lambda match: _embed(match, losses), text)
    text = _IMAGE.sub(_image, text)
    text = _CAPTION.sub(r"\n\n\1\n\n", text)
    text = _replace_blocks(_ROW.sub(lambda row: _plain_cells(row[0]), text), 0)
    text = _LINK.sub(_link, text)
    text = _SAME_TAG.sub(lambda match: f"<{match[1]}{_SAME[match[2].lower()]}>", text)
    text = _EMPTY_LINK_ABOVE.sub(r"\1 ", _STYLE.sub("", text))
    text = _LINE_WITH_EMPTY_LINK.sub(_labelled, text)
    return text.replace(_BRACKET, "\\<")


def link(label: str, target: str) -> str:
    """A link of Markdown; blanks and brackets of the target are encoded."""
    words = " ".join(label.split()) or target
    return f"[{words}]({quote(target, safe=_SAFE)})"


_SAFE = "/:?#@!$&'*+,;=%~.-_[]"


def _replace_gone(text: str, losses: PageLosses) -> str:
    def tell(match: re.Match[str]) -> str:
        losses.add(f"<{match[1].lower()}> with what is in it", match[0])
        return ""

    text = _GONE.sub(tell, text)
    if control := _CONTROL.search(text):
        losses.add("form, of which the words stay", control[0])
    return _CONTROL.sub("", text)


def _labelled(line: re.Match[str]) -> str:
    """A line with a link that shows nothing, which covers a card: the words of the line are the link."""
    before, target, after = line[1], line[2], line[3]
    images = "".join(f"{image} " for image in _MARKDOWN_IMAGE.findall(before + after))
    words = " ".join(_MARKDOWN_IMAGE.sub("", before + after).split())
    # Words that hold another link can't be in one.
    if not words or "](" in words:
        return f"{before}[{target}]({target}){after}"
    return f"{images}[{words}]({target})"


def _shown_word(match: re.Match[str]) -> str:
    """What looks like a tag but is not one, such as <token>, with a bracket that does not begin a tag."""
    return match[0] if match[1].lower() in _ELEMENTS else _BRACKET + match[0][1:]


def _plain_cells(row: str) -> str:
    """The rows of a table without blocks, which cells of Markdown can't have: lines are broken instead."""
    row = _CELL_BREAK.sub("<br>", row)
    row = re.sub(r"<li\b[^<>]*>\s*", "• ", row, flags=re.IGNORECASE)
    return _STRAY.sub("", re.sub(r"</li>|<hr[ \t]*/?>", " ", row, flags=re.IGNORECASE))


def _embed(match: re.Match[str], losses: PageLosses) -> str:
    attributes = attributes_of(match[2])
    source = _SOURCE.search(match[3] or "")
    target = (
        attributes.get("src")
        or attributes.get("data")
        or attributes_of(source[1] if source else "").get("src")
    )
    losses.add(f"<{match[1].lower()}>, which is a link now", match[0])
    return link(attributes.get("title", ""), target) if target else ""


def _image(match: re.Match[str]) -> str:
    attributes = attributes_of(match[1])
    source = attributes.get("src", "").strip()
    if not source:
        return ""
    alt = " ".join(attributes.get("alt", "").split()).replace("[", "(").replace("]", ")")
    return f"![{alt}]({quote(source, safe=_SAFE)})"


def _link(match: re.Match[str]) -> str:
    target = attributes_of(match[1]).get("href", "").strip()
    words = " ".join(_STYLE.sub("", match[2]).split())
    if not target or not words:
        return words
    return f"[{words}]({quote(target, safe=_SAFE)})"


def _replace_blocks(text: str, depth: int) -> str:
    """The text with its outermost blocks of HTML as Markdown; `depth` counts the blocks around it."""
    if depth > limits.MAX_IMPORT_HTML_LEVELS:
        return _TAG.sub("", text)
    parts: list[str] = []
    at = 0
    ends = _ends_of_blocks(text)
    while opening := _OPENING.search(text, at):
        parts.append(text[at : opening.start()])
        inner_end, end = ends.get(opening.end(), (opening.end(), opening.end()))
        if end > opening.end():
            block = _block(opening, text[opening.end() : inner_end], depth).strip("\n")
            parts.append("\n" + indent(block, opening[1], lambda line: line.strip() != "") + "\n\n")
        at = end
    # A tag that nothing closes or opens has no effect on a page.
    return _STRAY.sub("", "".join([*parts, text[at:]])) if parts else text


def _ends_of_blocks(text: str) -> dict[int, tuple[int, int]]:
    """Where the content of each block ends, and where the block does, by where its content begins."""
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


def _block(opening: re.Match[str], content: str, depth: int) -> str:
    name, attributes = opening[2].lower(), attributes_of(opening[3])
    if name == "details":
        return _details(content, depth)
    if _CALLOUT_CLASS.search(attributes.get("class", "")) and name != "table":
        body = _replace_blocks(_dedented(content), depth + 1)
        return alert(_kind_of_classes(attributes["class"]), "", _STYLE.sub("", body).strip())
    if name == "table":
        return _converted(f"<table>{_plain_cells(content)}</table>")
    if name not in _LISTS and ("markdown" in opening[3] or _MARKDOWN.search(content)):
        return _replace_blocks(_dedented(content), depth + 1)
    return _converted(f"<{name}>{content}</{name}>")


def _details(content: str, depth: int) -> str:
    summary = _SUMMARY.match(content)
    title = " ".join(_TAG.sub("", summary[1]).split()) if summary else "Details"
    body = _replace_blocks(_dedented(content[summary.end() if summary else 0 :]), depth + 1).strip("\n")
    return f"<details>\n<summary>{title}</summary>\n\n{body}\n\n</details>"


def _dedented(content: str) -> str:
    """The content of a block from the first column, so that no line of it becomes code."""
    first, _, others = content.partition("\n")
    return f"{first.strip()}\n{dedent(others)}"


def _kind_of_classes(classes: str) -> str:
    kinds = re.split(r"[\s_-]+", classes.lower())
    return next((kind for kind in reversed(kinds) if kind in ALERT_KINDS and kind != "alert"), "note")


def _converted(html: str) -> str:
    """Markdown of HTML. Marks of hidden code pass as letters of a private alphabet."""
    # Images are Markdown already: the library keeps them as words.
    options = html_to_markdown.ConversionOptions(
        escape_misc=False,
        extract_metadata=False,
        preserve_tags=["kbd", "sup", "sub"],
        br_in_tables=True,
        compact_tables=True,
    )
    source = html.replace("\x00", _NUL)
    result = html_to_markdown.convert(source, options).content or ""
    return result.replace(_NUL, "\x00").strip("\n")

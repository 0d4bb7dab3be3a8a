"""The final steps, which are the same for all Markdown formats."""

import re
from collections.abc import Callable

from instep.transfer.imports.html.callout_kinds import ALERT_KINDS
from instep.transfer.imports.markdown.attribute_lists import remove_attribute_lists
from instep.transfer.imports.markdown.grouping import take_titles
from instep.transfer.imports.markdown.heading_ids import replace_html_headings, take_heading_ids
from instep.transfer.imports.markdown.hidden_code import HiddenCode, hide_code
from instep.transfer.imports.markdown.plain_html import replace_html
from instep.transfer.imports.markdown.source_pages import SourcePage
from instep.transfer.imports.markdown.table_heads import repair_table_heads
from instep.transfer.imports.markdown.titles import navigation_label, take_title
from instep.transfer.imports.tree.schemas import ImportedPage

# The transform of a format, applied to a text with hidden code.
Transform = Callable[[str, HiddenCode], str]
_ALERT = re.compile(r"^([ \t>]*> ?\[!)([A-Za-z][\w-]*)(\])[+-]?", re.MULTILINE)
_FENCE_LINE = re.compile(r"^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)\x00B(\d+)\x00$", re.MULTILINE)
# A title in brackets has letters; numbers are those of lines.
_TITLE = re.compile(
    r"\b(?:title|filename|file)[ \t]*=[ \t]*(?:\"([^\"]*)\"|'([^']*)')"
    r"|(?:^|(?<=[ \t]))\[(?=[^\[\]]*[^\W\d_])([^\[\]]++)\]"
)
_LANGUAGE = re.compile(r"[ \t]*+(?:\{[ \t]*+(?=\.?[^\W\d]))?\.?([\w+#.-]+)")
_BREAK_LINE = re.compile(r"(?:(?<=\n\n)|\A)([ \t]*<br ?/?>[ \t]*\n)(?=[ \t]*\S)")
_PICTURE_LINE = re.compile(
    r"^([ \t>]*+)(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)*+<img [^<>\x00\n]*+>[ \t]*+\n(?=[ \t>]*+[^\s<>])",
    re.MULTILINE,
)
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")


def plain_page(page: SourcePage, transform: Transform, title: str = "") -> ImportedPage:
    """A page of a format as plain Markdown; `transform` handles the format's extensions.

    `title` is the page's title elsewhere in the source, used if the page has none. Description and status are
    read from the usual front matter fields.
    """
    text, code = hide_code(page.body)
    text = replace_html_headings(transform(text, code))
    text = remove_attribute_lists(replace_html(text, page.losses))
    text = _FENCE_LINE.sub(lambda line: _plain_fence(line, code), _ALERT.sub(_known_alert, text))
    text = code.show(repair_table_heads(with_blank_lines(take_titles(text, code)))).strip("\n")
    own_title = page.fields.text("title")
    page_title, body = take_title(own_title, text, page.path)
    if title and not own_title and body == text:
        page_title = title
    markdown, heading_ids = take_heading_ids(body)
    return ImportedPage(
        page.path,
        page.path,
        page_title,
        f"{markdown.strip()}\n" if markdown.strip() else "",
        locale=None,
        description=page.fields.text("description") or None,
        label=navigation_label(page.fields),
        status="draft" if page.fields.is_true("draft") else "published",
        heading_ids=heading_ids,
    )


def with_blank_lines(text: str) -> str:
    """The text with at most one blank line between blocks.

    There is one below a `<br>` that begins a paragraph, and below a picture that is a tag on its own line:
    CommonMark reads the lines below as HTML, but the products read them as Markdown.
    """
    text = _PICTURE_LINE.sub(_with_blank_line, text)
    return _BREAK_LINE.sub(r"\1\n", _BLANK_LINES.sub("\n\n", text))


def _with_blank_line(line: re.Match[str]) -> str:
    return f"{line[0]}{line[1].rstrip() if '>' in line[1] else ''}\n"


def headed_block(title: str, body: str) -> str:
    """A tab or another titled part, below its title in bold."""
    words = " ".join(title.replace("*", "").split())
    return f"\n\n**{words}**\n\n{body.strip(chr(10))}\n\n" if words else f"\n\n{body.strip(chr(10))}\n\n"


def _known_alert(match: re.Match[str]) -> str:
    """The GitHub equivalent of an alert or an Obsidian callout."""
    kind = ALERT_KINDS.get(match[2].lower(), "NOTE")
    return f"{match[1]}{kind}{match[3]}"


def _plain_fence(line: re.Match[str], code: HiddenCode) -> str:
    """A code block with only the language after its fence, below its title."""
    prefix, number = line[1], int(line[2])
    fence = code.fences[number]
    title = _TITLE.search(fence.info)
    language = _LANGUAGE.match(fence.info)
    words = language[1] if language and "=" not in language[0] else ""
    if _TITLE.match(fence.info.strip()) or (language and fence.info[language.end() :].startswith("=")):
        words = ""
    code.fences[number] = fence._replace(info=words)
    return titled_fence(prefix, f"**{title[1] or title[2] or title[3]}**", number) if title else line[0]


def titled_fence(prefix: str, title: str, number: int) -> str:
    """A hidden code block below its title, separated from a paragraph right above it."""
    indent = re.sub(r"[^>\t]", " ", prefix)
    blank = f"{indent.rstrip()}\n"
    return f"{blank if prefix == indent else ''}{prefix}{title}\n{blank}{indent}\x00B{number}\x00"

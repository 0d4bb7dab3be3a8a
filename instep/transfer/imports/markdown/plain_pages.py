"""The final steps, which are the same for all Markdown formats."""

import re
from collections.abc import Callable

from instep.transfer.imports.html.callout_kinds import ALERT_KINDS
from instep.transfer.imports.html.escapes import plainer
from instep.transfer.imports.markdown.attribute_lists import remove_attribute_lists
from instep.transfer.imports.markdown.grouping import take_titles
from instep.transfer.imports.markdown.heading_ids import replace_html_headings, take_heading_ids
from instep.transfer.imports.markdown.hidden_code import HiddenCode, hide_code
from instep.transfer.imports.markdown.own_fields import with_own_fields
from instep.transfer.imports.markdown.plain_html import replace_html
from instep.transfer.imports.markdown.source_pages import SourcePage
from instep.transfer.imports.markdown.table_heads import repair_table_heads
from instep.transfer.imports.markdown.titles import navigation_label, take_title
from instep.transfer.imports.tree.schemas import ImportedPage

# The transform of a format, applied to a text with hidden code.
Transform = Callable[[str, HiddenCode], str]
_ALERT = re.compile(r"^([ \t>]*> ?\[!)([A-Za-z][\w-]*)(\])[+-]?", re.MULTILINE)
_FENCE_LINE = re.compile(r"^([ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)\x00B(\d+)\x00$", re.MULTILINE)
# The first word, or the one after an opening brace, unless it names an option.
_LANGUAGE = re.compile(r"\{[ \t]*+\.?([^\W\d][\w+#.-]*+)(?!=)|\.?([\w@+#./-]++)(?![ \t]*+=)[^\s{:\[]*+")
_TITLE = re.compile(
    r"(?<![\w-])(?:title|filename|file|tab|label)[ \t]*=[ \t]*"
    r"(?:\"([^\"]*)\"|'([^']*)'|\{[\"'`]([^\"'`]*)[\"'`]\}|([^\s{}]+))"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
# A title in brackets has letters; numbers, and lists in options, are those of lines.
_BRACKETS = re.compile(r"(?<![=:,{])\[(?=[^\[\]]*[^\W\d_])([^\[\]]++)\]")
# Words in the info string that Mintlify reads after a title, or instead of it.
_OPTION = re.compile(
    r"(?:(?<![\w-])[\w-]++=)?(?<!\{)\{++[^{}]*+\}++|\[[\d\s,-]*+\]"
    r"|(?<![\w-])[\w-]++=(?:\"[^\"]*+\"|'[^']*+'|\S+)"
)
_SIGN = re.compile(r"[\\`*_\[\]<&]")
_FLAGS = frozenset(
    (
        "wrap",
        "lines",
        "expandable",
        "theme",
        "twoslash",
        "live",
        "copy",
        "nocopy",
        "showLineNumbers",
        "noInline",
    )
)
_BREAK_LINE = re.compile(r"(?:(?<=\n\n)|\A)([ \t]*<br ?/?>[ \t]*\n)(?=[ \t]*\S)")
_PICTURE_LINE = re.compile(
    r"^([ \t>]*+)(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)*+<img [^<>\x00\n]*+>[ \t]*+\n(?=[ \t>]*+[^\s<>])",
    re.MULTILINE,
)
_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n){2,}")


def plain_page(page: SourcePage, transform: Transform, title: str = "") -> ImportedPage:
    """A page of a format as plain Markdown; `transform` handles the format's extensions.

    `title` is the page's title elsewhere in the source, used if the page has none. Description, status and
    visibility are read from the usual front matter fields.
    """
    text, code = hide_code(page.body)
    text = replace_html_headings(transform(text, code))
    text = _ALERT.sub(_known_alert, remove_attribute_lists(replace_html(text, page.losses)))
    return page_of_markdown(page, text.rstrip(), code, page.fields.text("title"), title)


def page_of_markdown(
    page: SourcePage,
    text: str,
    code: HiddenCode,
    title: str,
    other: str = "",
    *,
    has_bare_titles: bool = False,
) -> ImportedPage:
    """A page whose text is plain Markdown except for the titles of its code and the ids of its headings.

    `other` is its title elsewhere in the source. Mintlify writes the title of a block of code after its
    language, without quotes.
    """
    text = _FENCE_LINE.sub(lambda line: _plain_fence(line, code, has_bare_titles), text)
    text = code.show(repair_table_heads(with_blank_lines(take_titles(text, code)))).strip("\n")
    page_title, body = take_title(title, text, page.path, other)
    markdown, heading_ids = take_heading_ids(body)
    markdown = markdown.strip("\n")
    plain = ImportedPage(
        page.path,
        page.path,
        page_title,
        f"{markdown}\n" if markdown else "",
        locale=None,
        description=page.fields.text("description") or None,
        label=navigation_label(page.fields),
        heading_ids=heading_ids,
    )
    return with_own_fields(plain, page)


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


def _plain_fence(line: re.Match[str], code: HiddenCode, has_bare_titles: bool) -> str:
    """A code block with only the language after its fence, below its title."""
    prefix, number = line[1], int(line[2])
    fence = code.fences[number]
    language, title = _language_and_title(fence.info.strip(), has_bare_titles)
    code.fences[number] = fence._replace(info=language)
    if not title:
        return line[0]
    # The title is separated from a paragraph right above it.
    indent = re.sub(r"[^>\t]", " ", prefix)
    blank = f"{indent.rstrip()}\n"
    label = f"**{' '.join(title.split()).replace('**', '')}**"
    return f"{blank if prefix == indent else ''}{prefix}{label}\n{blank}{indent}\x00B{number}\x00"


def _language_and_title(info: str, has_bare_titles: bool) -> tuple[str, str]:
    """The language and the title in an info string."""
    match = _LANGUAGE.match(info)
    language = (match[1] or match[2]) if match else ""
    rest = info[match.end() if match else 0 :]
    if title := _TITLE.search(info, match.end(match.lastindex or 0) if match else 0):
        words = next(text for text in title.groups() if text is not None)
        return language, _TAG.sub("", words).strip()
    if brackets := _BRACKETS.search(rest):
        return language, brackets[1]
    words = _OPTION.sub(" ", rest).split() if has_bare_titles else []
    plain = " ".join(word for word in words if word not in _FLAGS)
    if not any(map(str.isalnum, plain)):
        return language, ""
    return language, plainer(_SIGN.sub(r"\\\g<0>", plain))

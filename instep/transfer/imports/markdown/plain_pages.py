"""The final steps, which are the same for all Markdown formats."""

import re
from collections.abc import Callable
from itertools import takewhile

from instep.platform.text.blocks import Block, read_blocks
from instep.transfer.imports.html.callout_kinds import ALERT_KINDS
from instep.transfer.imports.html.escapes import plainer
from instep.transfer.imports.markdown.attribute_lists import remove_attribute_lists
from instep.transfer.imports.markdown.callouts import plain_title
from instep.transfer.imports.markdown.fields import Fields
from instep.transfer.imports.markdown.grouping import take_titles
from instep.transfer.imports.markdown.heading_ids import replace_html_headings, take_heading_ids
from instep.transfer.imports.markdown.hidden_code import HiddenCode, hide_code
from instep.transfer.imports.markdown.own_fields import with_own_fields
from instep.transfer.imports.markdown.plain_html import replace_html
from instep.transfer.imports.markdown.source_pages import SourcePage
from instep.transfer.imports.tree.file_names import title_of_name
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
# A title in brackets has letters; numbers in brackets, and lists in options, refer to lines.
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
# Front matter in the order of Docusaurus, Mintlify, Jekyll and Hugo.
_LABELS = ("sidebar_label", "sidebarTitle", "nav_title", "linkTitle", "linktitle")
_FOLDER_PAGES = frozenset(("index", "_index", "readme", "home"))
_ID = re.compile(r"(?<![ \t])[ \t]*+(?:\{:?[^{}\n]*\}|\[#[\w.-]+\])[ \t]*$")
_NOT_A_WORD = re.compile(r"[\W_]+")
_RULE = re.compile(r"([ \t>]*+)\|[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?+[ \t]*+")
_BAR = re.compile(r"(?<!\\)\|")
_MARKS = re.compile(r"[ \t>]*+(?:(?:[-*+]|\d{1,9}[.)])[ \t]++)?+")


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


def take_title(title: str, body: str, path: str, other: str = "") -> tuple[str, str]:
    """The title of a page, and its text without the heading that repeats it.

    `title` is the title in the front matter, or empty. Without one, the title is the first heading if that
    has level 1, which is then removed; otherwise `other`, its title elsewhere in the source, or the name of
    the file or of its folder.
    """
    heading = _first_heading(body)
    if heading is None:
        return plain_title(title) or other or _title_of_path(path), body
    words = plain_title(_ID.sub("", remove_attribute_lists(heading.text)))
    if not title and words:
        return words, _without(body, heading)
    if _is_same(title, words):
        return plain_title(title), _without(body, heading)
    return plain_title(title) or other or _title_of_path(path), body


def navigation_label(fields: Fields) -> str:
    """The name of a page in the navigation, in its front matter; empty if there is none."""
    return fields.text(*_LABELS) or fields.fields("sidebar").text("label")


def _first_heading(body: str) -> Block | None:
    """The first heading if it has level 1."""
    heading = next((block for block in read_blocks(body).blocks if block.kind == "heading"), None)
    return heading if heading and heading.level == 1 and heading.depth == 0 else None


def _without(body: str, heading: Block) -> str:
    lines = body.split("\n")
    above, below = lines[: heading.first_line - 1], lines[heading.last_line :]
    if not any(line.strip() for line in above):
        return "\n".join(below).lstrip("\n")
    return "\n".join(above).rstrip("\n") + "\n\n" + "\n".join(below).lstrip("\n")


def _is_same(title: str, words: str) -> bool:
    return _NOT_A_WORD.sub("", plain_title(title)).casefold() == _NOT_A_WORD.sub("", words).casefold()


def _title_of_path(path: str) -> str:
    folder, _, _ = path.rpartition("/")
    title = title_of_name(path)
    return title_of_name(folder) if title.lower() in _FOLDER_PAGES and folder else title


def repair_table_heads(text: str) -> str:
    """Pad the header and the delimiter row of each table to the number of cells of its widest row.

    Code in the text must be hidden.
    """
    if "|" not in text:
        return text
    lines = text.split("\n")
    end = 0
    for number in range(1, len(lines)):
        head, rule = _row(lines[number - 1]), _RULE.fullmatch(lines[number])
        if number < end or rule is None or not head or _RULE.fullmatch(lines[number - 1]):
            continue
        below = (_row(lines[at]) for at in range(number + 1, len(lines)))
        rows = list(takewhile(bool, below))
        end = number + 1 + len(rows)
        cells, marks = _cells(head), _cells(_row(lines[number]))
        if len(cells) != len(marks):
            width = max(map(len, [cells, *map(_cells, rows)]))
            lines[number - 1] = lines[number - 1].removesuffix(head) + _written(cells, width, "")
            lines[number] = rule[1] + _written(marks[:width], width, "---")
    return "\n".join(lines)


def _row(line: str) -> str:
    """The line from its first bar; empty if no row of a table begins with a bar."""
    marks = _MARKS.match(line)
    row = line[marks.end() :] if marks else line
    return row if row.startswith("|") else ""


def _cells(row: str) -> list[str]:
    inner = row.strip().removeprefix("|")
    cells = _BAR.split(inner)
    return [cell.strip() for cell in (cells[:-1] if len(cells) > 1 and not cells[-1].strip() else cells)]


def _written(cells: list[str], width: int, blank: str) -> str:
    padded = [*cells, *[blank] * (width - len(cells))]
    return f"| {' | '.join(padded)} |"

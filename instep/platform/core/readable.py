"""Makes rendered HTML accessible and private: keyboards scroll tables and code, images send no referrer."""

import re
from collections import Counter
from dataclasses import dataclass, field
from html import escape, unescape

# The cleaner's output is well-formed: every attribute is quoted, every other `<` is escaped.
TAG = re.compile(
    r'<(/?)(a|h[1-6]|img|input|pre|table)((?: [a-z-]+="[^"]*")*)>'
    r'|(<(code|td|th)(?: (?:align|data-line)="[^"]*")*>)([^<>]*)'
)
# A long name in a table, and the places at which it can break: after a sign, and before a capital letter.
LONG_NAME = re.compile(r"[^\s<>]{16,}")
NAME_PART_END = re.compile(r"(?<=[\w\])}][_./:=,])(?=\w)|(?<=[a-z])(?=[A-Z])")
# The text of a task, which follows its checkbox, ends here at the latest.
TASK_END = re.compile(r"</?(?:blockquote|div|h[1-6]|hr|input|li|ol|p|pre|section|table|td|th|ul)\b")
ANY_TAG = re.compile(r"<[^<>]*>")
CUT_TAG = re.compile(r"<[^<>]*$")
ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
# The characters that browsers remove from a URL (WHATWG URL, section 4.4), and a URL's scheme.
IGNORED_IN_URLS = re.compile(r"^[\0-\x20]+|[\t\n\r]")
SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
EXTERNAL_REL = "noopener noreferrer nofollow"
MAX_LABEL_CHARACTERS = 100
# The number of characters searched for a task's text, so that many checkboxes take linear time.
MAX_TASK_CHARACTERS = 1_000
# Attributes that this module adds; the cleaner removes them from authors' texts.
ADDED_ATTRIBUTES = {
    "a": {"rel"},
    "div": {"role", "tabindex", "aria-label"},
    "img": {"loading", "referrerpolicy"},
    "input": {"aria-label"},
    "pre": {"role", "tabindex", "aria-label"},
}


def make_readable(html: str) -> str:
    """Complete HTML that `core.markdown` has cleaned.

    Tables get a `region` around them and code becomes a `group`. Both can be focused, so that arrow keys
    scroll them, and are labeled by the heading above. Long names can break in tables. Images load
    lazily and send no referrer. An image over plain HTTP, which pages of the site do not load, becomes a
    link. A checkbox is labeled by its task's text. Links within the site lose the `rel` of external links.
    """
    return TAG.sub(Rewriter().rewrite, html)


@dataclass(slots=True)
class Rewriter:
    """Replaces the tags of one text in document order.

    `heading` is the text of the last heading; `tables` counts the tables below headings with the same text.
    """

    heading: str = ""
    heading_start: int = 0
    open_links: int = 0
    open_tables: int = 0
    tables: Counter[str] = field(default_factory=Counter)

    def rewrite(self, tag: re.Match[str]) -> str:
        return RULES[tag[2] or tag[5]](self, tag)

    def names(self, tag: re.Match[str]) -> str:
        """Code or the text of a cell with places to break, so that narrow columns break names there."""
        if not self.open_tables:
            return tag[0]
        return tag[4] + LONG_NAME.sub(lambda name: NAME_PART_END.sub("<wbr>", name[0]), tag[6])

    def code_block(self, tag: re.Match[str]) -> str:
        if tag[1]:
            return tag[0]
        label = escape(self.heading or "Code")
        return f'<pre{tag[3]} tabindex="0" role="group" aria-label="{label}">'

    def note_heading(self, tag: re.Match[str]) -> str:
        if tag[1]:
            self.heading = label_of(tag.string[self.heading_start : tag.start()])
        else:
            self.heading_start = tag.end()
        return tag[0]

    def table(self, tag: re.Match[str]) -> str:
        if tag[1]:
            self.open_tables -= 1
            return f"{tag[0]}</div>" if self.open_tables == 0 else tag[0]
        self.open_tables += 1
        if self.open_tables > 1:
            return tag[0]
        name = self.heading or "Table"
        self.tables[name] += 1
        # Screen readers list regions by name, so each name is unique.
        number = f" ({self.tables[name]})" if self.tables[name] > 1 else ""
        return f'<div role="region" tabindex="0" aria-label="{escape(name)}{number}">{tag[0]}'

    def link(self, tag: re.Match[str]) -> str:
        self.open_links += -1 if tag[1] else 1
        target = value_of(tag[3], "href")
        if target is None or is_external(target):
            return tag[0]
        return tag[0].replace(f' rel="{EXTERNAL_REL}"', "")

    def picture(self, tag: re.Match[str]) -> str:
        source = value_of(tag[3], "src") or ""
        if not is_unencrypted(source):
            return f'<img{tag[3]} loading="lazy" referrerpolicy="no-referrer">'
        label = escape((value_of(tag[3], "alt") or "").strip() or source)
        if self.open_links:
            return label
        return f'<a href="{escape(source)}" rel="{EXTERNAL_REL}">{label}</a>'

    def checkbox(self, tag: re.Match[str]) -> str:
        html = tag.string[tag.end() : tag.end() + MAX_TASK_CHARACTERS]
        # In a list with blank lines between its items each text is a paragraph.
        words = TASK_END.split(html.lstrip().removeprefix("<p>"), maxsplit=1)[0]
        label = escape(label_of(words) or "Task")
        return f'<input{tag[3]} aria-label="{label}">'


RULES = {
    **{f"h{level}": Rewriter.note_heading for level in range(1, 7)},
    "a": Rewriter.link,
    **dict.fromkeys(("code", "td", "th"), Rewriter.names),
    "img": Rewriter.picture,
    "input": Rewriter.checkbox,
    "pre": Rewriter.code_block,
    "table": Rewriter.table,
}


def value_of(attributes: str, name: str) -> str | None:
    return next((unescape(value) for key, value in ATTRIBUTE.findall(attributes) if key == name), None)


def is_external(url: str) -> bool:
    """True if a browser may resolve the URL to another site."""
    url = IGNORED_IN_URLS.sub("", url).replace("\\", "/")
    return url.startswith("//") or SCHEME.match(url) is not None


def is_unencrypted(url: str) -> bool:
    return IGNORED_IN_URLS.sub("", url).lower().startswith("http:")


def label_of(html: str) -> str:
    """The text of inline HTML as a label, without a tag that the end of the HTML cuts in two."""
    text = " ".join(unescape(CUT_TAG.sub("", ANY_TAG.sub("", html))).split())
    return text if len(text) <= MAX_LABEL_CHARACTERS else f"{text[:MAX_LABEL_CHARACTERS].rstrip()}…"

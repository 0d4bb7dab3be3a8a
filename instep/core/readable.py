"""What rendered HTML gets for its readers: tables and code that a keyboard scrolls, discreet pictures."""

import re
from collections import Counter
from dataclasses import dataclass, field
from html import escape, unescape

# The cleaner's output is well-formed: every attribute is quoted, every other `<` is escaped.
TAG = re.compile(r'<(/?)(a|h[1-6]|img|input|pre|table)((?: [a-z-]+="[^"]*")*)>')
# Where the words of a task, which follow its checkbox, end at the latest.
TASK_END = re.compile(r"</?(?:blockquote|div|h[1-6]|hr|input|li|ol|p|pre|section|table|td|th|ul)\b")
ANY_TAG = re.compile(r"<[^<>]*>")
CUT_TAG = re.compile(r"<[^<>]*$")
ATTRIBUTE = re.compile(r' ([a-z-]+)="([^"]*)"')
# As browsers read an address: what they skip before and within it, and where a scheme ends.
SKIPPED = re.compile(r"^[\0-\x20]+|[\t\n\r]")
SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
FOREIGN_REL = "noopener noreferrer nofollow"
MAX_NAME_CHARACTERS = 100
# Characters of HTML that are searched for the words of a task, so that many checkboxes take linear time.
MAX_TASK_CHARACTERS = 1_000
# Added here and never taken from an author's text, whose `role` or `tabindex` the cleaner removes.
ADDED_ATTRIBUTES = {
    "a": {"rel"},
    "div": {"role", "tabindex", "aria-label"},
    "img": {"loading", "referrerpolicy"},
    "input": {"aria-label"},
    "pre": {"role", "tabindex", "aria-label"},
}


def make_readable(html: str) -> str:
    """The same HTML, which `core.markdown` has cleaned, with what its readers need.

    Tables stand in a `region` and code is a `group`. Both can be focused, so that arrow keys scroll them, and
    are named by the heading above. Pictures load late and tell no referrer. A picture without encryption,
    which no page shows, becomes a link. A checkbox is named by the words of its task. Links within the site
    lose the `rel` of those that lead elsewhere.
    """
    return TAG.sub(Rewriter().rewrite, html)


@dataclass(slots=True)
class Rewriter:
    """Reads the tags of one text in their order, and says what stands in the place of each."""

    heading: str = ""
    heading_start: int = 0
    open_links: int = 0
    open_tables: int = 0
    tables: Counter[str] = field(default_factory=Counter)

    def rewrite(self, tag: re.Match[str]) -> str:
        return RULES[tag[2]](self, tag)

    def code_block(self, tag: re.Match[str]) -> str:
        if tag[1]:
            return tag[0]
        label = escape(self.heading or "Code")
        return f'<pre{tag[3]} tabindex="0" role="group" aria-label="{label}">'

    def note_heading(self, tag: re.Match[str]) -> str:
        if tag[1]:
            self.heading = words_of(tag.string[self.heading_start : tag.start()])
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
        # Regions are places that people go to by name, so no two have the same.
        number = f" ({self.tables[name]})" if self.tables[name] > 1 else ""
        return f'<div role="region" tabindex="0" aria-label="{escape(name)}{number}">{tag[0]}'

    def link(self, tag: re.Match[str]) -> str:
        self.open_links += -1 if tag[1] else 1
        target = value_of(tag[3], "href")
        if target is None or leads_elsewhere(target):
            return tag[0]
        return tag[0].replace(f' rel="{FOREIGN_REL}"', "")

    def picture(self, tag: re.Match[str]) -> str:
        source = value_of(tag[3], "src") or ""
        if not is_unencrypted(source):
            return f'<img{tag[3]} loading="lazy" referrerpolicy="no-referrer">'
        words = escape((value_of(tag[3], "alt") or "").strip() or source)
        if self.open_links:
            return words
        return f'<a href="{escape(source)}" rel="{FOREIGN_REL}">{words}</a>'

    def checkbox(self, tag: re.Match[str]) -> str:
        html = tag.string[tag.end() : tag.end() + MAX_TASK_CHARACTERS]
        # In a list with blank lines between its items each text is a paragraph.
        words = TASK_END.split(html.lstrip().removeprefix("<p>"), maxsplit=1)[0]
        label = escape(words_of(words) or "Task")
        return f'<input{tag[3]} aria-label="{label}">'


RULES = {
    **{f"h{level}": Rewriter.note_heading for level in range(1, 7)},
    "a": Rewriter.link,
    "img": Rewriter.picture,
    "input": Rewriter.checkbox,
    "pre": Rewriter.code_block,
    "table": Rewriter.table,
}


def value_of(attributes: str, name: str) -> str | None:
    return next((unescape(value) for key, value in ATTRIBUTE.findall(attributes) if key == name), None)


def leads_elsewhere(address: str) -> bool:
    """Whether an address may lead to another site than the page's own."""
    read = SKIPPED.sub("", address).replace("\\", "/")
    return read.startswith("//") or SCHEME.match(read) is not None


def is_unencrypted(address: str) -> bool:
    return SKIPPED.sub("", address).lower().startswith("http:")


def words_of(html: str) -> str:
    """The text of inline HTML as a name; a tag that the end cuts in two does not belong to it."""
    text = unescape(CUT_TAG.sub("", ANY_TAG.sub("", html)))
    return shortened(" ".join(text.split()))


def shortened(words: str) -> str:
    return words if len(words) <= MAX_NAME_CHARACTERS else f"{words[:MAX_NAME_CHARACTERS].rstrip()}…"

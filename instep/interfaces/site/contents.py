"""The table of contents of an article: its headings, linked to their sections."""

import re
from dataclasses import dataclass, field
from html import unescape

# `core.markdown` gives each heading an id and no other attribute.
HEADING_START = re.compile(r'<h([1-4]) id="([^"]*)">')
ANY_TAG = re.compile(r"<[^<>]*>")
# The page's own heading is the title, so an author's first level counts as the second.
TOP_LEVEL = 2


@dataclass(frozen=True, slots=True)
class ContentsHeading:
    """A heading with the headings of the next level below it."""

    id: str
    title: str
    level: int
    subheadings: list["ContentsHeading"] = field(default_factory=list)


def contents_of(html: str) -> list[ContentsHeading]:
    """The two highest heading levels of a rendered text, in order."""
    headings = headings_of(html)
    highest = min((heading.level for heading in headings), default=TOP_LEVEL)
    contents: list[ContentsHeading] = []
    for heading in headings:
        if heading.level == highest or not contents:
            contents.append(heading)
        elif heading.level == highest + 1:
            contents[-1].subheadings.append(heading)
    return contents


def headings_of(html: str) -> list[ContentsHeading]:
    headings = []
    for start in HEADING_START.finditer(html):
        inner_html = html[start.end() : html.find("</h", start.end())]
        title = " ".join(unescape(ANY_TAG.sub("", inner_html)).split())
        if title:
            headings.append(ContentsHeading(unescape(start[2]), title, max(TOP_LEVEL, int(start[1]))))
    return headings

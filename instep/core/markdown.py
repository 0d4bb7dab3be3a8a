"""Markdown to sanitised HTML: CommonMark with GitHub's extensions, then an allow-list of tags."""

import re
from typing import Any, Literal

import comrak
import nh3

from instep.core import limits
from instep.core.errors import InvalidRequest
from instep.core.html_cost import refuse_costly_html
from instep.core.markdown_cost import has_many_headings, refuse_costly_markdown, refuse_equal_headings
from instep.core.readable import FOREIGN_REL, make_readable
from instep.core.sandbox import TimeLimitExceeded, run_with_timeout

# How the API returns a text: as it was written, or rendered.
Format = Literal["markdown", "html"]
TAGS = {
    *("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "hr", "br"),
    *("table", "thead", "tbody", "tr", "th", "td", "details", "summary", "div", "section", "input"),
    *("em", "strong", "del", "a", "img", "sup", "sub", "kbd"),
}
ATTRIBUTES: dict[str, set[str]] = {
    "*": set(),
    "a": {"href", "title", "id", "class", "aria-label"},
    "img": {"src", "alt", "title", "width", "height"},
    "th": {"align"},
    "td": {"align"},
    "ol": {"start"},
    "li": {"id"},
    "code": {"class"},
    "div": {"class"},
    "p": {"class"},
    "section": {"class"},
    "sup": {"class"},
    "input": {"checked"},
    **{f"h{level}": {"id"} for level in range(1, 7)},
}
HEADING_PREFIX = "h-"
# Ids are ours alone: a customer's `id="location"` would shadow the page's own names.
OWN_ID = re.compile(r"(h|fn|fnref)-\S+")
OWN_CLASS = re.compile(
    r"language-[\w+-]{1,30}|markdown-alert[\w -]*|footnote-ref|footnote-backref|footnotes|anchor"
)
# The cleaner writes the attributes that it sets in an order of chance, so boxes are written anew.
BOX = re.compile(r"<input[^>]*>")
CHECKED = '<input type="checkbox" checked="" disabled="">'
UNCHECKED = '<input type="checkbox" disabled="">'
# A text with many of the marks that nesting is made of is rendered where a time limit holds, whatever the
# limits of its nesting let through.
MARKS = ("<", ">", "#", "=", "-", "[^")
MANY_MARKS = 2_000


def render(text: str) -> str:
    """The HTML of a Markdown text, safe to put into a page; the same text always gives the same HTML."""
    return cleaned(comrak.render_markdown(text, extension_options=extensions(), render_options=options()))


def render_checked(text: str) -> str:
    """Like `render`; raises `TooComplex` for a text that would take more than linear time."""
    refuse_costly_markdown(text)
    if has_many_headings(text):
        refuse_equal_headings(comrak.render_markdown(text, extension_options=extensions(has_anchors=False)))
    html = comrak.render_markdown(text, extension_options=extensions(), render_options=options())
    if "<" in text:
        refuse_costly_html(html, text)
    return cleaned(html)


def cleaned(html: str) -> str:
    """The allowed part of a rendered text."""
    cleaner = nh3.Cleaner(
        tags=TAGS,
        clean_content_tags={"script", "style"},
        attributes=ATTRIBUTES,
        attribute_filter=keep_attribute,
        set_tag_attribute_values={"input": {"type": "checkbox", "disabled": ""}},
        url_schemes={"http", "https", "mailto"},
        link_rel=FOREIGN_REL,
    )
    for _ in range(3):
        before, html = html, cleaner.clean(html)
        if html == before:
            break
    return make_readable(BOX.sub(lambda box: CHECKED if " checked=" in box[0] else UNCHECKED, html))


async def render_bounded(text: str) -> str:
    """Like `render_checked`, with long or odd texts under a time limit in a process of their own."""
    if len(text) <= limits.MAX_INLINE_CHARACTERS and sum(map(text.count, MARKS)) <= MANY_MARKS:
        return render_checked(text)
    try:
        return await run_with_timeout(render_checked, text, seconds=limits.MAX_RENDER_SECONDS)
    except TimeLimitExceeded:
        message = "This text takes too long to render: shorten it or make its nesting simpler."
        raise InvalidRequest(message, details=[("contentMarkdown", message)]) from None


def keep_attribute(tag: str, name: str, value: str) -> str | None:
    if name == "id":
        return value if OWN_ID.fullmatch(value) else None
    if name == "checked":
        return ""
    if name == "class":
        return value if OWN_CLASS.fullmatch(value) else None
    if name == "href" and value.startswith("#") and not OWN_ID.fullmatch(value[1:]):
        return f"#{HEADING_PREFIX}{value[1:]}"
    return value


def extensions(*, has_anchors: bool = True) -> Any:
    extension_options = comrak.ExtensionOptions()
    for name in ("table", "strikethrough", "tasklist", "autolink", "footnotes", "alerts"):
        setattr(extension_options, name, True)
    if has_anchors:
        extension_options.header_id_prefix = HEADING_PREFIX
    return extension_options


def options() -> Any:
    render_options = comrak.RenderOptions()
    # Raw HTML passes here because the allow-list decides about it: `<details>` stays, `<script>` goes.
    render_options.unsafe_ = True
    return render_options

"""Markdown to sanitized HTML: CommonMark with GitHub's extensions, then an allow-list of tags."""

import re
from collections.abc import Set
from functools import partial
from typing import Any, Literal

import comrak
import nh3

from instep.platform.core import formulas, limits, markdown_cost
from instep.platform.core.directives import MarkedText, mark_directives
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.readable import EXTERNAL_REL, make_readable
from instep.platform.core.sandbox import TimeLimitExceeded, run_bounded

# The formats in which the API returns a text.
Format = Literal["markdown", "html"]
TAGS = {
    *("p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "hr", "br"),
    *("table", "thead", "tbody", "tr", "th", "td", "details", "summary", "div", "section", "input"),
    *("em", "strong", "del", "a", "img", "sup", "sub", "kbd", "figure", "figcaption"),
    *formulas.TAGS,
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
    **formulas.ATTRIBUTES,
}
HEADING_PREFIX = "h-"
# The renderer gives the first heading without letters an empty name, and numbers the next ones from 1.
SIGNS_ID = f"{HEADING_PREFIX}-0"
NAMELESS_ANCHOR = '<a href="#" aria-label='
HEADING_ID = re.compile(rf' id="{HEADING_PREFIX}[^"]*"')
# Only generated ids are kept: an author's `id="location"` would shadow a global of the page (DOM clobbering).
GENERATED_ID = re.compile(r"(h|fn|fnref)-\S+")
GENERATED_CLASS = re.compile(
    r"language-[\w+-]{1,30}|markdown-alert[\w -]*|footnote-ref|footnote-backref|footnotes|anchor"
    r"|markdown-(?:tabs?|steps|cards?|video|title)"
)
# The position of a block or a piece of text in the Markdown: the renderer's attribute, and the editors'.
SOURCE_POSITION = re.compile(r' data-sourcepos="(\d+):[\d:-]+"')
LINE = "data-line"
LINE_NUMBER = re.compile(r"\d{1,7}")
# The cleaner writes the attributes that it sets in random order, so checkboxes are replaced with these.
CHECKBOX = re.compile(r"<input[^>]*>")
CHECKED = '<input type="checkbox" checked="" disabled="">'
UNCHECKED = '<input type="checkbox" disabled="">'
# A picture that is a paragraph of its own and has a title, which becomes its caption.
TITLED_PICTURE = re.compile(r'<p([^<>]*)>(<img [^<>]*?) title="([^"<>]*)" /></p>')
# A text with many marks that can nest is rendered under a time limit, in case the checks of its cost miss
# something.
MARKS = ("<", ">", "#", "=", "-", "[^")
MAX_INLINE_MARKS = 2_000


def render(text: str, *, draws_formulas: bool = True) -> str:
    """The HTML of a Markdown text, safe for a page; the same text always gives the same HTML."""
    return clean_html(html_of(mark_directives(text), draws_formulas=draws_formulas))


def render_checked(text: str, *, has_lines: bool = False) -> str:
    """Like `render`; raises `TooComplex` for a text that would take more than linear time.

    With `has_lines` the attribute `data-line` of a tag is the line, from 1, at which it begins.
    """
    marked = mark_directives(text)
    markdown_cost.refuse_costly_markdown(marked.text)
    if markdown_cost.has_many_headings(text):
        markdown_cost.refuse_equal_headings(
            comrak.render_markdown(marked.text, extension_options=extensions(has_anchors=False))
        )
    html = html_of(marked, has_lines=has_lines)
    if "<" in marked.text:
        markdown_cost.refuse_costly_html(html, text)
    if has_lines:
        html = SOURCE_POSITION.sub(rf' {LINE}="\1"', html)
    return clean_html(html, {LINE} if has_lines else set())


def render_excerpt(text: str) -> str:
    """Like `render`, for a part of a text among others on a page: its headings have no ids."""
    return clean_html(html_of(mark_directives(text), has_anchors=False))


def html_of(
    marked: MarkedText, *, has_anchors: bool = True, has_lines: bool = False, draws_formulas: bool = True
) -> str:
    """The HTML as the author wants it, before it is cleaned."""
    html = marked.html(
        comrak.render_markdown(
            marked.text,
            extension_options=extensions(has_anchors=has_anchors),
            render_options=options(has_lines=has_lines),
        )
    )
    html = formulas.draw_formulas(html) if draws_formulas else html
    return TITLED_PICTURE.sub(r"<figure\1>\2 /><figcaption>\3</figcaption></figure>", html)


def clean_html(html: str, further_attributes: Set[str] = frozenset()) -> str:
    """The HTML with the allowed tags and attributes only, made readable."""
    cleaner = nh3.Cleaner(
        tags=TAGS,
        clean_content_tags={"script", "style"},
        attributes={**ATTRIBUTES, "*": set(further_attributes)},
        attribute_filter=keep_attribute,
        set_tag_attribute_values={"input": {"type": "checkbox", "disabled": ""}},
        url_schemes={"http", "https", "mailto"},
        link_rel=EXTERNAL_REL,
    )
    html = html.replace(NAMELESS_ANCHOR, f'<a href="#{SIGNS_ID}" aria-label=')
    # Cleaning may produce HTML that the next pass changes again, so there are up to three.
    for _ in range(3):
        before, html = html, cleaner.clean(html)
        if html == before:
            break
    return make_readable(CHECKBOX.sub(lambda tag: CHECKED if " checked=" in tag[0] else UNCHECKED, html))


def renders_at_once(text: str) -> bool:
    """True if a text is short and plain enough to be rendered in the server process."""
    is_short = len(text) <= limits.MAX_INLINE_CHARACTERS and sum(map(text.count, MARKS)) <= MAX_INLINE_MARKS
    return is_short and not any(mark in text for mark in formulas.MARKS)


async def render_bounded(text: str, *, has_lines: bool = False) -> str:
    """Like `render_checked`; long texts and texts with many marks run in a sandbox with a time limit.

    Raises `InvalidRequest` for `contentMarkdown` if the text is too complex or takes too long.
    """
    render_text = partial(render_checked, has_lines=has_lines) if has_lines else render_checked
    try:
        return await run_bounded(
            render_text, text, seconds=limits.MAX_RENDER_SECONDS, is_small=renders_at_once(text)
        )
    except TimeLimitExceeded:
        message = "This text takes too long to render: shorten it or make its nesting simpler."
        raise InvalidRequest(message, details=[("contentMarkdown", message)]) from None


async def render_answer(text: str) -> str:
    """Like `render_bounded`, for an answer among others on a page: its headings have no ids."""
    return HEADING_ID.sub("", await render_bounded(text))


def keep_attribute(tag: str, name: str, value: str) -> str | None:
    """The value to keep for an allowed attribute; None removes the attribute."""
    if name == "id":
        value = SIGNS_ID if value == HEADING_PREFIX else value
        return value if GENERATED_ID.fullmatch(value) else None
    if name == "checked":
        return ""
    if name == LINE:
        return value if LINE_NUMBER.fullmatch(value) else None
    if name == "class":
        return value if GENERATED_CLASS.fullmatch(value) else None
    if name == "href" and value in ("#", f"#{HEADING_PREFIX}"):
        return None
    if name == "href" and value.startswith("#"):
        return f"#{heading_fragment(value[1:])}"
    return value


def heading_fragment(fragment: str) -> str:
    """The fragment of a heading that a link names without the prefix; others are unchanged."""
    is_other = fragment.startswith(":~:") or GENERATED_ID.fullmatch(fragment)
    return fragment if is_other else HEADING_PREFIX + fragment


def extensions(*, has_anchors: bool = True) -> Any:
    extension_options = comrak.ExtensionOptions()
    for name in ("table", "strikethrough", "tasklist", "autolink", "footnotes", "alerts", "math_code"):
        setattr(extension_options, name, True)
    if has_anchors:
        extension_options.header_id_prefix = HEADING_PREFIX
    return extension_options


def options(*, has_lines: bool = False) -> Any:
    render_options = comrak.RenderOptions()
    render_options.sourcepos = has_lines
    # Raw HTML passes because the cleaner's allow-list decides: it keeps `<details>`, not `<script>`.
    render_options.unsafe_ = True
    return render_options

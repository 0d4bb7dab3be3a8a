"""The active elements of a Markdown text: links, images, HTML, templates, hidden characters."""

import re
from collections import Counter
from collections.abc import Iterator
from html import unescape
from typing import Literal

import comrak

from instep.platform.core.markdown import ATTRIBUTES, TAGS, extensions, options
from instep.platform.core.markdown_cost import TooComplex, refuse_costly_markdown
from instep.platform.text.characters import JOINERS, is_hidden

# `link` and `picture` have a target; `html` is a tag with its attributes that the site's Markdown does not
# make; `active` runs or sends something; `comment` is an HTML comment; `mark` begins a template;
# `module` is a line that imports or exports something. A text that takes too long to render has `complex`.
Kind = Literal["link", "picture", "html", "active", "comment", "mark", "module", "complex"]
Elements = Counter[tuple[Kind, str]]
COMPLEX: tuple[Kind, str] = ("complex", "")

# In HTML a quote begins a value only after an equals sign, as in browsers.
_TAG = re.compile(r"<([A-Za-z][\w.:-]*+)((?:[^<>=]++|=\s*+(?:\"[^\"]*+\"|'[^']*+')?+)*+)")
_ATTRIBUTE = re.compile(
    r"(?<![\w:.@-])([A-Za-z@:][\w:.@-]*+)\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'<>]*+))"
)
_CODE_ELEMENT = re.compile(r"<code[^<>]*+>[^<]*+</code>")
_COMMENT = re.compile(r"<![^<>]*+")
_MARK = re.compile(r"\{\{|\{%|<%|<\?|^(?:<p>)?+[ \t]*+\.\. raw::", re.MULTILINE)
# Lines of MDX that run; at the beginning of a paragraph its tag comes first.
_MODULE_LINE = re.compile(
    r"^(?:<p>)?+((?:import (?:[^\n<]{1,200} from )?[\"']"
    r"|export (?:const|default|function|let|var|class|async|[{*]))[^\n<]{0,200})",
    re.MULTILINE,
)
# Elements that run, send or restyle something, or load another page.
_ACTIVE = frozenset(
    (
        *("script", "iframe", "object", "embed", "applet", "frame", "frameset", "form", "input", "button"),
        *("textarea", "select", "style", "link", "meta", "base", "template", "noscript", "dialog", "portal"),
        *("svg", "math", "animate", "set", "foreignobject"),
    )
)
_TARGETS = frozenset(
    (
        *("href", "src", "srcset", "poster", "action", "formaction", "data", "background", "xlink:href"),
        *("ping", "cite", "longdesc", "to"),
    )
)
_LOADING = frozenset(("img", "video", "audio", "source", "track", "picture", "image"))
_CHECKBOX = frozenset(("type", "checked", "disabled"))
# Invisible letters and marks; a row of variation selectors can carry a text.
_BLANKS = frozenset("\u115f\u1160\u3164\uffa0\u2800\u034f")
_SEEN = frozenset("\n\r\t" + JOINERS)
_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2}")
# Joiners shape the letters of other scripts, and emoji.
_JOINER_IN_ASCII = re.compile(f"(?<=[\\0-~])[{JOINERS}]|[{JOINERS}](?=[\\0-~{JOINERS}])")


def elements_of(text: str) -> Elements:
    try:
        refuse_costly_markdown(text)
    except TooComplex:
        return Counter([COMPLEX])
    html = comrak.render_markdown(
        text, extension_options=extensions(has_anchors=False), render_options=options()
    )
    prose = unescape(_CODE_ELEMENT.sub(" ", html))
    elements: Elements = Counter(_elements(html))
    elements.update(("active", f"<{tag}>") for tag, names in _tags(prose) if _is_active(tag, names))
    elements.update(("comment", comment) for comment in _COMMENT.findall(prose))
    elements.update(("mark", mark.removeprefix("<p>").strip()) for mark in _MARK.findall(prose))
    elements.update(("module", line.strip()) for line in _MODULE_LINE.findall(prose))
    return elements


def _elements(html: str) -> Iterator[tuple[Kind, str]]:
    for tag, attributes in _tags(html):
        target: Kind = "picture" if tag in _LOADING else "link"
        yield from ((target, value) for name, value in attributes.items() if name in _TARGETS)
        if any(name.startswith("on") for name in attributes):
            yield "active", "an event handler"
        allowed = ATTRIBUTES["*"] | ATTRIBUTES.get(tag, set())
        others = sorted(
            name for name in attributes if name not in allowed and not name.startswith(("data-", "aria-"))
        )
        if tag not in TAGS or (others and tag != "input"):
            yield "html", " ".join((tag, *others))


def _tags(html: str) -> Iterator[tuple[str, dict[str, str]]]:
    for tag, rest in _TAG.findall(html):
        attributes = {name.lower(): unescape(a or b or c) for name, a, b, c in _ATTRIBUTE.findall(rest)}
        yield tag.lower(), attributes


def _is_active(tag: str, attributes: dict[str, str]) -> bool:
    return tag in _ACTIVE and not (tag == "input" and _CHECKBOX.issuperset(attributes))


def hidden_characters(text: str) -> "Counter[str]":
    """The invisible characters of a text, including character references."""
    text = unescape(text)
    hidden = Counter(
        character
        for character in set(text) - _SEEN
        if is_hidden(character) or character in _BLANKS
        for _ in range(text.count(character))
    )
    hidden.update(_JOINER_IN_ASCII.findall(text))
    hidden.update(_SELECTORS.findall(text))
    return hidden

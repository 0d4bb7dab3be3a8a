"""What a model may not bring into a text: links, pictures, markup of others, hidden characters."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import unescape
from urllib.parse import urlsplit

import comrak

from instep.core.markdown import extensions
from instep.writer.articles.headings import front_matter

_LINK = re.compile(r'<(a|img)\b[^>]*? (?:href|src)="([^"]*)"')
_RAW = "<!-- raw HTML omitted -->"
_URL = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s<>\"'`|]*|\b(?:data|javascript|vbscript|file):\S+|\bwww\.\S+",
    re.IGNORECASE,
)
_URL_END = ".,;:!?)]"
_DEFINITION = re.compile(r"(?m)^[ \t>*+-]*\[[^\]\n]+\]:")
_TEMPLATES = ("{{", "{%", "<%", "<!")
# Deep nesting costs quadratic time where it is rendered.
_DEEP = re.compile(r"(?:[>*_~`#\[\]] ?){60}")
_HIDDEN = frozenset(("Cc", "Cf", "Co", "Cs"))
_SEEN = frozenset("\n\t\u200c\u200d")


@dataclass(frozen=True, slots=True)
class LinkPolicy:
    """Where a text may lead: into the help center (`own`), and where the change says, on known hosts."""

    own: str = ""
    told: str = ""
    hosts: frozenset[str] = frozenset()

    def covers(self, url: str) -> bool:
        if url.startswith("#"):
            return True
        if self.own and (url == self.own or url.startswith(self.own.rstrip("/") + "/")):
            return True
        return host_of(url) in self.hosts and url in self.told


def host_of(url: str) -> str | None:
    try:
        return urlsplit(url).hostname
    except ValueError:
        return None


def hosts_in(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(host for text in texts for url in _urls(text) if (host := host_of(url)))


def violation(before: str, after: str, reach: LinkPolicy) -> str | None:
    """What `after` holds that `before` does not and that a model may not write, as the end of a sentence."""
    if front_matter(before) != front_matter(after):
        return "it changes the front matter"
    if any(after.count(sign) > before.count(sign) for sign in _TEMPLATES) or (
        len(_DEFINITION.findall(after)) > len(_DEFINITION.findall(before))
        or len(_DEEP.findall(after)) > len(_DEEP.findall(before))
    ):
        return "it brings in markup"
    if any(count > 0 for count in (_hidden(after) - _hidden(before)).values()):
        return "it brings in characters that nobody sees"
    return _markup_violation(before, after, reach)


def _markup_violation(before: str, after: str, reach: LinkPolicy) -> str | None:
    marks = marks_of(before)
    known = {target for kind, target in marks if kind == "a"} | set(_urls(before))
    for kind, target in marks_of(after) - marks:
        if kind == "html":
            return "it brings in markup"
        if kind == "img":
            return "it brings in a picture"
        if target not in known and not reach.covers(target):
            return "it brings in a link"
    if any(url not in known and not reach.covers(url) for url in _urls(after)):
        return "it brings in an address"
    return None


def _urls(text: str) -> Iterator[str]:
    return (url.rstrip(_URL_END) for url in _URL.findall(text))


def marks_of(text: str) -> Counter[tuple[str, str]]:
    """Links, pictures and pieces of HTML, as the page would have them."""
    html = comrak.render_markdown(text, extension_options=extensions())
    found = Counter((tag, unescape(target)) for tag, target in _LINK.findall(html))
    found["html", ""] = html.count(_RAW)
    return found


def _hidden(text: str) -> Counter[str]:
    return Counter(_unseen(text))


def _unseen(text: str) -> Iterator[str]:
    return (sign for sign in text if sign not in _SEEN and unicodedata.category(sign) in _HIDDEN)

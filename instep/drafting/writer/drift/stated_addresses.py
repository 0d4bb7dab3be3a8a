"""Addresses in articles and code: hosts and paths below them, and files of a repository."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

SCHEME = re.compile(r"(?<![a-z+.-])[a-z][a-z+.-]*://")
ADDRESS_ENDS = ".:/?=&+-"
# Hosts that RFC 2606 reserves for documentation and tests.
_SAMPLE_HOST = re.compile(r"(?:^|\.)example\.(?:com|net|org)$|\.(?:example|invalid|test)$")
_PART_BEFORE, _PART_AFTER = re.compile(r"(?:[.@]|(?<!/)/)\Z"), re.compile(r"\.\w")
_HOST = re.compile(r"(?:[\w-]+\.)+[a-z]{2,}(?::\d+)?")
# Branches that move on; a link to a version or a commit stays as it is.
_BRANCH = r"(?:refs/heads/)?(?:main|master|HEAD|develop|dev|trunk)"
_LINK = re.compile(
    rf"https?://(?:(?P<home>[\w.-]++(?:/[\w.~-]+){{2,4}}?)/(?:-/)?(?:blob|tree|raw|edit|blame|src/branch)/{_BRANCH}"
    rf"|raw\.githubusercontent\.com/(?P<raw>[\w.-]+/[\w.-]+)/{_BRANCH})/(?P<path>[\w@~%+.,/-]*\w)"
)
# A path of three or more parts: shorter ones are usual in the projects of readers too.
_MARKED_FILE = re.compile(r"(?<!`)`(?P<path>\w[\w@.-]*(?:/[\w@.-]+){2,8}\.\w{1,5})`(?!`)")


@dataclass(frozen=True, slots=True)
class RepositoryLink:
    """A link to a `path` of the repository `home`, such as `github.com/acme/shop`; empty without a link.

    The span is that of the path in the text, in characters.
    """

    home: str
    path: str
    start: int
    end: int


def addresses_in(address: str) -> Iterator[str]:
    """The host of an address, and the address up to each of its segments, without its scheme."""
    rest = SCHEME.sub("", address, count=1).rstrip(ADDRESS_ENDS)
    host = rest.partition("/")[0]
    if _HOST.fullmatch(host) and not _SAMPLE_HOST.search(host):
        yield from (rest[:at] for at in range(len(rest)) if rest[at] == "/")
        yield rest


def is_part_of_host(text: str, start: int, end: int) -> bool:
    """True if the host at a span has more labels, or is the name of a folder."""
    return bool(_PART_BEFORE.search(text, max(0, start - 2), start) or _PART_AFTER.match(text, end))


def begins_with_host(name: str) -> bool:
    return bool(_HOST.match(name)) and not name.startswith(".")


def repository_links(text: str) -> Iterator[RepositoryLink]:
    for match in _LINK.finditer(text):
        home = match["home"] or f"github.com/{match['raw']}"
        yield RepositoryLink(home.lower(), unquote(match["path"]), *match.span("path"))
    for match in _MARKED_FILE.finditer(text):
        if not begins_with_host(match["path"]):
            yield RepositoryLink("", match["path"], *match.span("path"))

"""Links of articles to files and folders in the current state of a repository, on the usual code hosts."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

# Branches that move on; a link to a version or a commit stays as it is.
_BRANCH = r"(?:refs/heads/)?(?:main|master|HEAD|develop|dev|trunk)"
_LINK = re.compile(
    rf"https?://(?:(?P<home>[\w.-]++(?:/[\w.~-]+){{2,4}}?)/(?:-/)?(?:blob|tree|raw|edit|blame|src/branch)/{_BRANCH}"
    rf"|raw\.githubusercontent\.com/(?P<raw>[\w.-]+/[\w.-]+)/{_BRANCH})/(?P<path>[\w@~%+.,/-]*\w)"
)


@dataclass(frozen=True, slots=True)
class RepositoryLink:
    """A link to a `path` of the repository `home`, such as `github.com/acme/shop`.

    The span is that of the path in the text, in characters.
    """

    home: str
    path: str
    start: int
    end: int


def repository_links(text: str) -> Iterator[RepositoryLink]:
    for match in _LINK.finditer(text):
        home = match["home"] or f"github.com/{match['raw']}"
        yield RepositoryLink(home.lower(), unquote(match["path"]), *match.span("path"))

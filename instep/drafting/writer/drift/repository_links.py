"""Links of articles to files and folders in the current state of a repository, and files in code marks."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from instep.drafting.writer.drift.stated_addresses import begins_with_host

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


def repository_links(text: str) -> Iterator[RepositoryLink]:
    for match in _LINK.finditer(text):
        home = match["home"] or f"github.com/{match['raw']}"
        yield RepositoryLink(home.lower(), unquote(match["path"]), *match.span("path"))
    for match in _MARKED_FILE.finditer(text):
        if not begins_with_host(match["path"]):
            yield RepositoryLink("", match["path"], *match.span("path"))

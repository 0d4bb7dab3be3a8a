"""The content of a range of commits: its commits, tags and pull requests, and the URLs that name them."""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote, urlsplit

from instep.client.ci.checkout import resolve
from instep.client.ci.git import Git, open_checkout
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest

# The pull request that hosts name in the subject of a merge commit, and in a line below.
IN_SUBJECT = re.compile(
    r"\((?:pull request )?[#!](\d{1,10})\)$|^Merge pull request #(\d{1,10})\b|^Merged PR (\d{1,10})\b"
)
IN_BODY = re.compile(r"^See merge request [\w./-]{0,300}!(\d{1,10})\b", re.MULTILINE)
TAG = re.compile(r"\btag: ([^,]+)")
# URLs below that of a repository.
PULL_REQUEST_PATH = re.compile(
    r"(?:-/)?(?:pull|pulls|pullrequest|merge_requests|pull-requests)/(\d{1,10})(?:/.*)?"
)
COMMIT_PATH = re.compile(r"(?:-/)?commits?/([0-9a-f]{7,64})")
COMPARISON_PATH = re.compile(r"(?:-/)?compare/[^/]+?\.{2,3}([0-9a-f]{7,64})")
RELEASE_PATH = re.compile(r"(?:-/)?(?:releases/tag|releases|tags)/(.+)")
SCP_ADDRESS = re.compile(r"(?:[\w.-]+@)?([\w.-]+):(?!/)(.+)")


@dataclass(frozen=True, slots=True)
class Shipment:
    """The shipped changes; `home` is the repository's URL without scheme: `git.example.com/acme/app`."""

    home: str
    commits: Set[str]
    tags: Set[str]
    pull_requests: Set[str]

    def has(self, url: str) -> bool:
        """True if a URL names a pull request, commit, comparison or release of this shipment."""
        address = host_and_path(url)
        if not address.casefold().startswith(f"{self.home.casefold()}/"):
            return False
        path = address[len(self.home) + 1 :]
        if match := PULL_REQUEST_PATH.fullmatch(path):
            return match[1] in self.pull_requests
        if match := COMMIT_PATH.fullmatch(path) or COMPARISON_PATH.fullmatch(path):
            return any(commit.startswith(match[1]) for commit in self.commits)
        match = RELEASE_PATH.fullmatch(path)
        return bool(match) and unquote(match[1] if match else "") in self.tags


def read_shipment(folder: Path, revisions: str, environ: Mapping[str, str]) -> Shipment:
    """The shipment of the commits in a range `A..B`; without `B`, up to HEAD."""
    base, separator, head = revisions.partition("..")
    if not separator or not base or head.startswith("."):
        raise InvalidRequest("--range must be two revisions such as v1.4.0..v1.5.0.")
    git = open_checkout(folder)
    span = f"{resolve(git, base)}..{resolve(git, head or 'HEAD')}"
    fields = "%H%x00%D%x00%B%x00"
    options = ("--no-color", "--no-notes", "--encoding=UTF-8", "-z", f"--format={fields}")
    count = f"--max-count={limits.MAX_RELEASE_COMMITS}"
    parts = git.read("log", *options, count, span).decode("utf-8", "replace").split("\0")
    messages = parts[2::4]
    return Shipment(
        home=home_of(git, environ),
        commits={commit for commit in parts[0::4] if commit},
        tags={tag.strip() for names in parts[1::4] for tag in TAG.findall(names)},
        pull_requests={number for message in messages for number in pull_requests_of(message)},
    )


def pull_requests_of(message: str) -> set[str]:
    subject = message.strip().partition("\n")[0].strip()
    numbers = {number for match in IN_SUBJECT.findall(subject) for number in match if number}
    return numbers | set(IN_BODY.findall(message))


def home_of(git: Git, environ: Mapping[str, str]) -> str:
    """The URL of the repository, from the CI or else from its remote `origin`."""
    if home := find_home(git, environ):
        return home
    raise InvalidRequest("No remote `origin` has a URL: specify the shipped changes with --url instead.")


def find_home(git: Git, environ: Mapping[str, str]) -> str | None:
    server, name = environ.get("GITHUB_SERVER_URL"), environ.get("GITHUB_REPOSITORY")
    url = f"{server}/{name}" if server and name else environ.get("CI_PROJECT_URL")
    url = url or git.find("remote", "get-url", "origin") or ""
    if "://" not in url and (match := SCP_ADDRESS.fullmatch(url)):
        url = f"ssh://{match[1]}/{match[2]}"
    home = host_and_path(url).removesuffix(".git")
    # The path of a local clone is not a URL.
    return home if "://" in url and home[:1] != "/" else None


def host_and_path(url: str) -> str:
    """A URL without scheme, user, port, query and fragment."""
    try:
        address = urlsplit(url.strip())
        return f"{address.hostname or ''}{address.path}".rstrip("/")
    except ValueError:
        return ""

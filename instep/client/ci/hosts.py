"""The repository of a CI job at GitHub or GitLab: its issues, and the comments on a pull or merge request."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from instep.client.ci.environment import read_context
from instep.client.ci.retries import Patience
from instep.client.ci.shapes import Shape, parse_shape
from instep.client.ci.transport import HttpResponse, Refused, Transport, is_address
from instep.platform.core import limits
from instep.platform.core.errors import AppError

PAGE_SIZE = 100


class HostRefuses(AppError):
    """There is nothing to read or to comment on, or the code host refuses it."""


@dataclass(frozen=True)
class Comment(Shape):
    id: int
    body: str


@dataclass(frozen=True, slots=True)
class Project:
    """A repository at its host: its web address, the URL of its API, and headers with the job's token."""

    home: str
    url: str
    headers: Mapping[str, str]
    patience: Patience = field(default_factory=Patience)

    def ask(self, method: str, url: str, body: str | None = None) -> HttpResponse:
        """A successful response; raises `HostRefuses`."""
        content = None if body is None else json.dumps({"body": body}).encode()
        headers = {**self.headers, "Content-Type": "application/json"}
        try:
            transport = Transport(url)
            response = self.patience.retry(
                "The code host", lambda: transport.send(method, url, content, headers)
            )
        except Refused as refusal:
            raise HostRefuses(refusal.message) from None
        if not response.is_success:
            right = "read them" if body is None else "write comments"
            raise HostRefuses(
                f"the code host responds with {response.status}: does the token let the job {right}?"
            )
        return response


@dataclass(frozen=True, slots=True)
class Thread:
    """The comments of one pull request: their URLs, and the repository that they belong to."""

    project: Project
    comments_url: str
    comment_url: str
    update_method: str

    def find_comment(self, marker: str) -> Comment | None:
        """The first comment that begins with the marker; raises `HostRefuses`."""
        return next((comment for comment in self.comments() if comment.body.startswith(marker)), None)

    def comments(self) -> Iterator[Comment]:
        for page in range(1, limits.MAX_COMMENT_PAGES + 1):
            response = self.project.ask("GET", f"{self.comments_url}?per_page={PAGE_SIZE}&page={page}")
            rows = json_of(response)
            if not isinstance(rows, list):
                raise not_understood(response)
            yield from (comment for row in rows if (comment := comment_of(row)))
            if len(rows) < PAGE_SIZE:
                return

    def create(self, body: str) -> None:
        self.project.ask("POST", self.comments_url, body)

    def update(self, comment: Comment, body: str) -> None:
        self.project.ask(self.update_method, f"{self.comment_url}/{comment.id}", body)


def find_thread(environ: Mapping[str, str]) -> Thread:
    """The comments of the pull or merge request that the job is for; raises `HostRefuses`."""
    number = read_context(environ).number
    if not number or not number.isdigit():
        raise HostRefuses("this job is not for a pull request in GitHub Actions or GitLab.")
    project = find_project(environ)
    if environ.get("GITLAB_CI"):
        notes = f"{project.url}/merge_requests/{number}/notes"
        return Thread(project, notes, notes, "PUT")
    issues = f"{project.url}/issues"
    return Thread(project, f"{issues}/{number}/comments", f"{issues}/comments", "PATCH")


def find_project(environ: Mapping[str, str], patience: Patience | None = None) -> Project:
    """The repository that the job is for; raises `HostRefuses`."""
    if environ.get("GITLAB_CI"):
        token = token_of(environ, "INSTEP_GITLAB_TOKEN", "the scope `api`, of a project access token")
        number = environ.get("CI_MERGE_REQUEST_PROJECT_ID") or environ.get("CI_PROJECT_ID", "")
        api = environ.get("CI_API_V4_URL", "https://gitlab.com/api/v4").rstrip("/")
        url, headers = f"{api}/projects/{quote(number, safe='')}", {"PRIVATE-TOKEN": token}
        home = environ.get("CI_MERGE_REQUEST_PROJECT_URL") or environ.get("CI_PROJECT_URL", "")
    else:
        token = token_of(environ, "GITHUB_TOKEN", "`permissions: pull-requests: write`")
        name, api = environ.get("GITHUB_REPOSITORY", ""), environ.get("GITHUB_API_URL", "")
        url = f"{(api or 'https://api.github.com').rstrip('/')}/repos/{quote(name)}"
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
        home = f"{environ.get('GITHUB_SERVER_URL', 'https://github.com')}/{name}"
    if not is_address(url):
        raise HostRefuses("the address of the code host's API can't be used.")
    return Project(home, url, headers, patience or Patience())


def token_of(environ: Mapping[str, str], name: str, right: str) -> str:
    token = environ.get(name, "").strip()
    if not token.isascii() or not token.isprintable() or not token:
        raise HostRefuses(f"{name} is not set: give the step a token with {right}.")
    return token


def comment_of(row: Any) -> Comment | None:
    """The comment; None for other rows, such as deleted comments."""
    try:
        return parse_shape(Comment, row)
    except ValueError:
        return None


def json_of(response: HttpResponse) -> Any:
    try:
        return response.json()
    except ValueError:
        raise not_understood(response) from None


def not_understood(response: HttpResponse) -> HostRefuses:
    return HostRefuses(f"the code host responds with {response.status}, but not with comments.")

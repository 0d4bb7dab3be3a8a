"""Comments on a pull request of GitHub, and on a merge request of GitLab."""

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


class CommentRefused(AppError):
    """There is nothing to comment on, or the code host refuses the comment."""


@dataclass(frozen=True)
class Comment(Shape):
    id: int
    body: str


@dataclass(frozen=True, slots=True)
class Thread:
    """The comments of one pull request: their URLs, and the headers that let the job write them."""

    comments_url: str
    comment_url: str
    update_method: str
    headers: Mapping[str, str]
    patience: Patience = field(default_factory=Patience)

    def find_comment(self, marker: str) -> Comment | None:
        """The first comment that begins with the marker; raises `CommentRefused`."""
        return next((comment for comment in self.comments() if comment.body.startswith(marker)), None)

    def comments(self) -> Iterator[Comment]:
        for page in range(1, limits.MAX_COMMENT_PAGES + 1):
            response = self.ask("GET", f"{self.comments_url}?per_page={PAGE_SIZE}&page={page}")
            rows = json_of(response)
            if not isinstance(rows, list):
                raise not_understood(response)
            yield from (comment for row in rows if (comment := comment_of(row)))
            if len(rows) < PAGE_SIZE:
                return

    def create(self, body: str) -> None:
        self.ask("POST", self.comments_url, body)

    def update(self, comment: Comment, body: str) -> None:
        self.ask(self.update_method, f"{self.comment_url}/{comment.id}", body)

    def ask(self, method: str, url: str, body: str | None = None) -> HttpResponse:
        content = None if body is None else json.dumps({"body": body}).encode()
        headers = {**self.headers, "Content-Type": "application/json"}
        try:
            transport = Transport(url)
            response = self.patience.retry(
                "The code host", lambda: transport.send(method, url, content, headers)
            )
        except Refused as refusal:
            raise CommentRefused(refusal.message) from None
        if not response.is_success:
            raise CommentRefused(
                f"the code host responds with {response.status}: does the token let the job write comments?"
            )
        return response


def find_thread(environ: Mapping[str, str]) -> Thread:
    """The comments of the pull or merge request that the job is for; raises `CommentRefused`."""
    number = read_context(environ).number
    if not number or not number.isdigit():
        raise CommentRefused("this job is not for a pull request in GitHub Actions or GitLab.")
    thread = gitlab_thread(environ, number) if environ.get("GITLAB_CI") else github_thread(environ, number)
    if not is_address(thread.comments_url):
        raise CommentRefused("the address of the code host's API can't be used.")
    return thread


def github_thread(environ: Mapping[str, str], number: str) -> Thread:
    token = token_of(environ, "GITHUB_TOKEN", "`permissions: pull-requests: write`")
    home = environ.get("GITHUB_API_URL", "https://api.github.com").rstrip("/")
    issues = f"{home}/repos/{quote(environ.get('GITHUB_REPOSITORY', ''))}/issues"
    headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
    return Thread(f"{issues}/{number}/comments", f"{issues}/comments", "PATCH", headers)


def gitlab_thread(environ: Mapping[str, str], number: str) -> Thread:
    token = token_of(environ, "INSTEP_GITLAB_TOKEN", "the scope `api`, of a project access token")
    project = environ.get("CI_MERGE_REQUEST_PROJECT_ID") or environ.get("CI_PROJECT_ID", "")
    home = environ.get("CI_API_V4_URL", "https://gitlab.com/api/v4").rstrip("/")
    notes = f"{home}/projects/{quote(project, safe='')}/merge_requests/{number}/notes"
    return Thread(notes, notes, "PUT", {"PRIVATE-TOKEN": token})


def token_of(environ: Mapping[str, str], name: str, right: str) -> str:
    token = environ.get(name, "").strip()
    if not token.isascii() or not token.isprintable() or not token:
        raise CommentRefused(f"{name} is not set: give the step a token with {right}.")
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


def not_understood(response: HttpResponse) -> CommentRefused:
    return CommentRefused(f"the code host responds with {response.status}, but not with comments.")

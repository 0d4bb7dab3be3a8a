"""Comments and statuses on pull requests of GitHub, Gitea and Forgejo, and GitLab.

Bitbucket Cloud does not say to an access token who may write to a repository, so it has none.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from instep.transfer.repositories.hosts.github import repository_of
from instep.transfer.repositories.hosts.gitlab import project_of, project_path
from instep.transfer.repositories.hosts.host_json import (
    Malformed,
    header_of,
    is_bot_name,
    moment_at,
    number_at,
    quoted_name,
    text_at,
    value_at,
)
from instep.transfer.repositories.hosts.host_requests import PAGE_SIZE, HostApi, HostRefused
from instep.transfer.repositories.schemas import HostKind, PullComment, PullStatus, WrittenComment

WRITERS = {"owner", "admin", "maintain", "write"}
# GitLab's role Developer; higher ones have higher numbers.
MIN_ACCESS_LEVEL = 30
# The statuses by which GitHub refuses check runs of a token that is not an app's.
NO_APP = (403, 404)


class ReviewForm(ABC):
    """Comments and statuses of a host; methods that call its API raise the same errors as `HostForm`."""

    # True if deliveries name the person who edited a comment, and its text before.
    says_who_edits: bool
    update_method = "PATCH"
    oldest_first = f"per_page={PAGE_SIZE}"

    @abstractmethod
    def read_comment(self, headers: Mapping[str, str], payload: Any) -> PullComment | None:
        """The new or edited comment that a delivery contains; None for other deliveries.

        Raises `Malformed`.
        """

    @abstractmethod
    async def can_write(self, api: HostApi, name: str, author_key: str) -> bool:
        """True if the person with this key has write access to the repository now."""

    @abstractmethod
    async def put_status(self, api: HostApi, name: str, head: str, status: PullStatus) -> None: ...

    @abstractmethod
    def comments_path(self, name: str, number: int) -> str: ...

    def comment_path(self, name: str, number: int, comment_id: str) -> str:
        return f"{self.comments_path(name, number)}/{comment_id}"

    async def find_comment(self, api: HostApi, name: str, number: int, marker: str) -> str | None:
        """The id of the first comment that begins with the marker."""
        async for page in api.pages(f"{self.comments_path(name, number)}?{self.oldest_first}"):
            for row in page:
                body = value_at(row, "body")
                if isinstance(body, str) and body.startswith(marker):
                    return id_of(row)
        return None

    async def create_comment(self, api: HostApi, name: str, number: int, text: str) -> WrittenComment:
        return written(await api.post_json(self.comments_path(name, number), {"body": text}))

    async def update_comment(
        self, api: HostApi, name: str, number: int, comment_id: str, text: str
    ) -> WrittenComment:
        path = self.comment_path(name, number, comment_id)
        return written(await api.post_json(path, {"body": text}, self.update_method))


class GitHubReviews(ReviewForm):
    """GitHub: check runs by an app, commit statuses by a token."""

    event_header = "x-github-event"
    says_who_edits = True

    def read_comment(self, headers: Mapping[str, str], payload: Any) -> PullComment | None:
        action = value_at(payload, "action")
        is_comment = header_of(headers, self.event_header) == "issue_comment"
        before = value_at(payload, "changes", "body", "from")
        if not is_comment or value_at(payload, "issue", "pull_request") is None:
            return None
        if action != "created" and (action != "edited" or not isinstance(before, str)):
            return None
        comment = value_at(payload, "comment")
        author = value_at(payload, "sender") if action == "edited" else value_at(comment, "user")
        login = text_at(author, "login")
        return PullComment(
            repository_of(value_at(payload, "repository")),
            number_at(payload, "issue", "number"),
            id_of(comment),
            login,
            login,
            value_at(author, "type") == "Bot" or is_bot_name(login),
            text_at(comment, "body"),
            time_at(comment, "updated_at" if action == "edited" else "created_at"),
            before if action == "edited" else None,
        )

    async def can_write(self, api: HostApi, name: str, author_key: str) -> bool:
        path = f"/repos/{quoted_name(name)}/collaborators/{quote(author_key, safe='')}/permission"
        return value_at(await api.find_json(path), "permission") in WRITERS

    def comments_path(self, name: str, number: int) -> str:
        return f"/repos/{quoted_name(name)}/issues/{number}/comments"

    def comment_path(self, name: str, number: int, comment_id: str) -> str:
        return f"/repos/{quoted_name(name)}/issues/comments/{comment_id}"

    async def put_status(self, api: HostApi, name: str, head: str, status: PullStatus) -> None:
        open_conclusion = "failure" if status.is_required else "neutral"
        run = {
            "name": status.context,
            "head_sha": head,
            "status": "completed",
            "conclusion": "success" if status.is_decided else open_conclusion,
            "details_url": status.url,
            "output": {"title": status.title, "summary": status.title},
        }
        try:
            await api.post_json(f"/repos/{quoted_name(name)}/check-runs", run)
        except HostRefused as refusal:
            if refusal.status not in NO_APP:
                raise
            await put_commit_status(api, name, head, status)


class GiteaReviews(GitHubReviews):
    """Gitea and Forgejo, whose API follows GitHub's; they have no check runs."""

    def read_comment(self, headers: Mapping[str, str], payload: Any) -> PullComment | None:
        event = header_of(headers, "x-gitea-event") or header_of(headers, "x-forgejo-event")
        return super().read_comment({self.event_header: event}, payload)

    async def put_status(self, api: HostApi, name: str, head: str, status: PullStatus) -> None:
        await put_commit_status(api, name, head, status)


class GitLabReviews(ReviewForm):
    """GitLab: notes of merge requests, and commit statuses.

    Deliveries about an edited note name its author, even if someone else has edited it.
    """

    says_who_edits = False
    update_method = "PUT"
    oldest_first = f"sort=asc&per_page={PAGE_SIZE}"

    def read_comment(self, headers: Mapping[str, str], payload: Any) -> PullComment | None:
        note = value_at(payload, "object_attributes")
        is_new = header_of(headers, "x-gitlab-event") == "Note Hook" and value_at(note, "action") == "create"
        if not is_new or value_at(note, "noteable_type") != "MergeRequest":
            return None
        author = text_at(payload, "user", "username")
        return PullComment(
            project_of(value_at(payload, "project")),
            number_at(payload, "merge_request", "iid"),
            id_of(note),
            author,
            str(number_at(note, "author_id")),
            is_bot_name(author) or value_at(note, "system") is True,
            text_at(note, "note"),
            time_at({"at": text_at(note, "created_at").replace(" UTC", "+00:00")}, "at"),
        )

    async def can_write(self, api: HostApi, name: str, author_key: str) -> bool:
        path = f"{project_path(name)}/members/all/{author_key}"
        row = await api.find_json(path)
        return row is not None and number_at(row, "access_level") >= MIN_ACCESS_LEVEL

    def comments_path(self, name: str, number: int) -> str:
        return f"{project_path(name)}/merge_requests/{number}/notes"

    async def put_status(self, api: HostApi, name: str, head: str, status: PullStatus) -> None:
        path = f"{project_path(name)}/statuses/{head}"
        await api.post_json(path, {"name": status.context, **status_fields(status, "failed")})


REVIEWS: dict[HostKind, ReviewForm] = {
    "github": GitHubReviews(),
    "gitlab": GitLabReviews(),
    "gitea": GiteaReviews(),
}


def id_of(row: Any) -> str:
    """The id of a comment, which grows beyond 32 bits."""
    number = value_at(row, "id")
    if not isinstance(number, int):
        raise Malformed("id")
    return str(number)


def time_at(row: Any, name: str) -> datetime:
    moment = moment_at(row, name)
    if moment is None:
        raise Malformed(name)
    return moment


def written(row: Any) -> WrittenComment:
    return WrittenComment(id_of(row), time_at(row, "updated_at"))


async def put_commit_status(api: HostApi, name: str, head: str, status: PullStatus) -> None:
    path = f"/repos/{quoted_name(name)}/statuses/{head}"
    await api.post_json(path, {"context": status.context, **status_fields(status, "failure")})


def status_fields(status: PullStatus, failed: str) -> dict[str, str]:
    """The fields of a commit status, which has no neutral state: one that blocks nothing is good."""
    state = "success" if status.is_decided or not status.is_required else failed
    return {"state": state, "description": status.title, "target_url": status.url}

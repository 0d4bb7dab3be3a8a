"""Comments and statuses on pull requests of GitHub, Gitea and Forgejo, and GitLab.

Bitbucket Cloud does not say to an access token who may write to a repository, so it has none.
"""

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
from instep.transfer.repositories.hosts.review_form import ReviewForm
from instep.transfer.repositories.schemas import HostKind, PullComment, PullStatus, WrittenComment

WRITERS = {"owner", "admin", "maintain", "write"}
# GitLab's role Developer; higher ones have higher numbers.
MIN_ACCESS_LEVEL = 30
# The statuses by which GitHub refuses check runs of a token that is not an app's.
NO_APP = (403, 404)


class GitHubReviews:
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

    async def find_comment(self, api: HostApi, name: str, number: int, marker: str) -> str | None:
        path = f"/repos/{quoted_name(name)}/issues/{number}/comments?per_page={PAGE_SIZE}"
        return await first_with(api, path, marker)

    async def create_comment(self, api: HostApi, name: str, number: int, text: str) -> WrittenComment:
        path = f"/repos/{quoted_name(name)}/issues/{number}/comments"
        return written(await api.post_json(path, {"body": text}))

    async def update_comment(
        self, api: HostApi, name: str, number: int, comment_id: str, text: str
    ) -> WrittenComment:
        path = f"/repos/{quoted_name(name)}/issues/comments/{comment_id}"
        return written(await api.post_json(path, {"body": text}, "PATCH"))

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


class GitLabReviews:
    """GitLab: notes of merge requests, and commit statuses.

    Deliveries about an edited note name its author, even if someone else has edited it.
    """

    says_who_edits = False

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

    async def find_comment(self, api: HostApi, name: str, number: int, marker: str) -> str | None:
        return await first_with(api, f"{notes_path(name, number)}?sort=asc&per_page={PAGE_SIZE}", marker)

    async def create_comment(self, api: HostApi, name: str, number: int, text: str) -> WrittenComment:
        return written(await api.post_json(notes_path(name, number), {"body": text}))

    async def update_comment(
        self, api: HostApi, name: str, number: int, comment_id: str, text: str
    ) -> WrittenComment:
        path = f"{notes_path(name, number)}/{comment_id}"
        return written(await api.post_json(path, {"body": text}, "PUT"))

    async def put_status(self, api: HostApi, name: str, head: str, status: PullStatus) -> None:
        row = {
            "name": status.context,
            "state": "success" if status.is_decided or not status.is_required else "failed",
            "description": status.title,
            "target_url": status.url,
        }
        await api.post_json(f"{project_path(name)}/statuses/{head}", row)


REVIEWS: dict[HostKind, ReviewForm] = {
    "github": GitHubReviews(),
    "gitlab": GitLabReviews(),
    "gitea": GiteaReviews(),
}


def notes_path(name: str, number: int) -> str:
    return f"{project_path(name)}/merge_requests/{number}/notes"


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


async def first_with(api: HostApi, path: str, marker: str) -> str | None:
    async for page in api.pages(path):
        for row in page:
            body = value_at(row, "body")
            if isinstance(body, str) and body.startswith(marker):
                return id_of(row)
    return None


async def put_commit_status(api: HostApi, name: str, head: str, status: PullStatus) -> None:
    """A commit status has no neutral state: one that blocks nothing is good."""
    row = {
        "context": status.context,
        "state": "success" if status.is_decided or not status.is_required else "failure",
        "description": status.title,
        "target_url": status.url,
    }
    await api.post_json(f"/repos/{quoted_name(name)}/statuses/{head}", row)

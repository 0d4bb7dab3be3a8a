"""GitLab, on GitLab.com or self-managed (docs.gitlab.com, REST API v4 and webhook events)."""

import hmac
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from instep.transfer.repositories.hosts.host_form import HostForm
from instep.transfer.repositories.hosts.host_json import (
    MAX_RELEASES,
    commit_at,
    file_part,
    header_of,
    is_bot_name,
    moment_at,
    number_at,
    text_at,
    texts_at,
    value_at,
)
from instep.transfer.repositories.hosts.host_requests import PAGE_SIZE, HostApi, HostRefused
from instep.transfer.repositories.schemas import PullNotice, PullRequest, RemoteRepository

# One approval, and all required approvals.
APPROVALS = {"approval", "approved"}
RELEASE_ACTIONS = {"create", "update"}
ACTIONS = {"open", "reopen", "update", "merge", "close", *APPROVALS}


class GitLab(HostForm):
    """GitLab with a project, group or personal access token; its pull requests are merge requests."""

    name = "GitLab"
    home = "https://gitlab.com"
    events = "Merge request events, Comments, Releases events"
    pulls = "merge_requests"
    updates = (
        f"state=all&scope=all&order_by=updated_at&sort=desc&per_page={PAGE_SIZE}&updated_after={{since}}"
    )
    diff = "/raw_diffs"
    commits = "repository/commits"
    author = ("author_email",)
    releases = f"releases?per_page={MAX_RELEASES}"
    release_fields = ("tag_name", "released_at", "upcoming_release")

    def api_url(self, url: str) -> str:
        return f"{url}/api/v4"

    def authorization(self, token: str) -> dict[str, str]:
        return {"PRIVATE-TOKEN": token}

    def git_credentials(self, token: str) -> str:
        return f"oauth2:{token}"

    def is_genuine(self, headers: Mapping[str, str], body: bytes, secret: str) -> bool:
        return hmac.compare_digest(header_of(headers, "x-gitlab-token").encode(), secret.encode())

    def path_of(self, name: str) -> str:
        return project_path(name)

    def content_path(self, name: str, path: str, commit: str) -> str:
        return f"{project_path(name)}/repository/files/{quote(path, safe='')}/raw?ref={commit}"

    def read(self, headers: Mapping[str, str], payload: Any) -> PullNotice | None:
        change = value_at(payload, "object_attributes")
        action = value_at(change, "action")
        if header_of(headers, "x-gitlab-event") != "Merge Request Hook" or action not in ACTIONS:
            return None
        remote = project_of(value_at(payload, "project"))
        return PullNotice(remote, self.pull_request_of(change), action in APPROVALS)

    def read_release(self, headers: Mapping[str, str], payload: Any) -> RemoteRepository | None:
        is_release = header_of(headers, "x-gitlab-event") == "Release Hook"
        is_out = is_release and value_at(payload, "action") in RELEASE_ACTIONS
        return project_of(value_at(payload, "project")) if is_out else None

    async def is_approved(self, api: HostApi, name: str, number: int) -> bool:
        # `approved` is also true if no approval is required.
        return bool(value_at(await api.get_json(f"{self.pull_path(name, number)}/approvals"), "approved_by"))

    async def fetch_diff(self, api: HostApi, name: str, number: int) -> bytes:
        try:
            return await super().fetch_diff(api, name, number)
        except HostRefused as refusal:
            # GitLab before 17.9 can't return the raw diff, only pages of files.
            if refusal.status != 404:
                raise
        parts = []
        async for page in api.pages(f"{self.pull_path(name, number)}/diffs?per_page={PAGE_SIZE}"):
            parts += [file_diff_of(file) for file in page]
        return "".join(parts).encode("utf-8", "replace")

    async def has_commit(self, api: HostApi, name: str, tag: str, commit: str) -> bool:
        refs = f"refs%5B%5D={quote(tag, safe='')}&refs%5B%5D={commit}"
        base = await api.get_json(f"{project_path(name)}/repository/merge_base?{refs}")
        return bool(value_at(base, "id") == commit)

    def repository_of(self, row: Any) -> RemoteRepository:
        return project_of(row)

    def rows_of(self, page: Any) -> list[Any]:
        """The rows without merge requests whose commits are still being processed, which have no `sha`."""
        return [row for row in super().rows_of(page) if value_at(row, "sha") or not value_at(row, "iid")]

    def pull_request_of(self, row: Any) -> PullRequest:
        # A delivery names the address and the last commit in another way than the API.
        url = text_at(row, "url" if value_at(row, "url") else "web_url")
        head = value_at(row, "last_commit", "id") or text_at(row, "sha")
        body = value_at(row, "description")
        state = value_at(row, "state")
        author = value_at(row, "author", "username")
        return PullRequest(
            number=number_at(row, "iid"),
            title=text_at(row, "title"),
            body=body if isinstance(body, str) else None,
            url=url,
            branch=text_at(row, "target_branch"),
            head=head,
            is_draft=value_at(row, "draft") is True or value_at(row, "work_in_progress") is True,
            is_open=state == "opened",
            is_merged=state == "merged",
            # Deliveries do not contain the author; the job requests it before it sends anything.
            is_by_bot=is_bot_name(author),
            updated_at=moment_at(row, "updated_at"),
            # A fast-forward merge creates no commit.
            merge_commit=commit_at(row, "merge_commit_sha") or commit_at(row, "squash_commit_sha") or head,
            source_branch=value_at(row, "source_branch") or "",
            source=project_of_source(row),
            labels=texts_at(row, "labels"),
            author=author if isinstance(author, str) else None,
        )


def project_path(name: str) -> str:
    return f"/projects/{quote(name, safe='')}"


def project_of(row: Any) -> RemoteRepository:
    return RemoteRepository(
        str(number_at(row, "id")), text_at(row, "path_with_namespace"), text_at(row, "default_branch")
    )


def project_of_source(row: Any) -> str | None:
    project = value_at(row, "source_project_id")
    if project == value_at(row, "target_project_id"):
        return ""
    return str(project) if value_at(row, "allow_collaboration") is True else None


def file_diff_of(file: Any) -> str:
    """One file's part of a diff; GitLab leaves out the hunks of very large files."""
    return file_part(
        text_at(file, "old_path"),
        text_at(file, "new_path"),
        value_at(file, "diff"),
        is_new=value_at(file, "new_file") is True,
        is_gone=value_at(file, "deleted_file") is True,
    )

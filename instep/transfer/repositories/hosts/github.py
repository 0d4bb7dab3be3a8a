"""GitHub and GitHub Enterprise Server (docs.github.com, REST API 2022-11-28, and webhook events)."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from instep.platform.core import limits
from instep.platform.text.diff import compare
from instep.transfer.repositories.hosts.host_form import HostForm
from instep.transfer.repositories.hosts.host_json import (
    MAX_RELEASES,
    commit_at,
    file_part,
    header_of,
    is_bot_name,
    moment_at,
    number_at,
    quoted_name,
    text_at,
    texts_at,
    value_at,
)
from instep.transfer.repositories.hosts.host_requests import PAGE_SIZE, HostApi, HostFailed, HostRefused
from instep.transfer.repositories.schemas import PullNotice, PullRequest, RemoteRepository

DIFF = "application/vnd.github.diff"
RAW = "application/vnd.github.raw+json"
# Statuses with which GitHub refuses a diff that is too large: over 300 files or 20,000 lines.
TOO_LARGE = (406, 422)
# The actions that publish a release; the second one promotes a pre-release.
RELEASE_ACTIONS = {"published", "released"}
# The actions after which a pull request may need to be sent.
ACTIONS = {"opened", "reopened", "ready_for_review", "synchronize", "edited", "closed"}


class GitHub(HostForm):
    """GitHub with a personal access token, a fine-grained token, or an app installation's token."""

    name = "GitHub"
    home = "https://github.com"
    events = "Let me select individual events: Pull requests, Pull request reviews, Issue comments, Releases"
    raw = RAW
    common_headers: Mapping[str, str] = {
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
        "User-Agent": "Instep",
    }
    signature_headers: tuple[str, ...] = ("x-hub-signature-256",)
    pulls = "pulls"
    updates = f"state=all&sort=updated&direction=desc&per_page={PAGE_SIZE}"
    commits = "commits"
    author = ("commit", "author", "email")
    releases = f"releases?per_page={MAX_RELEASES}"
    release_fields = ("tag_name", "published_at", "draft", "prerelease")

    def api_url(self, url: str) -> str:
        return "https://api.github.com" if url == self.home else f"{url}/api/v3"

    def authorization(self, token: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {token}"}

    def git_credentials(self, token: str) -> str:
        return f"x-access-token:{token}"

    def path_of(self, name: str) -> str:
        return f"/repos/{quoted_name(name)}"

    def content_path(self, name: str, path: str, commit: str) -> str:
        return f"{self.path_of(name)}/contents/{quote(path)}?ref={commit}"

    def read(self, headers: Mapping[str, str], payload: Any) -> PullNotice | None:
        event, action = header_of(headers, "x-github-event"), value_at(payload, "action")
        is_approval = (
            event == "pull_request_review"
            and action == "submitted"
            and value_at(payload, "review", "state") == "approved"
        )
        if not is_approval and not (event == "pull_request" and action in ACTIONS):
            return None
        repository = repository_of(value_at(payload, "repository"))
        return PullNotice(repository, self.pull_request_of(value_at(payload, "pull_request")), is_approval)

    def read_release(self, headers: Mapping[str, str], payload: Any) -> RemoteRepository | None:
        is_release = header_of(headers, "x-github-event") == "release"
        is_out = is_release and value_at(payload, "action") in RELEASE_ACTIONS
        return repository_of(value_at(payload, "repository")) if is_out else None

    async def is_approved(self, api: HostApi, name: str, number: int) -> bool:
        async for page in api.pages(f"{self.pull_path(name, number)}/reviews?per_page={PAGE_SIZE}"):
            if any(value_at(review, "state") == "APPROVED" for review in page):
                return True
        return False

    async def fetch_diff(self, api: HostApi, name: str, number: int) -> bytes:
        path = self.pull_path(name, number)
        try:
            return (await api.get(path, DIFF)).body
        except HostRefused as refusal:
            if refusal.status not in TOO_LARGE:
                raise
        files = [file async for page in api.pages(f"{path}/files?per_page={PAGE_SIZE}") for file in page]
        large_files = [row for row in files if is_without_patch(row)][: limits.MAX_COMPARED_FILES]
        if large_files:
            pull = await api.get_json(path)
            ends = text_at(pull, "base", "sha"), text_at(pull, "head", "sha")
            compare_path = f"{self.path_of(name)}/compare/{ends[0]}...{ends[1]}?per_page=1"
            base = text_at(await api.get_json(compare_path), "merge_base_commit", "sha")
            for file in large_files:
                file["patch"] = await self.compare_contents(api, name, file, base, ends[1])
        return "".join(map(patch_of, files)).encode("utf-8", "replace")

    async def compare_contents(self, api: HostApi, name: str, file: Any, base: str, head: str) -> str | None:
        """The hunks between the contents of a file at two commits; None if GitHub does not return them."""

        async def read_content(path: str, commit: str) -> str:
            response = await api.get(self.content_path(name, path, commit), RAW)
            return response.body.decode("utf-8", "replace")

        path, status = text_at(file, "filename"), value_at(file, "status")
        before = value_at(file, "previous_filename") or path
        try:
            old = "" if status == "added" else await read_content(before, base)
            new = "" if status == "removed" else await read_content(path, head)
        except (HostRefused, HostFailed):
            return None
        return (await compare(old, new, ("a", "b"))).diff.partition("\n")[2].partition("\n")[2]

    async def has_commit(self, api: HostApi, name: str, tag: str, commit: str) -> bool:
        path = f"{self.path_of(name)}/compare/{quote(tag, safe='')}...{commit}?per_page=1"
        return bool(value_at(await api.get_json(path), "ahead_by") == 0)

    def repository_of(self, row: Any) -> RemoteRepository:
        return repository_of(row)

    def pull_request_of(self, row: Any) -> PullRequest:
        login = value_at(row, "user", "login")
        body = value_at(row, "body")
        return PullRequest(
            number=number_at(row, "number"),
            title=text_at(row, "title"),
            body=body if isinstance(body, str) else None,
            url=text_at(row, "html_url"),
            branch=text_at(row, "base", "ref"),
            head=text_at(row, "head", "sha"),
            is_draft=value_at(row, "draft") is True,
            is_open=value_at(row, "state") == "open",
            is_merged=value_at(row, "merged_at") is not None or value_at(row, "merged") is True,
            is_by_bot=value_at(row, "user", "type") == "Bot" or is_bot_name(login),
            updated_at=moment_at(row, "updated_at"),
            merge_commit=commit_at(row, "merge_commit_sha"),
            source_branch=value_at(row, "head", "ref") or "",
            source=source_of(row),
            labels=texts_at(row, "labels", "name"),
            author=login if isinstance(login, str) else None,
        )


def repository_of(row: Any) -> RemoteRepository:
    # The number may exceed 32 bits.
    number = int(value_at(row, "id") or 0)
    return RemoteRepository(str(number), text_at(row, "full_name"), text_at(row, "default_branch"))


def source_of(row: Any) -> str | None:
    if not is_of_fork(row):
        return ""
    is_open_to_us = value_at(row, "maintainer_can_modify") or value_at(row, "allow_maintainer_edit")
    return value_at(row, "head", "repo", "full_name") if is_open_to_us is True else None


def is_of_fork(row: Any) -> bool:
    return bool(value_at(row, "head", "repo", "id") != value_at(row, "base", "repo", "id"))


def is_without_patch(file: Any) -> bool:
    """True for a text file with too many changed lines for GitHub to return a patch."""
    changes = value_at(file, "changes")
    return isinstance(changes, int) and changes > 0 and not value_at(file, "patch")


def patch_of(file: Any) -> str:
    """One file's part of a diff; GitHub returns no patch for binary and very large files."""
    path, patch, status = text_at(file, "filename"), value_at(file, "patch"), value_at(file, "status")
    before = value_at(file, "previous_filename") or path
    return file_part(before, path, patch, is_new=status == "added", is_gone=status == "removed")

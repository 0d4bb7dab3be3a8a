"""Gitea and Forgejo, whose API and deliveries resemble GitHub's (docs.gitea.com, forgejo.org, API v1)."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from instep.transfer.repositories.hosts.github import GitHub, repository_of
from instep.transfer.repositories.hosts.host_form import HostForm
from instep.transfer.repositories.hosts.host_json import header_of, value_at
from instep.transfer.repositories.hosts.host_requests import HostApi
from instep.transfer.repositories.schemas import PullNotice, PullRequest, RemoteRepository

# By default, a server returns at most this many rows, whatever is requested.
MAX_PAGE_SIZE = 50
APPROVAL = "pull_request_review_approved"
RELEASE_ACTIONS = {"published", "updated"}
CHANGES = {"opened", "reopened", "edited", "synchronized", "closed"}
# Title prefixes that mark drafts, for servers whose API does not return `draft`.
DRAFT_TITLE = re.compile(r"(?:WIP:|\[WIP\])", re.IGNORECASE)


class Gitea(GitHub):
    """Gitea or Forgejo with an access token."""

    name = "Gitea or Forgejo"
    home = "https://codeberg.org"
    events = "Pull request, Pull request synchronized, Pull request approved, Pull request comment, Release"
    raw = HostForm.raw
    common_headers = HostForm.common_headers
    signature_headers = ("x-gitea-signature", "x-forgejo-signature")
    updates = f"state=all&sort=recentupdate&limit={MAX_PAGE_SIZE}"
    commits = "git/commits"

    def api_url(self, url: str) -> str:
        return f"{url}/api/v1"

    def authorization(self, token: str) -> dict[str, str]:
        return {"Authorization": f"token {token}"}

    def content_path(self, name: str, path: str, commit: str) -> str:
        return f"{self.path_of(name)}/raw/{quote(path)}?ref={commit}"

    def read(self, headers: Mapping[str, str], payload: Any) -> PullNotice | None:
        action = value_at(payload, "action")
        is_approval = action == "reviewed" and value_at(payload, "review", "type") == APPROVAL
        row = value_at(payload, "pull_request")
        if row is None or (action not in CHANGES and not is_approval):
            return None
        repository = repository_of(value_at(payload, "repository"))
        return PullNotice(repository, self.pull_request_of(row), is_approval)

    def read_release(self, headers: Mapping[str, str], payload: Any) -> RemoteRepository | None:
        event = header_of(headers, "x-gitea-event") or header_of(headers, "x-forgejo-event")
        is_out = event == "release" and value_at(payload, "action") in RELEASE_ACTIONS
        return repository_of(value_at(payload, "repository")) if is_out else None

    async def fetch_diff(self, api: HostApi, name: str, number: int) -> bytes:
        return (await api.get(f"{self.pull_path(name, number)}.diff", "text/plain")).body

    async def has_commit(self, api: HostApi, name: str, tag: str, commit: str) -> bool:
        path = f"{self.path_of(name)}/compare/{quote(tag, safe='')}...{commit}"
        return bool(value_at(await api.get_json(path), "total_commits") == 0)

    def pull_request_of(self, row: Any) -> PullRequest:
        pull_request = super().pull_request_of(row)
        has_draft_title = DRAFT_TITLE.match(pull_request.title) is not None
        return replace(pull_request, is_draft=pull_request.is_draft or has_draft_title)

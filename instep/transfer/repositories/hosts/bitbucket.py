"""Bitbucket Cloud (developer.atlassian.com, REST API 2.0, and event payloads)."""

import base64
import re
from collections.abc import Mapping
from email.utils import parseaddr
from typing import Any
from urllib.parse import quote

from instep.transfer.repositories.hosts.host_form import HostForm
from instep.transfer.repositories.hosts.host_json import (
    MAX_RELEASES,
    commit_at,
    header_of,
    is_bot_name,
    moment_at,
    number_at,
    quoted_name,
    text_at,
    value_at,
)
from instep.transfer.repositories.hosts.host_requests import HostApi
from instep.transfer.repositories.schemas import HostRelease, PullNotice, PullRequest, RemoteRepository

APPROVAL = "pullrequest:approved"
EVENTS = {"pullrequest:created", "pullrequest:updated", "pullrequest:fulfilled", APPROVAL}
EVENTS |= {"pullrequest:rejected"}
MAX_PAGE_LENGTH = 50
VERSION = re.compile(r"\d\.\d")
STATES = "state=OPEN&state=MERGED&state=DECLINED"


class Bitbucket(HostForm):
    """Bitbucket Cloud with an access token of a repository, or an API token as `email:token`."""

    name = "Bitbucket"
    home = "https://bitbucket.org"
    events = "Pull request: Created, Updated, Approved, Merged, Declined. Repository: Push"
    signature_headers = ("x-hub-signature",)
    pulls = "pullrequests"
    updates = f"{STATES}&sort=-updated_on&pagelen={MAX_PAGE_LENGTH}"
    diff = "/diff"
    commits = "commit"
    author = ("author", "raw")
    # Bitbucket has no releases, so that tags with a version number count as such.
    releases = f"refs/tags?sort=-target.date&pagelen={MAX_RELEASES}"
    release_fields = ("name", "target.date")

    def api_url(self, url: str) -> str:
        return "https://api.bitbucket.org/2.0" if url == self.home else f"{url}/2.0"

    def authorization(self, token: str) -> dict[str, str]:
        basic = f"Basic {base64.b64encode(token.encode()).decode()}"
        return {"Authorization": basic if ":" in token else f"Bearer {token}"}

    def git_credentials(self, token: str) -> str:
        _, is_personal, secret = token.partition(":")
        return f"x-bitbucket-api-token-auth:{secret}" if is_personal else f"x-token-auth:{token}"

    def path_of(self, name: str) -> str:
        return f"/repositories/{quoted_name(name)}"

    def content_path(self, name: str, path: str, commit: str) -> str:
        return f"{self.path_of(name)}/src/{commit}/{quote(path)}"

    def read(self, headers: Mapping[str, str], payload: Any) -> PullNotice | None:
        event = header_of(headers, "x-event-key")
        if event not in EVENTS:
            return None
        remote = remote_of_delivery(payload)
        return PullNotice(remote, self.pull_request_of(value_at(payload, "pullrequest")), event == APPROVAL)

    def read_release(self, headers: Mapping[str, str], payload: Any) -> RemoteRepository | None:
        changes = value_at(payload, "push", "changes")
        is_push = header_of(headers, "x-event-key") == "repo:push" and isinstance(changes, list)
        if not is_push or all(value_at(change, "new", "type") != "tag" for change in changes):
            return None
        return remote_of_delivery(payload)

    async def is_approved(self, api: HostApi, name: str, number: int) -> bool:
        people = value_at(await api.get_json(self.pull_path(name, number)), "participants")
        return isinstance(people, list) and any(value_at(person, "approved") is True for person in people)

    async def find_author(self, api: HostApi, name: str, commit: str) -> str:
        return parseaddr(await super().find_author(api, name, commit))[1]

    async def list_releases(self, api: HostApi, name: str) -> list[HostRelease]:
        return [row for row in await super().list_releases(api, name) if VERSION.search(row.tag)]

    async def has_commit(self, api: HostApi, name: str, tag: str, commit: str) -> bool:
        path = f"{self.path_of(name)}/commits/{commit}"
        page = await api.get_json(f"{path}?exclude={quote(tag, safe='')}&pagelen=1")
        return bool(value_at(page, "values") == [])

    def repository_of(self, row: Any) -> RemoteRepository:
        return RemoteRepository(
            text_at(row, "uuid"), text_at(row, "full_name"), text_at(row, "mainbranch", "name")
        )

    def pull_request_of(self, row: Any) -> PullRequest:
        body = value_at(row, "description") or value_at(row, "summary", "raw")
        state = value_at(row, "state")
        author = value_at(row, "author")
        return PullRequest(
            number=number_at(row, "id"),
            title=text_at(row, "title"),
            body=body if isinstance(body, str) else None,
            url=text_at(row, "links", "html", "href"),
            branch=text_at(row, "destination", "branch", "name"),
            # The API shortens hashes to twelve digits, as deliveries do.
            head=text_at(row, "source", "commit", "hash")[:12],
            is_draft=value_at(row, "draft") is True,
            is_open=state == "OPEN",
            is_merged=state == "MERGED",
            is_by_bot=value_at(author, "type") == "app_user" or is_bot_name(value_at(author, "nickname")),
            updated_at=moment_at(row, "updated_on"),
            merge_commit=commit_at(row, "merge_commit", "hash"),
        )


def remote_of_delivery(payload: Any) -> RemoteRepository:
    """The repository of a delivery, without the default branch, which only polls request."""
    repository = value_at(payload, "repository")
    return RemoteRepository(text_at(repository, "uuid"), text_at(repository, "full_name"), "")

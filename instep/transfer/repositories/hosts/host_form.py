"""The common part of all code hosts; each host is a class with its names, its paths and its special cases."""

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import quote

from instep.transfer.repositories.hosts.host_json import (
    Malformed,
    has_signature,
    header_of,
    releases_of,
    text_at,
)
from instep.transfer.repositories.hosts.host_requests import HostApi
from instep.transfer.repositories.schemas import HostRelease, PullNotice, PullRequest, RemoteRepository


class HostForm(ABC):
    """A kind of code host. Methods that call its API raise `HostRefused`, `HostBusy` and `HostFailed`."""

    name: str
    # The URL of the public instance.
    home: str
    # The events of a webhook, with their names on the host's page.
    events: str
    # The content type by which the API gives a file as it is.
    raw = "*/*"
    # The headers of all requests, which also contain the token.
    common_headers: Mapping[str, str] = {"Accept": "application/json", "User-Agent": "Instep"}
    # The headers of deliveries that may contain the signature.
    signature_headers: tuple[str, ...] = ()
    # Below the path of a repository: its pull requests, and the query for them by the latest change.
    pulls: str
    updates: str
    # Below the path of a pull request: its diff.
    diff: str
    # Below the path of a repository: its commits, and in a commit its author's address.
    commits: str
    author: tuple[str, ...]
    # Below the path of a repository: its releases, and the arguments of `releases_of` that read them.
    releases: str
    release_fields: tuple[str, ...]

    @abstractmethod
    def api_url(self, url: str) -> str:
        """The URL of the API of the host at this address."""

    @abstractmethod
    def authorization(self, token: str) -> dict[str, str]:
        """The header with a token."""

    @abstractmethod
    def git_credentials(self, token: str) -> str:
        """The credentials, as `user:password`, with which git authenticates with a token over HTTP."""

    @abstractmethod
    def path_of(self, name: str) -> str:
        """The path of a repository in the API."""

    @abstractmethod
    def content_path(self, name: str, path: str, commit: str) -> str:
        """The path of a file at a commit in the API."""

    @abstractmethod
    def repository_of(self, row: Any) -> RemoteRepository:
        """The repository that the API describes. Raises `Malformed`."""

    @abstractmethod
    def pull_request_of(self, row: Any) -> PullRequest:
        """The pull request that the API or a delivery describes. Raises `Malformed`."""

    @abstractmethod
    def read(self, headers: Mapping[str, str], payload: Any) -> PullNotice | None:
        """The pull request that a delivery is about; None for other deliveries. Raises `Malformed`."""

    @abstractmethod
    def read_release(self, headers: Mapping[str, str], payload: Any) -> RemoteRepository | None:
        """The repository of an announced release; None for other deliveries. Raises `Malformed`."""

    @abstractmethod
    async def is_approved(self, api: HostApi, name: str, number: int) -> bool: ...

    @abstractmethod
    async def has_commit(self, api: HostApi, name: str, tag: str, commit: str) -> bool:
        """True if the code of a tag contains a commit."""

    def headers(self, token: str) -> Mapping[str, str]:
        """The headers of requests with a token."""
        return {**self.common_headers, **self.authorization(token)}

    def is_genuine(self, headers: Mapping[str, str], body: bytes, secret: str) -> bool:
        """True if the delivery is from the host; compared in constant time."""
        signatures = (header_of(headers, name) for name in self.signature_headers)
        return has_signature(next(filter(None, signatures), "").removeprefix("sha256="), body, secret)

    def pull_path(self, name: str, number: int) -> str:
        return f"{self.path_of(name)}/{self.pulls}/{number}"

    def issue_path(self, name: str, number: int) -> str:
        """The path of an issue in the API."""
        return f"{self.path_of(name)}/issues/{number}"

    async def find_repository(self, api: HostApi, name: str) -> RemoteRepository:
        return self.repository_of(await api.get_json(self.path_of(name)))

    async def find_pull_request(self, api: HostApi, name: str, number: int) -> PullRequest:
        return self.pull_request_of(await api.get_json(self.pull_path(name, number)))

    async def fetch_diff(self, api: HostApi, name: str, number: int) -> bytes:
        return (await api.get(self.pull_path(name, number) + self.diff, "text/plain")).body

    async def find_author(self, api: HostApi, name: str, commit: str) -> str:
        """The email address of a commit's author, which nobody has proved. Raises `Malformed`."""
        row = await api.get_json(f"{self.path_of(name)}/{self.commits}/{commit}")
        return text_at(row, *self.author)

    async def list_releases(self, api: HostApi, name: str) -> list[HostRelease]:
        """The newest published releases, without drafts and pre-releases."""
        page = await api.get_json(f"{self.path_of(name)}/{self.releases}")
        return releases_of(self.rows_of(page), *self.release_fields)

    async def list_updated(self, api: HostApi, name: str, since: datetime) -> AsyncIterator[PullRequest]:
        """The pull requests that changed since a time, the latest change first."""
        query = self.updates.format(since=quote(since.isoformat()))
        async for page in api.pages(f"{self.path_of(name)}/{self.pulls}?{query}"):
            for row in self.rows_of(page):
                pull_request = self.pull_request_of(row)
                if pull_request.updated_at is None or pull_request.updated_at < since:
                    return
                yield pull_request

    def rows_of(self, page: Any) -> list[Any]:
        """The rows of a page, which are in its `values` if it is an object."""
        rows = page.get("values") if isinstance(page, dict) else page
        if not isinstance(rows, list):
            raise Malformed("values")
        return rows

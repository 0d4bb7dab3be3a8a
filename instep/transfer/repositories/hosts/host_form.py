"""The interface of a code host, which each host implements in one module."""

from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import Any, Protocol

from instep.transfer.repositories.hosts.host_requests import HostApi
from instep.transfer.repositories.schemas import HostRelease, PullNotice, PullRequest, RemoteRepository


class HostForm(Protocol):
    """A kind of code host. Methods that call its API raise `HostRefused`, `HostBusy` and `HostFailed`."""

    name: str
    # The URL of the public instance.
    home: str
    # The events of a webhook, with their names on the host's page.
    events: str
    # The content type by which the API gives a file as it is.
    raw: str

    def api_url(self, url: str) -> str:
        """The URL of the API of the host at this address."""

    def headers(self, token: str) -> Mapping[str, str]:
        """The headers of requests with a token."""

    def git_credentials(self, token: str) -> str:
        """The credentials, as `user:password`, with which git authenticates with a token over HTTP."""

    def is_genuine(self, headers: Mapping[str, str], body: bytes, secret: str) -> bool:
        """True if the delivery is from the host; compared in constant time."""

    def read(self, headers: Mapping[str, str], payload: Any) -> PullNotice | None:
        """The pull request that a delivery is about; None for other deliveries. Raises `Malformed`."""

    def read_release(self, headers: Mapping[str, str], payload: Any) -> RemoteRepository | None:
        """The repository of an announced release; None for other deliveries. Raises `Malformed`."""

    async def find_repository(self, api: HostApi, name: str) -> RemoteRepository: ...

    async def find_pull_request(self, api: HostApi, name: str, number: int) -> PullRequest: ...

    async def is_approved(self, api: HostApi, name: str, number: int) -> bool: ...

    async def fetch_diff(self, api: HostApi, name: str, number: int) -> bytes: ...

    def issue_path(self, name: str, number: int) -> str:
        """The path of an issue in the API."""

    def content_path(self, name: str, path: str, commit: str) -> str:
        """The path of a file at a commit in the API."""

    async def find_author(self, api: HostApi, name: str, commit: str) -> str:
        """The email address of a commit's author, which nobody has proved. Raises `Malformed`."""

    async def list_releases(self, api: HostApi, name: str) -> list[HostRelease]:
        """The newest published releases, without drafts and pre-releases."""

    async def has_commit(self, api: HostApi, name: str, tag: str, commit: str) -> bool:
        """True if the code of a tag contains a commit."""

    def list_updated(self, api: HostApi, name: str, since: datetime) -> AsyncIterator[PullRequest]:
        """The pull requests that changed since a time, the latest change first."""

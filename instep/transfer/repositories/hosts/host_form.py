"""The interface of a code host; each host is one module that implements it."""

from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import Any, Protocol

from instep.transfer.repositories.hosts.host_requests import HostApi
from instep.transfer.repositories.schemas import HostRelease, PullNotice, PullRequest, RemoteRepository


class HostForm(Protocol):
    """A kind of code host. Methods that ask its API raise `HostRefused`, `HostBusy` and `HostFailed`."""

    name: str
    # Where most people have their repositories.
    home: str
    # The events of a webhook, as the host's own page names them.
    events: str

    def api_url(self, url: str) -> str:
        """The address of the API of the host at this address."""

    def headers(self, token: str) -> Mapping[str, str]:
        """Headers of requests with a token."""

    def git_credentials(self, token: str) -> str:
        """The user and the password, `user:password`, by which git authenticates with a token over HTTP."""

    def is_genuine(self, headers: Mapping[str, str], body: bytes, secret: str) -> bool:
        """True if the host has made this delivery; compared in constant time."""

    def read(self, headers: Mapping[str, str], payload: Any) -> PullNotice | None:
        """The pull request that a delivery is about; None for other deliveries. Raises `Malformed`."""

    def read_release(self, headers: Mapping[str, str], payload: Any) -> RemoteRepository | None:
        """The repository whose release a delivery tells of; None for other deliveries. Raises `Malformed`."""

    async def find_repository(self, api: HostApi, name: str) -> RemoteRepository: ...

    async def find_pull_request(self, api: HostApi, name: str, number: int) -> PullRequest: ...

    async def is_approved(self, api: HostApi, name: str, number: int) -> bool: ...

    async def fetch_diff(self, api: HostApi, name: str, number: int) -> bytes: ...

    async def list_releases(self, api: HostApi, name: str) -> list[HostRelease]:
        """The newest published releases; neither drafts nor pre-releases."""

    async def has_commit(self, api: HostApi, name: str, tag: str, commit: str) -> bool:
        """True if the code of a tag contains a commit."""

    def list_updated(self, api: HostApi, name: str, since: datetime) -> AsyncIterator[PullRequest]:
        """The pull requests that have changed since, the newest change first."""

"""The interface of a code host on whose pull requests Instep writes; each host is one class."""

from collections.abc import Mapping
from typing import Any, Protocol

from instep.transfer.repositories.hosts.host_requests import HostApi
from instep.transfer.repositories.schemas import PullComment, PullStatus, WrittenComment


class ReviewForm(Protocol):
    """Comments and statuses of a host; methods that ask its API raise as those of `HostForm` do."""

    # True if deliveries name the person who edited a comment, and its text before.
    says_who_edits: bool

    def read_comment(self, headers: Mapping[str, str], payload: Any) -> PullComment | None:
        """The new or edited comment that a delivery contains; None for other deliveries.

        Raises `Malformed`.
        """

    async def can_write(self, api: HostApi, name: str, author_key: str) -> bool:
        """True if the person with this key has write access to the repository now."""

    async def find_comment(self, api: HostApi, name: str, number: int, marker: str) -> str | None:
        """The id of the first comment that begins with the marker."""

    async def create_comment(self, api: HostApi, name: str, number: int, text: str) -> WrittenComment: ...

    async def update_comment(
        self, api: HostApi, name: str, number: int, comment_id: str, text: str
    ) -> WrittenComment: ...

    async def put_status(self, api: HostApi, name: str, head: str, status: PullStatus) -> None: ...

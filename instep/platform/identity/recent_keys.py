"""Recent results of authentication: an action's first statement can be sent with the one that finds the key.

They grant nothing: the request is refused, or begins again, if the key now has another result.
"""

from uuid import UUID

from cachetools import LRUCache

from instep.platform.core import limits
from instep.platform.identity.schemas import KeyAuth


class RecentKeys:
    """The last results of authentication in this process."""

    def __init__(self, size: int) -> None:
        self.results: LRUCache[tuple[bytes, UUID | None], KeyAuth] = LRUCache(size)

    def find(self, key_hash: bytes | None, bot: UUID | None) -> KeyAuth | None:
        """The last result of a key for the bot that a request names, if it was valid and within its limit."""
        return self.results.get((key_hash, bot)) if key_hash is not None else None

    def remember(self, key_hash: bytes | None, bot: UUID | None, auth: KeyAuth, *, is_over: bool) -> None:
        """Keep the result of a usable key; forget an unusable one."""
        if key_hash is None:
            return
        if auth.key_id is None or is_over:
            self.results.pop((key_hash, bot), None)
        else:
            self.results[key_hash, bot] = auth


recent_keys = RecentKeys(limits.MAX_RECENT_KEYS)

"""Recent results of authentication: an action's first statement can be sent with the one that finds the key.

They grant nothing: the request is refused, or begins again, if the key now has another result.
"""

from collections import OrderedDict
from uuid import UUID

from instep.platform.core import limits
from instep.platform.identity.schemas import KeyAuth


class RecentKeys:
    """The last results of authentication in this process, the most recent last."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.results: OrderedDict[tuple[bytes, UUID | None], KeyAuth] = OrderedDict()

    def find(self, key_hash: bytes | None, bot: UUID | None) -> KeyAuth | None:
        """The last result of a key for the bot that a request names, if it was valid and within its limit."""
        return self.results.get((key_hash, bot)) if key_hash is not None else None

    def remember(self, key_hash: bytes | None, bot: UUID | None, auth: KeyAuth, *, is_over: bool) -> None:
        """Keep the result of a usable key; forget an unusable one."""
        if key_hash is None:
            return
        place = (key_hash, bot)
        if auth.key_id is None or is_over:
            self.results.pop(place, None)
            return
        self.results[place] = auth
        self.results.move_to_end(place)
        if len(self.results) > self.size:
            self.results.popitem(last=False)


recent_keys = RecentKeys(limits.MAX_RECENT_KEYS)

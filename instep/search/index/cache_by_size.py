"""A cache with separate bounds for small and large values, so that small ones never evict a large one."""

from collections.abc import Callable, Iterator, MutableMapping
from itertools import chain
from typing import TypeVar
from uuid import UUID

from cachetools import LRUCache

from instep.platform.core import limits

Value = TypeVar("Value")


class CacheBySize(MutableMapping[UUID, Value]):
    """Values by bot; the least recently used one of the same size class is evicted.

    A small value can be read again within a millisecond; a large one takes long.
    """

    def __init__(self, size_of: Callable[[Value], int], max_bytes: int, max_small_bytes: int) -> None:
        self.size_of = size_of
        # A value larger than the bound is kept alone.
        self.small: LRUCache[UUID, Value] = LRUCache(
            max_small_bytes, getsizeof=lambda value: min(size_of(value), max_small_bytes)
        )
        self.large: LRUCache[UUID, Value] = LRUCache(
            max_bytes, getsizeof=lambda value: min(size_of(value), max_bytes)
        )

    def __getitem__(self, bot_id: UUID) -> Value:
        return self.small[bot_id] if bot_id in self.small else self.large[bot_id]

    def __setitem__(self, bot_id: UUID, value: Value) -> None:
        is_large = self.size_of(value) >= limits.LARGE_INDEX_BYTES
        same, other = (self.large, self.small) if is_large else (self.small, self.large)
        other.pop(bot_id, None)
        same[bot_id] = value

    def __delitem__(self, bot_id: UUID) -> None:
        del (self.small if bot_id in self.small else self.large)[bot_id]

    def __iter__(self) -> Iterator[UUID]:
        return chain(self.small, self.large)

    def __len__(self) -> int:
        return len(self.small) + len(self.large)

"""A memory of what can be worked out again: what was asked for last stays, up to a total size."""

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class SizedLruCache(Generic[Key, Value]):
    """For one process and its event loop."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.kept: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self.used = 0

    def get(self, key: Key) -> Value | None:
        if key not in self.kept:
            return None
        self.kept.move_to_end(key)
        return self.kept[key][0]

    def put(self, key: Key, value: Value, size: int) -> None:
        _, before = self.kept.pop(key, (None, 0))
        self.kept[key] = (value, size)
        self.used += size - before
        while self.used > self.room:
            _, (_, forgotten) = self.kept.popitem(last=False)
            self.used -= forgotten

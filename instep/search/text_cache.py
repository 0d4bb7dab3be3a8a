"""Caches results for texts that searches read again and again, up to a number of characters."""

from collections.abc import Callable
from threading import Lock

from cachetools import LRUCache

from instep.platform.core import limits


class TextCache:
    """The results of a function for the most recently used texts. Threads share it."""

    def __init__(self, function: Callable[[str], str]) -> None:
        self.function = function
        self.lock = Lock()
        self.results: LRUCache[str, tuple[str, int]] = LRUCache(
            limits.MAX_CACHED_TEXT_CHARACTERS, getsizeof=lambda entry: entry[1]
        )

    def __call__(self, text: str) -> str:
        with self.lock:
            entry = self.results.get(text)
        if entry is None:
            result = self.function(text)
            entry = (result, len(text) + len(result))
            if entry[1] <= limits.MAX_CACHED_TEXT_CHARACTERS:
                with self.lock:
                    self.results[text] = entry
        return entry[0]

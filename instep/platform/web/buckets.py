"""A generous rate limit without a round trip: token buckets in the memory of one process."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from cachetools import LRUCache

from instep.platform.core import limits


@dataclass(slots=True)
class Bucket:
    """The tokens (requests) that a caller had left, and the time of that count, in seconds of the clock."""

    tokens: float
    counted_at: float


@dataclass(slots=True)
class Buckets:
    """A bucket per caller, of `per_minute` tokens, refilled evenly within a minute.

    Buckets are per process: with N server processes a caller gets up to N times as many requests. Beyond
    `MAX_BUCKETS` the least recently used bucket is dropped, so memory stays bounded.
    """

    per_minute: int
    clock: Callable[[], float] = time.monotonic
    buckets: LRUCache[str, Bucket] = field(default_factory=lambda: LRUCache(limits.MAX_BUCKETS))

    def take(self, caller: str) -> int:
        """Count one request; return the seconds that the caller must wait, 0 if it may proceed."""
        now, quota = self.clock(), float(self.per_minute)
        bucket = self.buckets.setdefault(caller, Bucket(quota, now))
        per_second = quota / limits.REQUEST_WINDOW_SECONDS
        bucket.tokens = min(quota, bucket.tokens + (now - bucket.counted_at) * per_second)
        bucket.counted_at = now
        if bucket.tokens < 1:
            return math.ceil((1 - bucket.tokens) / per_second)
        bucket.tokens -= 1
        return 0

"""The generous rate limit by client address for requests that are not counted in the database."""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from cachetools import LRUCache
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from instep.platform.core import limits
from instep.platform.core.errors import RateLimited
from instep.platform.web.client_addresses import client_address

# Requests below these paths are counted in the database, by key, visitor or address.
COUNTED_ELSEWHERE = ("/v1/", "/chat/", "/feedback/", "/leads/", "/widget/", "/mcp/admin/")
# A refused page still needs its style and its icon; browsers cache both.
STATIC = "/static/"
# Monitoring often requests the first two.
UNCOUNTED = {"/healthz", "/readyz", "/favicon.ico"}
UNCOUNTED_BELOW = (*COUNTED_ELSEWHERE, STATIC)


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


class PublicLimit:
    """Refuses addresses with too many requests, before routing."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and is_counted(scope["path"]):
            refuse_too_many(Request(scope))
        await self.app(scope, receive, send)


def refuse_too_many(request: Request) -> None:
    """Count a request of its address; raises `RateLimited` (429)."""
    seconds = request.app.state.public_buckets.take(client_address(request))
    if seconds:
        raise RateLimited(headers={"Retry-After": str(seconds)})


def is_counted(path: str) -> bool:
    return path not in UNCOUNTED and not f"{path}/".startswith(UNCOUNTED_BELOW)

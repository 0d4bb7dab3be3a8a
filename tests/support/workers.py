"""Worker processes on the tests' database, and their remaining work."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from instep.platform.core.database import Tx
from tests.support.installation import Process

StartWorker = Callable[..., Process]


async def until(is_true: Callable[[], Awaitable[bool]], seconds: float) -> float:
    """Wait until the condition is true and return the seconds that it took."""
    began = time.monotonic()
    while not await is_true():
        assert time.monotonic() - began < seconds, f"not within {seconds} seconds"
        await asyncio.sleep(0.1)
    return time.monotonic() - began


async def nothing_waits(owner: Tx) -> bool:
    remaining: int = await owner.value("select count(*) from deliveries where status = 'pending'")
    return remaining == 0

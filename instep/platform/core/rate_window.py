"""Fixed windows of rate limits in the database, one per policy and subject."""

from dataclasses import dataclass

from instep.platform.core.database import Tx


@dataclass(frozen=True, slots=True)
class RateWindow:
    """A subject's hits in its current window, and the seconds until the window ends."""

    hits: int
    seconds_left: int


async def count_hit(tx: Tx, policy: str, subject: str, seconds: int) -> RateWindow:
    """Count a hit in a window of `seconds`; its row is locked until the caller's transaction ends."""
    return await tx.fetch_one(
        RateWindow,
        "select hits, seconds_left from count_hit(%(policy)s, %(subject)s, %(seconds)s)",
        policy=policy,
        subject=subject,
        seconds=seconds,
    )


async def peek_hits(tx: Tx, policy: str, subject: str, seconds: int) -> RateWindow:
    """Read the window without counting a hit."""
    return await tx.fetch_one(
        RateWindow,
        "select hits, seconds_left from peek_hits(%(policy)s, %(subject)s, %(seconds)s)",
        policy=policy,
        subject=subject,
        seconds=seconds,
    )

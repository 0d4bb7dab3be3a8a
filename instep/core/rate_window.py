"""Fixed windows of a rate limit, which the database counts: one for each policy and subject."""

from dataclasses import dataclass

from instep.core.database import Tx


@dataclass(frozen=True, slots=True)
class RateWindow:
    """How often a subject has hit its present window, and in how many seconds that window ends."""

    hits: int
    seconds_left: int


async def count_hit(tx: Tx, policy: str, subject: str, seconds: int) -> RateWindow:
    """Count a hit; the window, `seconds` long, is held until the caller's transaction ends."""
    return await tx.fetch_one(
        RateWindow,
        "select hits, seconds_left from count_hit(%(policy)s, %(subject)s, %(seconds)s)",
        policy=policy,
        subject=subject,
        seconds=seconds,
    )


async def peek_hits(tx: Tx, policy: str, subject: str, seconds: int) -> RateWindow:
    """The window as it is, without a hit of the caller's."""
    return await tx.fetch_one(
        RateWindow,
        "select hits, seconds_left from peek_hits(%(policy)s, %(subject)s, %(seconds)s)",
        policy=policy,
        subject=subject,
        seconds=seconds,
    )

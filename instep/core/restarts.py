"""Restartable transactions: no connection is held while expensive work waits for a process and runs in it.

A transaction that needs such work ends without a trace and gives its connection back; the work is done, and
the transaction runs anew, now with the result at hand. The work is pure, so nobody can tell the difference.
"""

import hashlib
import pickle
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, TypeVar

from instep.core import limits
from instep.core.errors import RateLimited, Unavailable

T = TypeVar("T")
Compute = Callable[[], Awaitable[Any]]


class WorkNeeded(Unavailable):
    """Ends an attempt whose work is not done yet. Nobody outside of `restartable` ever sees it."""


@dataclass(slots=True)
class Attempts:
    """What the attempts at one transaction have in common: when they began, and the work done for them."""

    began_at: float = field(default_factory=monotonic)
    results: dict[bytes, Any] = field(default_factory=dict)
    refusals: dict[bytes, Exception] = field(default_factory=dict)
    needed: tuple[bytes, Compute] | None = None

    def result_of(self, function: Callable[..., Any], arguments: tuple[Any, ...], compute: Compute) -> Any:
        """The result, or the error, of work that was done between two attempts; else `WorkNeeded`."""
        key = hashlib.sha256(pickle.dumps((function, arguments))).digest()
        if key in self.refusals:
            raise self.refusals[key]
        if key not in self.results:
            self.needed = key, compute
            raise WorkNeeded
        return self.results[key]

    async def do_needed(self) -> None:
        assert self.needed is not None, "an attempt has asked for it"
        key, compute = self.needed
        self.needed = None
        try:
            self.results[key] = await compute()
        except RateLimited:
            raise
        except Exception as refusal:
            # Whoever asked for the work knows what its error means.
            self.refusals[key] = refusal


attempts_under_way: ContextVar[Attempts | None] = ContextVar("attempts_under_way", default=None)


def first_attempt_began() -> float:
    """The monotonic time at which the first attempt at the present transaction began; now, outside of one."""
    attempts = attempts_under_way.get()
    return monotonic() if attempts is None else attempts.began_at


async def restartable(attempt: Callable[[], Awaitable[T]]) -> T:
    """The result of `attempt`, which takes a connection and leaves nothing behind when it fails.

    It runs anew for each piece of expensive work that it needs, and is told the result or the error there.
    After `limits.RESTARTS` the work is done in place, with the connection held.
    """
    attempts = Attempts()
    for _ in range(limits.RESTARTS):
        token = attempts_under_way.set(attempts)
        try:
            result = await attempt()
        except Exception:
            if attempts.needed is None:
                raise
        else:
            # Somebody in between may have made an answer of the error: then that answer is void.
            if attempts.needed is None:
                return result
        finally:
            attempts_under_way.reset(token)
        await attempts.do_needed()
    return await attempt()

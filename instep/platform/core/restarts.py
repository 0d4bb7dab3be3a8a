"""Restartable transactions: no connection is held while expensive work runs in another process.

A transaction that needs such work is rolled back and returns its connection. The work is done, and the
transaction is repeated with the result. The work is pure, so a repetition has the same result.
"""

import asyncio
import hashlib
import pickle
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from instep.platform.core import limits
from instep.platform.core.errors import RateLimited, Unavailable

Result = TypeVar("Result")
Compute = Callable[[], Awaitable[Any]]


class WorkNeeded(Unavailable):
    """Ends an attempt that needs work first; `restartable` catches it."""


@dataclass(slots=True)
class Attempts:
    """The attempts at one transaction: the time of the first, and results of the work between attempts."""

    began_at: float = field(default_factory=monotonic)
    # Tasks that an attempt starts continue by themselves, and are not repeated.
    task: "asyncio.Task[Any] | None" = field(default_factory=asyncio.current_task)
    results: dict[bytes, Any] = field(default_factory=dict)
    refusals: dict[bytes, Exception] = field(default_factory=dict)
    needed: tuple[bytes, Compute] | None = None

    def result_of(self, function: Callable[..., Any], arguments: tuple[Any, ...], compute: Compute) -> Any:
        """The result or error of work done between attempts; raises `WorkNeeded` if it is not done yet."""
        key = hashlib.sha256(pickle.dumps((function, arguments))).digest()
        if key in self.refusals:
            raise self.refusals[key]
        if key not in self.results:
            self.needed = key, compute
            raise WorkNeeded
        return self.results[key]

    async def do_needed(self) -> None:
        assert self.needed is not None, "an attempt has requested work"
        key, compute = self.needed
        self.needed = None
        try:
            self.results[key] = await compute()
        except RateLimited:
            raise
        except Exception as refusal:
            # The next attempt raises it where the work is needed, and handles it there.
            self.refusals[key] = refusal


attempts_under_way: ContextVar[Attempts | None] = ContextVar("attempts_under_way", default=None)


def refuse_unfinished() -> None:
    """Raise `WorkNeeded` if the current attempt has requested work, even if someone caught that.

    The attempt is then repeated, so its effects so far must not stay.
    """
    attempts = attempts_under_way.get()
    if attempts is None or attempts.task is not asyncio.current_task():
        return
    if attempts.needed is not None:
        raise WorkNeeded


def drop_needed_work() -> None:
    """Drop requested work because the current attempt is refused for another reason."""
    attempts = attempts_under_way.get()
    if attempts is not None:
        attempts.needed = None


def first_attempt_began() -> float:
    """The monotonic start time of the first attempt at the current transaction; now outside of one."""
    attempts = attempts_under_way.get()
    return monotonic() if attempts is None else attempts.began_at


async def between_attempts(
    function: Callable[..., Any], arguments: tuple[Any, ...], compute: Callable[[], Awaitable[Result]]
) -> Result:
    """The result of `compute`, which runs once for `function` and `arguments`.

    Inside `restartable` no connection is held in the meantime: the transaction ends here and is repeated when
    the result is available.
    """
    attempts = attempts_under_way.get()
    if attempts is None:
        return await compute()
    result: Result = attempts.result_of(function, arguments, compute)
    return result


async def restartable(attempt: Callable[[], Awaitable[Result]]) -> Result:
    """The result of `attempt`, which takes a connection and has no effect if it fails.

    It is repeated after each piece of expensive work that it needs, with that work's result or error.
    After `limits.MAX_RESTARTS` attempts the work runs inside the transaction, with the connection held.
    """
    attempts = Attempts()
    for _ in range(limits.MAX_RESTARTS):
        token = attempts_under_way.set(attempts)
        try:
            result = await attempt()
        except Exception:
            if attempts.needed is None:
                raise
        else:
            # If the attempt caught `WorkNeeded` and returned a result anyway, that result does not count.
            if attempts.needed is None:
                return result
        finally:
            attempts_under_way.reset(token)
        await attempts.do_needed()
    return await attempt()


@dataclass(slots=True)
class NeededWork:
    """Expensive work, such as rendering, that one transaction needs for many texts, by keys of the results.

    All of it is done before the next attempt: otherwise the transaction would be repeated for each text.
    """

    pieces: dict[bytes, Compute] = field(default_factory=dict)

    def take(self) -> None:
        """Take over the work that a text has requested, so that the next text can request some too."""
        attempts = attempts_under_way.get()
        if attempts is not None and attempts.needed is not None:
            key, compute = attempts.needed
            self.pieces[key], attempts.needed = compute, None

    async def do_before_next_attempt(self) -> None:
        """End this attempt if a text needs work."""
        attempts = attempts_under_way.get()
        if attempts is not None and self.pieces:
            await between_attempts(do_all, (tuple(self.pieces),), partial(do_all, attempts, self.pieces))


async def do_all(attempts: Attempts, pieces: dict[bytes, Compute]) -> None:
    """Do the pieces of work one by one, because a workspace may not queue much work at once."""
    for piece in pieces.items():
        attempts.needed = piece
        await attempts.do_needed()

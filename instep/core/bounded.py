"""Expensive pure functions, run in a process that ends when its time is over."""

from collections.abc import Callable
from typing import TypeVar, TypeVarTuple

from anyio import fail_after, to_process

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")


class TooExpensive(Exception):
    """The work did not end within its time limit."""


async def run_bounded(function: Callable[[*Arguments], T], *arguments: *Arguments, seconds: float) -> T:
    """What a module-level function gives; after `seconds` its process is killed: `TooExpensive`."""
    try:
        with fail_after(seconds):
            return await to_process.run_sync(function, *arguments, cancellable=True)
    except TimeoutError:
        raise TooExpensive from None

"""Measures how long the event loop is blocked: the processor time of its longest step."""

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

# Far more than any step takes on a busy machine, and far less than hostile texts used to take.
MAX_SECONDS = 0.5


@dataclass
class LongestTurn:
    """The longest step so far, in this thread's processor time, which a busy machine does not increase."""

    seconds: float = 0.0


@contextmanager
def watched_loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[LongestTurn]:
    """Measure the steps of the event loop that begin and end inside this block.

    Garbage collection is turned off: its cost depends on what all earlier tests left behind.
    """
    longest, run = LongestTurn(), asyncio.Handle._run

    def measured(handle: asyncio.Handle) -> Any:
        began = time.thread_time()
        try:
            return run(handle)
        finally:
            longest.seconds = max(longest.seconds, time.thread_time() - began)

    with monkeypatch.context() as patch:
        patch.setattr(asyncio.Handle, "_run", measured)
        gc.disable()
        try:
            yield longest
        finally:
            gc.enable()

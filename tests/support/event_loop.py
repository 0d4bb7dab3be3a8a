"""How long the event loop is kept from everyone else: the processor time of its longest turn."""

import asyncio
import gc
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

# Far more than any turn takes on a busy machine, and far less than hostile texts took.
MAX_SECONDS = 0.5


@dataclass
class LongestTurn:
    """The longest turn so far; only this thread's own processor time counts, so a busy machine adds none."""

    seconds: float = 0.0


@contextmanager
def watched_loop(monkeypatch: pytest.MonkeyPatch) -> Iterator[LongestTurn]:
    """Measure the turns of the event loop that begin and end inside of this block.

    Collecting garbage is left out: it costs as much as all earlier tests have left behind.
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

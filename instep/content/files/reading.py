"""Processes uploads in turn: concurrent ones wait for each other instead of being refused."""

import os

from anyio.lowlevel import RunVar

from instep.content.files.inspection import Inspection, inspect_file
from instep.platform.core import limits
from instep.platform.core.places import FairSlots, entered_workspace
from instep.platform.core.sandbox import run_in_process

reading_slots: RunVar[FairSlots] = RunVar("reading_slots")


async def read_file(data: bytes, name: str) -> Inspection:
    """The result of `inspect_file`, which runs in a process that can be killed.

    Raises `TimeLimitExceeded`, and `QueueFull` if too many uploads of the workspace are waiting.
    """
    async with slots_of_loop().hold(entered_workspace.get()):
        return await run_in_process(inspect_file, data, name, seconds=limits.MAX_FILE_SECONDS)


def slots_of_loop() -> FairSlots:
    try:
        return reading_slots.get()
    except LookupError:
        slots = FairSlots((os.cpu_count() or 2) + 1, limits.MAX_WAITING_UPLOADS)
        reading_slots.set(slots)
        return slots

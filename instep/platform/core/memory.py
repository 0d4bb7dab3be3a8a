"""The memory of a process: a limit for untrusted input, one shared heap, and the return of freed memory."""

import asyncio
import ctypes
import os
import sys
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import resource

STATM = Path("/proc/self/statm")
# glibc's number of heaps: its name in the environment, and as a parameter of `mallopt`.
ARENA_MAX, M_ARENA_MAX = "MALLOC_ARENA_MAX", -8
# How often freed memory is returned. If there is nothing to return, it takes less than 0.1 ms.
RETURN_SECONDS = 10.0


def bound_memory(spare_bytes: int) -> None:
    """Limit the address space to its present size plus `spare_bytes`.

    A larger allocation raises `MemoryError`, or ends the process in native code. Systems without /proc have
    no limit.
    """
    if sys.platform == "win32" or not STATM.exists():
        return
    pages = int(STATM.read_text().split()[0])
    max_bytes = pages * os.sysconf("SC_PAGE_SIZE") + spare_bytes
    # The hard limit stays, because the next call may need a higher one.
    _, hard_limit = resource.getrlimit(resource.RLIMIT_AS)
    if hard_limit != resource.RLIM_INFINITY:
        max_bytes = min(max_bytes, hard_limit)
    resource.setrlimit(resource.RLIMIT_AS, (max_bytes, hard_limit))


def share_heap() -> None:
    """Make the threads of this process, and of each process that it starts, share one heap.

    Call it before the first thread starts: threads keep their heap. By default glibc has up to eight heaps
    per core, and memory freed in one can't be used by others: 80 MB after a dozen batches of embeddings.
    """
    if ARENA_MAX in os.environ:
        return
    os.environ[ARENA_MAX] = "1"
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").mallopt(M_ARENA_MAX, 1)


def return_freed_memory() -> None:
    """Return freed memory to the system, which glibc keeps: 64 of 162 MB after loading a model of 23 MB."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)


async def returning_freed_memory() -> None:
    """Return freed memory periodically until canceled, because any job or request may free much."""
    while True:
        await asyncio.sleep(RETURN_SECONDS)
        await asyncio.to_thread(return_freed_memory)

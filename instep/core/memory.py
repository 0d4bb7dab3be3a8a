"""A bound on the memory of a process that handles untrusted input."""

import os
import sys
from functools import cache
from pathlib import Path

if sys.platform != "win32":
    import resource

STATM = Path("/proc/self/statm")


@cache
def bound_memory(spare_bytes: int) -> None:
    """Limit the address space to its size at the first call plus `spare_bytes`; further calls do nothing.

    A larger allocation raises `MemoryError`, or ends the process in native code. Systems without /proc have
    no limit.
    """
    if sys.platform == "win32" or not STATM.exists():
        return
    pages = int(STATM.read_text().split()[0])
    max_bytes = pages * os.sysconf("SC_PAGE_SIZE") + spare_bytes
    resource.setrlimit(resource.RLIMIT_AS, (max_bytes, max_bytes))

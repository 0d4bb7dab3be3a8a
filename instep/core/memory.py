"""A bound on the memory of a process that works on what strangers have sent."""

import os
import sys
from functools import cache
from pathlib import Path

if sys.platform != "win32":
    import resource

STATM = Path("/proc/self/statm")


@cache
def bound_memory(spare_bytes: int) -> None:
    """Let this process take so many bytes of address space beyond what it has at the first call, once.

    What is more fails as a MemoryError, or ends the process where native code asks. Systems that do not tell
    the size of a process in /proc have no such bound.
    """
    if sys.platform == "win32" or not STATM.exists():
        return
    pages = int(STATM.read_text().split()[0])
    most_bytes = pages * os.sysconf("SC_PAGE_SIZE") + spare_bytes
    resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))

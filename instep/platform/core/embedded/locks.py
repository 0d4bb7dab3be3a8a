"""Advisory locks on files: the kernel drops them when their process ends, however it ends."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from instep.platform.core.embedded.errors import DatabaseUnavailable


@contextmanager
def exclusive(path: Path, deadline: float) -> Iterator[int]:
    """Hold the lock, waiting until `deadline` (monotonic clock); yields its descriptor."""
    with _opened(path) as fd:
        while not _try(fd, fcntl.LOCK_EX):
            if time.monotonic() > deadline:
                raise DatabaseUnavailable(
                    f"Another process is still starting or stopping the database in {path.parent}: "
                    "wait for it, or look into postgres.log there."
                )
            time.sleep(0.005)
        try:
            yield fd
        finally:
            # Closing our descriptor would not release the lock while a forked child has a copy.
            fcntl.flock(fd, fcntl.LOCK_UN)


def is_free(path: Path) -> bool:
    """True if no process holds the lock, shared or exclusive."""
    with _opened(path) as fd:
        return _try(fd, fcntl.LOCK_EX)


def hold_shared(path: Path) -> int:
    """Take a shared lock and return its descriptor; closing the last copy of it releases the lock."""
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(fd, fcntl.LOCK_SH)
    return fd


def drop(fd: int) -> None:
    fcntl.flock(fd, fcntl.LOCK_UN)
    os.close(fd)


@contextmanager
def _opened(path: Path) -> Iterator[int]:
    fd = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield fd
    finally:
        os.close(fd)


def _try(fd: int, kind: int) -> bool:
    try:
        fcntl.flock(fd, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True

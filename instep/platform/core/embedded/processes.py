"""The processes of PostgreSQL in a data directory."""

import os
import signal
from contextlib import suppress
from pathlib import Path


def running_in(pgdata: Path) -> list[int]:
    """Process ids of the servers whose working directory is `pgdata`; empty on systems without /proc (macOS).

    A zombie no longer has a working directory, and a shell in the folder is not a server.
    """
    try:
        home = pgdata.stat()
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    return [pid for pid in pids if _works_in(pid, home)]


def _works_in(pid: int, home: os.stat_result) -> bool:
    try:
        cwd = os.stat(f"/proc/{pid}/cwd")
        program = os.path.basename(os.readlink(f"/proc/{pid}/exe"))
    except OSError:
        return False
    return os.path.samestat(cwd, home) and program.removesuffix(" (deleted)") == "postgres"


def pid_in(lock_file: Path) -> int | None:
    try:
        return abs(int(lock_file.read_text().split("\n", 1)[0]))
    except (OSError, ValueError):
        return None


def exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def send(pids: list[int], number: signal.Signals) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, number)

"""The processor time of processes, as the kernel counts it."""

import os
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid: int) -> float:
    """CPU time of a process so far, without its children."""
    fields = fields_of(pid)
    return (int(fields[11]) + int(fields[12])) / TICKS


def family_seconds(pid: int) -> float:
    """CPU time of a process and of all below it so far, also of those that have ended."""
    states = [fields_of(process) for process in (pid, *descendants_of(pid))]
    return sum(sum(map(int, fields[11:15])) for fields in states) / TICKS


def descendants_of(pid: int) -> list[int]:
    """The processes below a process, on all levels."""
    below = [pid]
    for process in below:
        below += children_of(process)
    return below[1:]


def children_of(pid: int) -> list[int]:
    processes = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [
        process for process in sorted(processes) if (fields := fields_of(process)) and int(fields[1]) == pid
    ]


def name_of(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()


def resident_bytes(pid: int) -> tuple[int, int]:
    """The memory that a process holds, and the most that it has held."""
    status = sizes_of(pid, "status")
    return status["VmRSS"], status["VmHWM"]


def proportional_bytes(pid: int) -> int:
    """The memory of a process, with its share of the memory that it has in common; 0 if it is gone."""
    try:
        return sizes_of(pid, "smaps_rollup")["Pss"]
    except (FileNotFoundError, ProcessLookupError):
        return 0


def sizes_of(pid: int, file: str) -> dict[str, int]:
    """The lines in kilobytes of a file below `/proc/PID`, as bytes."""
    lines = (line.split() for line in Path(f"/proc/{pid}/{file}").read_text().splitlines())
    return {line[0].rstrip(":"): int(line[1]) * 1024 for line in lines if line[-1] == "kB"}


def fields_of(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` behind the name; none of a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []

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
    processes = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    states = {process: fields for process in processes if (fields := fields_of(process))}
    children: dict[int, list[int]] = {}
    for process, fields in states.items():
        children.setdefault(int(fields[1]), []).append(process)
    family = [pid]
    for process in family:
        family += children.get(process, ())
    return sum(sum(map(int, states[process][11:15])) for process in family) / TICKS


def children_of(pid: int) -> list[int]:
    processes = [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [
        process for process in sorted(processes) if (fields := fields_of(process)) and int(fields[1]) == pid
    ]


def fields_of(pid: int) -> list[str]:
    """The fields of `/proc/PID/stat` behind the name; none of a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []

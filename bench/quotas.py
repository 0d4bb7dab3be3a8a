"""Processes that are held to a share of a processor, each in a control group of its own."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

PERIOD_MICROSECONDS = 50_000
UNIFIED, CPU_ONLY = Path("/sys/fs/cgroup"), Path("/sys/fs/cgroup/cpu")


@contextmanager
def held_to(share: float, pids: Sequence[int]) -> Iterator[None]:
    """Let each process have so much of one processor until the block ends; needs root.

    Raises OSError where the machine lets nobody make control groups.
    """
    parent = CPU_ONLY if CPU_ONLY.exists() else UNIFIED
    groups = [parent / f"instep-bench-{pid}" for pid in pids]
    try:
        for group, pid in zip(groups, pids, strict=True):
            group.mkdir()
            limit(group, round(share * PERIOD_MICROSECONDS))
            (group / "cgroup.procs").write_text(str(pid))
        yield
    finally:
        for group in groups:
            if group.exists():
                for line in (group / "cgroup.procs").read_text().split():
                    (parent / "cgroup.procs").write_text(line)
                group.rmdir()


def limit(group: Path, microseconds: int) -> None:
    if group.parent == CPU_ONLY:
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_MICROSECONDS))
        (group / "cpu.cfs_quota_us").write_text(str(microseconds))
    else:
        (group / "cpu.max").write_text(f"{microseconds} {PERIOD_MICROSECONDS}")

"""The disk of the embedded database: its free space, and folders that outlast a failure of power."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

GIB = 1024**3
# With less free space than either bound, a growing database may stop accepting writes within days.
MIN_FREE_BYTES = GIB
MIN_FREE_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class FreeSpace:
    """The space on the disk of a folder, in bytes."""

    free: int
    total: int

    def __str__(self) -> str:
        return f"{self.free / GIB:.1f} GiB free of {self.total / GIB:.1f} GiB"

    @property
    def is_little(self) -> bool:
        return self.free < MIN_FREE_BYTES or self.free < MIN_FREE_SHARE * self.total


def free_space_at(folder: Path) -> FreeSpace:
    """The space on the disk of a folder, which need not exist yet."""
    existing_folder = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    usage = shutil.disk_usage(existing_folder)
    return FreeSpace(usage.free, usage.total)


def sync_folder(folder: Path) -> None:
    """Wait until the names of a folder's files are on the disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)

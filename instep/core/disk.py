"""How much room is left where the embedded database keeps its data."""

import shutil
from dataclasses import dataclass
from pathlib import Path

GIB = 1024**3
# With less than either a database that grows as usual may stop taking writes within days.
FREE_BYTES_LEAST = GIB
FREE_SHARE_LEAST = 0.05


@dataclass(frozen=True, slots=True)
class FreeSpace:
    """The room on the disk of a folder, in bytes."""

    free: int
    total: int

    def __str__(self) -> str:
        return f"{self.free / GIB:.1f} GiB free of {self.total / GIB:.1f} GiB"

    @property
    def is_little(self) -> bool:
        return self.free < FREE_BYTES_LEAST or self.free < FREE_SHARE_LEAST * self.total


def free_space_at(folder: Path) -> FreeSpace:
    """Of the folder, or of where it would be made."""
    present = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    usage = shutil.disk_usage(present)
    return FreeSpace(usage.free, usage.total)

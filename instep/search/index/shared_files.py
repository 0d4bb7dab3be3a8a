"""Files of stored indexes in the data folder, which all processes of a machine map into memory.

A file is complete before it gets its name, and is never written again. A process that has mapped a file keeps
it after its deletion, so every process may delete any file at any time.
"""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime
from mmap import ACCESS_READ, mmap
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TypeVar
from uuid import UUID

import structlog

from instep.platform.core.disk import free_space_at
from instep.platform.core.settings import Settings
from instep.search.index.packed_arrays import DamagedIndex

Value = TypeVar("Value")
# The change stamp in a file's name.
STAMP = "%Y%m%d%H%M%S%f"

log = structlog.get_logger()


def index_folder(settings: Settings) -> Path:
    return settings.data_dir / "indexes"


def empty_index_folder(settings: Settings) -> None:
    """Delete all files: nothing else deletes the files of deleted bots and of other versions of Instep."""
    with suppress(OSError):
        for path in index_folder(settings).iterdir():
            path.unlink(missing_ok=True)


class IndexFiles:
    """The files of one kind and layout of indexes, such as `words-7`.

    No method raises: a caller without a mapping uses its own memory.
    """

    def __init__(self, folder: Path, layout: str) -> None:
        self.folder = folder
        self.layout = layout
        self.is_warned = False

    def open(self, bot_id: UUID, seen: datetime) -> mmap | None:
        """The file of the index stored with this stamp; `None` if it doesn't exist."""
        try:
            with self.path_of(bot_id, seen).open("rb") as file:
                return mmap(file.fileno(), 0, access=ACCESS_READ)
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            self.discard(bot_id, seen, str(error))
            return None

    def read(self, bot_id: UUID, seen: datetime, decode: Callable[[mmap], Value | None]) -> Value | None:
        """The contents of a file; a damaged file, or one that `decode` finds unfit, is deleted."""
        mapping = self.open(bot_id, seen)
        try:
            value = decode(mapping) if mapping else None
        except DamagedIndex as error:
            self.discard(bot_id, seen, str(error))
            return None
        if mapping and value is None:
            self.delete(bot_id, seen)
        return value

    def newest(self, bot_id: UUID, until: datetime) -> datetime | None:
        """The stamp of the bot's newest file, up to `until`."""
        last = self.path_of(bot_id, until).name
        names = [path.name for path in self.paths_of(bot_id) if path.name <= last]
        stamp = max(names, default="").rpartition("-")[2]
        return datetime.strptime(stamp, STAMP).replace(tzinfo=UTC) if stamp else None

    def write(self, bot_id: UUID, seen: datetime, data: bytes) -> None:
        """Write the file, unless another process has written it, and delete the bot's earlier ones."""
        path = self.path_of(bot_id, seen)
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if free_space_at(self.folder).is_little:
                raise OSError(errno.ENOSPC, "the disk is nearly full")
            self.write_once(path, data)
            self.delete_earlier(bot_id, path)
        except OSError as error:
            self.warn(str(error))

    def write_once(self, path: Path, data: bytes) -> None:
        with NamedTemporaryFile(dir=self.folder, prefix="new-") as draft:
            draft.write(data)
            draft.flush()
            # After a crash of the machine, no named file may lack its content.
            os.fsync(draft.fileno())
            # A hard link never replaces a file: all processes map the one that existed first.
            with suppress(FileExistsError):
                os.link(draft.name, path)

    def delete_earlier(self, bot_id: UUID, path: Path) -> None:
        for other in self.paths_of(bot_id):
            if other.name < path.name:
                other.unlink(missing_ok=True)

    def discard(self, bot_id: UUID, seen: datetime, reason: str) -> None:
        """Delete a damaged file, so that it is written again."""
        self.warn(reason)
        self.delete(bot_id, seen)

    def delete(self, bot_id: UUID, seen: datetime) -> None:
        with suppress(OSError):
            self.path_of(bot_id, seen).unlink()

    def path_of(self, bot_id: UUID, seen: datetime) -> Path:
        """The file's path; later stamps have names that sort later."""
        return self.folder / f"{bot_id}-{self.layout}-{seen.astimezone(UTC):{STAMP}}"

    def paths_of(self, bot_id: UUID) -> Iterator[Path]:
        return self.folder.glob(f"{bot_id}-{self.layout}-*")

    def warn(self, reason: str) -> None:
        if not self.is_warned:
            log.warning(
                "search indexes are not shared between processes", folder=str(self.folder), reason=reason
            )
        self.is_warned = True

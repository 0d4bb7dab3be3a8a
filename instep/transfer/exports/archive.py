"""Writes an export atomically, as a folder or as a ZIP file whose bytes depend only on the content."""

import os
import shutil
import tempfile
import zipfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import IO, cast

from instep.content.files.storage import Storages
from instep.platform.core.database import Database
from instep.platform.core.errors import InvalidRequest, Unusable
from instep.transfer.exports.actions import Export, read_parts
from instep.transfer.exports.file_contents import MANIFEST_FILE

# Called after each file.
Advance = Callable[[], None]
# The earliest time that a ZIP file can represent. With the time of the export, no two would be equal.
ZIP_TIME = (1980, 1, 1, 0, 0, 0)
UNIX = 3
FILE_MODE = 0o644


class Sink:
    """Collects what `zipfile` writes, strictly forward, and hands it on in pieces."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []

    def write(self, data: bytes, /) -> int:
        self.pieces.append(bytes(data))
        return len(data)

    def flush(self) -> None:
        """Does nothing: nothing is buffered."""

    def take(self) -> bytes:
        data = b"".join(self.pieces)
        self.pieces.clear()
        return data


async def zip_pieces(
    export: Export, database: Database, storages: Storages, advance: Advance = lambda: None
) -> AsyncIterator[bytes]:
    """The bytes of the ZIP file, in pieces, as they are produced."""
    sink = Sink()
    # Without `seek` and `tell` the library writes a stream (APPNOTE, section 4.4.4, bit 3).
    with zipfile.ZipFile(cast("IO[bytes]", sink), "w") as archive:
        async for path, pieces in read_parts(export, database, storages):
            with archive.open(zip_entry(path), "w", force_zip64=True) as entry:
                async for piece in pieces:
                    entry.write(piece)
                    yield sink.take()
            advance()
            yield sink.take()
    yield sink.take()


def zip_entry(path: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(path, ZIP_TIME)
    entry.create_system = UNIX
    entry.external_attr = FILE_MODE << 16
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


async def write_export(
    export: Export, database: Database, storages: Storages, target: Path, advance: Advance
) -> int:
    """Write a ZIP file if the name ends in `.zip`, otherwise a folder. Returns the number of bytes.

    It is written next to the target under another name, and renamed when it is complete. A ZIP file replaces
    any file, a folder only an earlier export. Raises `Unusable` if nothing can be written.
    """
    write = write_zip if target.suffix.lower() == ".zip" else write_folder
    try:
        return await write(export, database, storages, target, advance)
    except OSError as error:
        raise Unusable(f"{target} can't be written: {error.strerror or error}.") from None


async def write_zip(
    export: Export, database: Database, storages: Storages, target: Path, advance: Advance
) -> int:
    if target.is_dir():
        raise InvalidRequest(f"{target} is a folder: enter the name of a .zip file.")
    descriptor, temporary = tempfile.mkstemp(".part", f".{target.name}-", parent_of(target))
    try:
        with os.fdopen(descriptor, "wb") as file:
            async for piece in zip_pieces(export, database, storages, advance):
                file.write(piece)
            size = file.tell()
        Path(temporary).chmod(FILE_MODE)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise
    return size


async def write_folder(
    export: Export, database: Database, storages: Storages, target: Path, advance: Advance
) -> int:
    refuse_foreign_folder(target)
    temporary = Path(tempfile.mkdtemp(".part", f".{target.name}-", parent_of(target)))
    try:
        temporary.chmod(0o755)
        size = 0
        async for path, pieces in read_parts(export, database, storages):
            file = temporary / path
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("wb") as opened:
                async for piece in pieces:
                    size += opened.write(piece)
            advance()
        take_place(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    return size


def refuse_foreign_folder(target: Path) -> None:
    """Refuse to replace anything other than an export, and a folder with a git history."""
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise InvalidRequest(f"{target} is not a folder: enter a new folder or a .zip file.")
    if not target.exists() or not any(target.iterdir()):
        return
    if not (target / MANIFEST_FILE).is_file() or (target / ".git").exists():
        raise InvalidRequest(
            f"{target} contains something other than an earlier export: enter a new folder or a .zip file."
        )


def take_place(temporary: Path, target: Path) -> None:
    """Rename the complete folder to the target, then remove the earlier export."""
    if not target.exists():
        temporary.rename(target)
        return
    earlier = Path(tempfile.mkdtemp(".old", f".{target.name}-", parent_of(target)))
    target.rename(earlier / target.name)
    try:
        temporary.rename(target)
    except OSError:
        (earlier / target.name).rename(target)
        raise
    finally:
        if target.exists():
            shutil.rmtree(earlier)


def parent_of(target: Path) -> Path:
    """The target's parent folder, which is on the same file system as the target."""
    parent = target.absolute().parent
    parent.mkdir(parents=True, exist_ok=True)
    return parent

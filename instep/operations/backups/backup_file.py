"""The file of a backup: a ZIP file whose comment, its last bytes, is the SHA-256 of the whole file.

The digest is computed as if its own 64 characters were zeros. So every byte of the file counts, a truncated
file has no digest, and any unzip program can open it. The parts are written and read as streams.
"""

import hashlib
import json
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile
from zlib import error as ZlibError

from pydantic import ValidationError

from instep.operations.backups.errors import BackupRefused
from instep.operations.backups.manifest import FORMAT, MANIFEST, Manifest, Part, TablePart
from instep.platform.core import limits

COMPRESSION_LEVEL = 4
COMMENT = b"Instep backup, SHA-256 "
DIGEST_CHARACTERS = 64
BLANK_DIGEST = b"0" * DIGEST_CHARACTERS
# The end of central directory record (PKWARE APPNOTE 6.3.10, section 4.3.16), before the comment.
END_RECORD = struct.Struct("<4s4H2LH")
READ_BYTES = 256 * 1024


class DigestedStream:
    """A file that is written sequentially and digested while it is written."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.digest = hashlib.sha256()
        self.is_abandoned = False

    def write(self, data: bytes, /) -> int:
        if self.is_abandoned:
            return len(data)
        self.digest.update(data)
        return self.file.write(data)

    def flush(self) -> None:
        if not self.is_abandoned:
            self.file.flush()

    def close(self) -> None:
        """Do nothing: the opener of the file closes it."""


class PartWriter:
    """A part that is being written; `part` describes it afterwards."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file = file
        self.bytes = 0
        self.lines = 0
        self.digest = hashlib.sha256()
        self.pieces: list[bytes] = []
        self.waiting_bytes = 0

    def write(self, data: bytes) -> None:
        """Add bytes; small pieces are compressed together."""
        self.pieces.append(data)
        self.waiting_bytes += len(data)
        if self.waiting_bytes >= READ_BYTES:
            self.flush()

    def flush(self) -> None:
        data = b"".join(self.pieces)
        self.pieces, self.waiting_bytes = [], 0
        self.bytes += len(data)
        self.lines += data.count(b"\n")
        self.digest.update(data)
        self.file.write(data)

    @property
    def sha256(self) -> str:
        return self.digest.hexdigest()


class ArchiveWriter:
    """Writes the parts of a backup one by one, and the manifest last."""

    def __init__(self, file: BinaryIO) -> None:
        self.file = file
        self.stream = DigestedStream(file)
        self.zip = ZipFile(self.stream, "w", ZIP_DEFLATED, compresslevel=COMPRESSION_LEVEL)
        self.zip.comment = COMMENT + BLANK_DIGEST

    def abandon(self) -> None:
        """Stop writing: the library would otherwise write the end of the file when it is deleted."""
        self.stream.is_abandoned = True
        self.zip.close()

    @contextmanager
    def part(self, name: str) -> Iterator[PartWriter]:
        with self.zip.open(name, "w", force_zip64=True) as file:
            writer = PartWriter(file)
            yield writer
            writer.flush()

    def finish(self, manifest: Manifest) -> None:
        self.zip.writestr(MANIFEST, manifest.model_dump_json(indent=2))
        self.zip.close()
        self.file.seek(-DIGEST_CHARACTERS, os.SEEK_END)
        self.file.write(self.stream.digest.hexdigest().encode())


class Archive:
    """A backup whose every byte has been checked."""

    def __init__(self, file: BinaryIO, contents: ZipFile, manifest: Manifest) -> None:
        self.file = file
        self.zip = contents
        self.manifest = manifest

    def read(self, part: Part, name: str) -> Iterator[bytes]:
        """The bytes of a part in pieces; raises `BackupRefused` at its end if the digest differs."""
        digest, count = hashlib.sha256(), 0
        try:
            with self.zip.open(name) as file:
                # Unpack no more than declared, and one byte to detect more.
                while piece := file.read(min(READ_BYTES, part.bytes - count + 1)):
                    count += len(piece)
                    if count > part.bytes:
                        break
                    digest.update(piece)
                    yield piece
        except (BadZipFile, ZlibError, EOFError, OSError, NotImplementedError, RuntimeError) as error:
            raise damage(f"{name} can't be unpacked: {error}") from None
        if count != part.bytes or digest.hexdigest() != part.sha256:
            raise damage(f"{name} is not what the manifest says")


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open a backup and check all of it: the digest of the file, the manifest, and each part against it.

    Raises `BackupRefused`.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise BackupRefused(f"{path} can't be read: {error.strerror}.") from None
    with file:
        if not file.seekable():
            raise BackupRefused(f"{path} can't be read in any order, as a pipe: name a file.")
        check_digest(file)
        try:
            contents = ZipFile(file)
        except (BadZipFile, ValueError, NotImplementedError) as error:
            raise damage(str(error)) from None
        with contents:
            archive = Archive(file, contents, read_manifest(contents))
            check_parts(archive)
            yield archive


def check_digest(file: BinaryIO) -> None:
    """Refuse a file that does not end with its digest, or whose digest differs."""
    size = file.seek(0, os.SEEK_END)
    tail = END_RECORD.size + len(COMMENT) + DIGEST_CHARACTERS
    if size < tail:
        raise BackupRefused("The file is not a backup of Instep, or it is incomplete: use another one.")
    file.seek(size - tail)
    end = file.read(tail)
    if end[END_RECORD.size : -DIGEST_CHARACTERS] != COMMENT:
        raise BackupRefused("The file is not a backup of Instep, or it is incomplete: use another one.")
    _, _, _, _, entries, directory_bytes, _, _ = END_RECORD.unpack(end[: END_RECORD.size])
    file.seek(0)
    digest = hashlib.sha256()
    left = size - DIGEST_CHARACTERS
    while left and (piece := file.read(min(READ_BYTES, left))):
        digest.update(piece)
        left -= len(piece)
    digest.update(BLANK_DIGEST)
    if digest.hexdigest().encode() != end[-DIGEST_CHARACTERS:]:
        raise damage("its digest does not match")
    if entries > limits.MAX_BACKUP_PARTS or directory_bytes > limits.MAX_BACKUP_DIRECTORY_BYTES:
        raise damage("it has more parts than a backup has")


def read_manifest(contents: ZipFile) -> Manifest:
    """The manifest; raises unless the ZIP file contains exactly the parts that it names."""
    entries = contents.infolist()
    sizes = {entry.filename: entry.file_size for entry in entries}
    if len(sizes) < len(entries) or sum(entry.compress_size for entry in entries) > file_bytes(contents):
        raise damage("its parts overlap")
    if sizes.get(MANIFEST, limits.MAX_BACKUP_DIRECTORY_BYTES + 1) > limits.MAX_BACKUP_DIRECTORY_BYTES:
        raise damage("it has no manifest")
    try:
        with contents.open(MANIFEST) as file:
            text = file.read(limits.MAX_BACKUP_DIRECTORY_BYTES + 1)
        found_format = json.loads(text)["format"]
    except (BadZipFile, ZlibError, EOFError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise damage(f"its manifest can't be read: {error}") from None
    if found_format != FORMAT:
        raise BackupRefused(
            f"The backup has the format {found_format}, which this version of Instep does not know: restore "
            "it with the version that made it, or a newer one."
        )
    try:
        manifest = Manifest.model_validate_json(text)
    except ValidationError as error:
        raise damage(f"its manifest can't be read: {error.errors()[0]['msg']}") from None
    names = [part.name for part in manifest.parts]
    if sorted([*names, MANIFEST]) != sorted(sizes):
        raise damage("it does not have the parts that its manifest names")
    return manifest


def file_bytes(contents: ZipFile) -> int:
    assert contents.fp is not None, "the file is open"
    return contents.fp.seek(0, os.SEEK_END)


def check_parts(archive: Archive) -> None:
    for part in archive.manifest.parts:
        lines = sum(piece.count(b"\n") for piece in archive.read(part, part.name))
        if isinstance(part, TablePart) and lines != part.rows:
            raise damage(f"{part.name} does not have the rows that the manifest says")


def damage(reason: str) -> BackupRefused:
    return BackupRefused(f"The backup is damaged ({reason}): use another one. Nothing was changed.")

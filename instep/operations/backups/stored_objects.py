"""The files of a bucket or folder in a backup: one record after the other.

A record is a line of JSON with the workspace, the key and the number of bytes, followed by these bytes.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from threading import Event
from typing import Any

import obstore
from obstore.exceptions import BaseError
from obstore.store import ObjectStore

from instep.content.files.storage import CHUNK_BYTES, path_of
from instep.operations.backups.backup_file import PartWriter, damage
from instep.operations.backups.errors import BackupFailed, RestoreFailed, Stopped
from instep.operations.backups.tables import Connection

MAX_HEAD_BYTES = 1_000
READ_BYTES = 1024 * 1024
NAME = re.compile(r"[A-Za-z0-9_-]{1,100}")

LISTED = """
    select workspace_id, key from stored_objects where location = 'bucket' and removable_at is null
    order by workspace_id, key
"""


@dataclass(frozen=True, slots=True)
class ObjectHead:
    """The head of a record."""

    workspace_id: str
    key: str
    bytes: int


@dataclass(slots=True)
class ObjectCounts:
    """The numbers of objects that a backup contains, and that the storage had lost."""

    count: int = 0
    missing: int = 0


def write_objects(
    connection: Connection, bucket: ObjectStore | None, part: PartWriter, stop: Event
) -> ObjectCounts:
    """Copy the files' objects from the bucket into the backup; raises `BackupFailed`, and `Stopped`."""
    counts = ObjectCounts()
    with connection.cursor("objects_to_back_up") as cursor:
        for workspace_id, key in cursor.execute(LISTED):
            if bucket is None:
                raise BackupFailed("There are files in a bucket or folder: set INSTEP_FILES to it.")
            if stop.is_set():
                raise Stopped
            write_object(bucket, workspace_id, key, part, counts)
    return counts


def write_object(
    bucket: ObjectStore, workspace_id: str, key: str, part: PartWriter, counts: ObjectCounts
) -> None:
    try:
        found_object = obstore.get(bucket, path_of(workspace_id, key))
        size = found_object.meta["size"]
        part.write(json.dumps({"workspace": workspace_id, "key": key, "bytes": size}).encode() + b"\n")
        for piece in found_object.stream(min_chunk_size=READ_BYTES):
            part.write(bytes(piece))
    except FileNotFoundError:
        counts.missing += 1
    except (BaseError, OSError) as error:
        raise BackupFailed(f"INSTEP_FILES can't be read: {str(error).partition(chr(10))[0]}.") from None
    else:
        counts.count += 1


class ObjectReader:
    """Reads the records of a part in order; read the bytes of one before the next one's head."""

    def __init__(self, pieces: Iterator[bytes]) -> None:
        self.pieces = pieces
        self.buffer = bytearray()

    def heads(self) -> Iterator[ObjectHead]:
        while self.fill(1):
            yield self.head()

    def head(self) -> ObjectHead:
        while b"\n" not in self.buffer:
            if len(self.buffer) > MAX_HEAD_BYTES or not self.fill(len(self.buffer) + 1):
                raise damage("a file has no head")
        line, _, rest = self.buffer.partition(b"\n")
        self.buffer = rest
        return head_of(line)

    def content(self, size: int) -> Iterator[bytes]:
        """The content of an object of this size; each piece but the last has `CHUNK_BYTES`."""
        while size:
            piece_bytes = min(size, CHUNK_BYTES)
            if not self.fill(piece_bytes):
                raise damage("a file is cut off")
            yield bytes(self.buffer[:piece_bytes])
            del self.buffer[:piece_bytes]
            size -= piece_bytes

    def fill(self, size: int) -> bool:
        """Read until the buffer holds this many bytes; False at the end."""
        while len(self.buffer) < size:
            piece = next(self.pieces, b"")
            if not piece:
                return False
            self.buffer += piece
        return True


def head_of(line: bytes | bytearray) -> ObjectHead:
    try:
        fields: dict[str, Any] = json.loads(line)
        head = ObjectHead(fields["workspace"], fields["key"], int(fields["bytes"]))
    except (ValueError, KeyError, TypeError, RecursionError):
        raise damage("a file has no head") from None
    # The names become a path in the storage.
    if not (NAME.fullmatch(str(head.workspace_id)) and NAME.fullmatch(str(head.key)) and head.bytes >= 0):
        raise damage("a file has a name that Instep gives to none")
    return head


def load_objects(connection: Connection, bucket: ObjectStore | None, pieces: Iterator[bytes]) -> None:
    """Store the objects where new files go: in the bucket of `INSTEP_FILES`, or in the database."""
    reader = ObjectReader(pieces)
    for head in reader.heads():
        content = reader.content(head.bytes)
        if bucket is None:
            load_into_database(connection, head, content)
        else:
            load_into_bucket(bucket, head, content)


def load_into_database(connection: Connection, head: ObjectHead, content: Iterator[bytes]) -> None:
    connection.execute(
        "update stored_objects set location = 'database' where key = %s and workspace_id = %s",
        [head.key, head.workspace_id],
    )
    for number, chunk in enumerate(content):
        connection.execute(
            "insert into object_chunks (workspace_id, key, number, data) values (%s, %s, %s, %b)",
            [head.workspace_id, head.key, number, chunk],
        )


def load_into_bucket(bucket: ObjectStore, head: ObjectHead, content: Iterator[bytes]) -> None:
    try:
        obstore.put(bucket, path_of(head.workspace_id, head.key), content)
    except (BaseError, OSError) as error:
        raise RestoreFailed(f"INSTEP_FILES can't be written: {str(error).partition(chr(10))[0]}.") from None

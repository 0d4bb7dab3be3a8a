"""Erasure marks next to the backups, so that restoring an older backup repeats them (GDPR, article 17).

Each mark is a separate file in a folder `erasures`: no two processes write to the same one, and the files of
several folders can be copied together. They contain hashes, but no addresses or identifiers.
"""

from datetime import datetime
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from instep.operations.backups.destinations import Destination, open_folder, scheduled_destination
from instep.operations.backups.errors import RestoreRefused
from instep.platform.core import limits
from instep.platform.core.settings import Settings
from instep.visitors.privacy.erasure_marks import ErasureMark

FOLDER = "erasures"

Hexadecimal = Annotated[str, Field(pattern=r"^([0-9a-f]{2})*$", max_length=64)]


class MarkFile(BaseModel):
    """The content of one file; the bytes are in hexadecimal."""

    model_config = ConfigDict(extra="forbid")

    id: Annotated[str, Field(pattern=r"^era_[0-9a-z]{1,40}$")]
    workspace_id: str
    salt: Hexadecimal
    email_hash: Hexadecimal | None
    visitor_hashes: list[Hexadecimal]
    created_at: datetime

    @property
    def mark(self) -> ErasureMark:
        return ErasureMark(
            self.id,
            self.workspace_id,
            bytes.fromhex(self.salt),
            None if self.email_hash is None else bytes.fromhex(self.email_hash),
            [bytes.fromhex(text) for text in self.visitor_hashes],
            self.created_at,
        )


def write_marks(destination: Destination, marks: list[ErasureMark]) -> int:
    """Write the missing marks; return how many."""
    present = {path for path, _ in destination.list_objects(FOLDER)}
    missing = [mark for mark in marks if path_of_mark(mark) not in present]
    for mark in missing:
        destination.put(path_of_mark(mark), as_file(mark).model_dump_json().encode())
    return len(missing)


def path_of_mark(mark: ErasureMark) -> str:
    return f"{FOLDER}/{mark.id}.json"


def as_file(mark: ErasureMark) -> MarkFile:
    return MarkFile(
        id=mark.id,
        workspace_id=mark.workspace_id,
        salt=mark.salt.hex(),
        email_hash=None if mark.email_hash is None else mark.email_hash.hex(),
        visitor_hashes=[visitor_hash.hex() for visitor_hash in mark.visitor_hashes],
        created_at=mark.created_at,
    )


def read_ledgers(settings: Settings, backup: Path) -> list[ErasureMark]:
    """The marks next to a backup, next to scheduled backups, and in the data folder, without duplicates."""
    destinations = [scheduled_destination(settings)] if settings.backups else []
    destinations += [
        open_folder(folder.absolute(), str(folder))
        for folder in (settings.data_dir, backup.parent)
        if (folder / FOLDER).is_dir()
    ]
    marks = {mark.id: mark for destination in destinations for mark in read_marks(destination)}
    return [marks[mark_id] for mark_id in sorted(marks)]


def read_marks(destination: Destination) -> list[ErasureMark]:
    """All marks stored there; raises `RestoreRefused` if one can't be read."""
    marks = []
    for path, size in destination.list_objects(FOLDER):
        if not path.endswith(".json"):
            continue
        if size > limits.MAX_ERASURE_MARK_BYTES:
            raise unreadable(path)
        try:
            marks.append(MarkFile.model_validate_json(destination.get(path)).mark)
        except ValidationError:
            raise unreadable(path) from None
    return marks


def unreadable(path: str) -> RestoreRefused:
    return RestoreRefused(
        f"{path} is not a record of an erasure, or it is damaged: use another copy of it, or move it away."
    )

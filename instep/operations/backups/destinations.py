"""The storage of backups and erasure marks: a folder or a bucket."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from urllib.parse import unquote, urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore

from instep.content.files.storage import open_bucket
from instep.operations.backups.errors import BackupFailed
from instep.platform.core.errors import Unusable
from instep.platform.core.settings import Settings

SETTING = "INSTEP_BACKUPS"
NAME = re.compile(r"instep-[0-9]{8}T[0-9]{6}Z\.zip")


@dataclass(frozen=True, slots=True)
class Destination:
    """A folder, or a bucket without a local folder; `setting` is the setting that names it."""

    store: ObjectStore
    folder: Path | None
    setting: str

    def list_names(self) -> list[str]:
        """The names of scheduled backups, oldest first."""
        return sorted(path for path, _ in self.list_objects() if NAME.fullmatch(path))

    def list_objects(self, prefix: str | None = None) -> list[tuple[str, int]]:
        """Paths and sizes in bytes."""
        with self.translated_errors("read"):
            return [
                (item["path"], item["size"]) for page in obstore.list(self.store, prefix) for item in page
            ]

    def get(self, path: str) -> bytes:
        with self.translated_errors("read"):
            return bytes(obstore.get(self.store, path).bytes())

    def put(self, path: str, content: bytes | Path) -> None:
        with self.translated_errors("written"):
            obstore.put(self.store, path, content)

    def remove(self, path: str) -> None:
        with self.translated_errors("written"):
            obstore.delete(self.store, path)

    @contextmanager
    def translated_errors(self, verb: str) -> Iterator[None]:
        try:
            yield
        except (BaseError, OSError) as error:
            reason = str(error).partition("\n")[0].rstrip(".")
            raise BackupFailed(f"{self.setting} can't be {verb}: {reason}.") from None


def backup_name(moment: datetime) -> str:
    """The name of a scheduled backup; names sort by time."""
    return f"instep-{moment:%Y%m%dT%H%M%SZ}.zip"


def scheduled_destination(settings: Settings) -> Destination:
    """The destination of scheduled backups, which a setting names."""
    assert settings.backups is not None, "the caller has looked whether backups are scheduled"
    url = urlsplit(settings.backups)
    if url.scheme == "file":
        return open_folder(Path(unquote(url.path)), SETTING)
    return Destination(open_bucket(settings.backups, SETTING), None, SETTING)


def erasures_destination(settings: Settings) -> Destination:
    """The destination of erasure marks: next to scheduled backups, or else the data folder."""
    if settings.backups:
        return scheduled_destination(settings)
    # The account of the embedded PostgreSQL enters the data folder too.
    return open_folder(settings.data_dir, "INSTEP_DATA_DIR", 0o755)


def open_folder(folder: Path, setting: str, mode: int = 0o700) -> Destination:
    """A folder, created if it is missing, by default for its owner only."""
    try:
        folder.mkdir(mode=mode, parents=True, exist_ok=True)
        return Destination(LocalStore(folder), folder, setting)
    except (OSError, BaseError) as error:
        raise Unusable(f"{setting} can't be used: {error}.") from None

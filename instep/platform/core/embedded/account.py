"""The system account for PostgreSQL, which refuses to run as root."""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from instep.platform.core.embedded.errors import DatabaseUnavailable


@dataclass(frozen=True)
class Account:
    """A system account; `is_borrowed` if it is not the account of this process."""

    name: str
    uid: int
    gid: int
    is_borrowed: bool

    @property
    def process_options(self) -> dict[str, Any]:
        """The `subprocess` arguments that run a program under this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.is_borrowed else {}

    def give_to(self, path: Path) -> None:
        """Change the owner of a file or folder to this account."""
        if self.is_borrowed:
            os.chown(path, self.uid, self.gid, follow_symlinks=False)

    def obstacle(self, path: Path) -> Path | None:
        """The first folder above `path`, or `path` itself, that this account can't enter."""
        if not self.is_borrowed:
            return None
        folders = [*reversed(path.parents), path]
        return next((folder for folder in folders if not self._may_enter(folder.stat())), None)

    def _may_enter(self, status: os.stat_result) -> bool:
        if status.st_uid == self.uid:
            return bool(status.st_mode & stat.S_IXUSR)
        if status.st_gid == self.gid:
            return bool(status.st_mode & stat.S_IXGRP)
        return bool(status.st_mode & stat.S_IXOTH)


def account_for(pgdata: Path) -> Account:
    """The account of this process; for root the cluster's owner, else `postgres`, else `nobody`."""
    if os.geteuid() != 0:
        uid = os.geteuid()
        return Account(str(uid), uid, os.getegid(), is_borrowed=False)
    if pgdata.exists() and (owner := pgdata.stat()).st_uid != 0:
        return Account(str(owner.st_uid), owner.st_uid, owner.st_gid, is_borrowed=True)
    for name in ("postgres", "nobody"):
        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            continue
        return Account(name, entry.pw_uid, entry.pw_gid, is_borrowed=True)
    raise DatabaseUnavailable(
        "PostgreSQL does not run as root, and this system has neither a user `postgres` nor `nobody`: "
        "run Instep as a normal user, or set INSTEP_DATABASE_URL to your own database."
    )

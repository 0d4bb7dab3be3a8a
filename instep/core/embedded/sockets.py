"""The private folder of the server's unix socket."""

import hashlib
import os
import stat
import sys
from pathlib import Path

from instep.core.embedded.account import Account
from instep.core.embedded.errors import DatabaseUnavailable

NAME = ".s.PGSQL.5432"
LONGEST = 103 if sys.platform == "darwin" else 107


def socket_folder(data_dir: Path) -> Path:
    """In the data folder where the path fits into a socket address, else under /tmp.

    Not the TMPDIR of the moment: all processes on one data folder have to arrive at the same place.
    """
    inside = data_dir / "postgres-run"
    if len(os.fsencode(inside / NAME)) <= LONGEST:
        return inside
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:20]
    return Path("/tmp") / f"instep-{digest}"


def prepare(folder: Path, account: Account) -> None:
    """Make the folder, or check that the one found is nobody else's: whoever gets in is superuser."""
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid in (os.geteuid(), account.uid)
    if not is_ours or stat.S_IMODE(found.st_mode) & 0o077:
        raise DatabaseUnavailable(
            f"{folder}, where the database's socket belongs, is not a private folder of ours: remove it, "
            "or set INSTEP_DATA_DIR to another (shorter) path."
        )
    account.own(folder)

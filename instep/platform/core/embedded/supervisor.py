"""The embedded PostgreSQL, which any number of processes share."""

import os
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from instep.platform.core.embedded.errors import DatabaseUnavailable

if sys.platform != "win32":
    from instep.platform.core.embedded import lifecycle, locks, wire
    from instep.platform.core.embedded.cluster import NAME, Cluster


class EmbeddedPostgres:
    """A share of the server on one data folder; the last process to close its share stops the server.

    A process starts or stops the server only while it holds the start lock. Every user of the server holds
    a shared lock on another file.
    """

    def __init__(self, cluster: "Cluster", timeout: float) -> None:
        self._cluster = cluster
        self._timeout = timeout
        self._start_lock = cluster.data_dir / "postgres.lock"
        self._users = cluster.data_dir / "postgres.users"
        self._share: int | None = None
        self._pid = os.getpid()

    @classmethod
    def attach(
        cls,
        data_dir: Path,
        *,
        timeout: float = 600,
        settings: Mapping[str, str] | None = None,
        bin_dir: Path | None = None,
    ) -> Self:
        """Start the cluster in `data_dir/postgres`, or join the running one; returns when it is ready.

        `settings` apply only if this process starts the server.
        """
        if sys.platform == "win32":
            raise DatabaseUnavailable(
                "Instep can't run PostgreSQL on Windows: set INSTEP_DATABASE_URL to your own database."
            )
        database = cls(Cluster(data_dir.resolve(), settings or {}, bin_dir), timeout)
        with _os_errors_explained(database._cluster):
            # PostgreSQL runs as another user than root and must be able to enter this folder.
            mode = 0o711 if os.geteuid() == 0 else 0o700
            database._cluster.data_dir.mkdir(mode, parents=True, exist_ok=True)
            database._join()
        return database

    @property
    def url(self) -> str:
        folder = quote(str(self._cluster.socket.parent), safe="/")
        return f"postgresql://{NAME}@/{NAME}?host={folder}&port=5432"

    def ensure_running(self) -> None:
        """Restart the server if it has crashed; cheap if it has not."""
        if self._share is None:
            raise DatabaseUnavailable("The database has been closed by this process: attach to it again.")
        if self._cluster.answer() == wire.READY:
            return
        deadline = time.monotonic() + self._timeout
        with _os_errors_explained(self._cluster), locks.exclusive(self._start_lock, deadline) as start_lock:
            lifecycle.bring_up(self._cluster, start_lock, deadline)

    def close(self) -> None:
        """Release the share, and stop the server if no other process has one."""
        # A forked child must not stop the server of its parent.
        if self._share is None or self._pid != os.getpid():
            return
        deadline = time.monotonic() + lifecycle.STOP_SECONDS
        # If the start lock is not free in time, the next process to close its share stops the server.
        with suppress(DatabaseUnavailable, OSError), locks.exclusive(self._start_lock, deadline):
            self._give_back()
            if locks.is_free(self._users):
                lifecycle.stop(self._cluster)
        self._give_back()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _join(self) -> None:
        deadline = time.monotonic() + self._timeout
        with locks.exclusive(self._start_lock, deadline) as start_lock:
            self._share = locks.hold_shared(self._users)
            try:
                lifecycle.bring_up(self._cluster, start_lock, deadline)
            except BaseException:
                # The server keeps running, so that a long recovery continues until the next process joins.
                self._give_back()
                raise

    def _give_back(self) -> None:
        share, self._share = self._share, None
        if share is not None:
            locks.drop(share)


@contextmanager
def _os_errors_explained(cluster: "Cluster") -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise DatabaseUnavailable(
            f"The database in {cluster.data_dir} can't be used ({error}): run Instep as the owner of that "
            "folder, or set INSTEP_DATA_DIR to another one."
        ) from error

"""Runs the web server on listening sockets, in this process or in several."""

import os
import signal
import socket
import sys
from collections.abc import Callable
from multiprocessing import parent_process
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

import structlog
import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from instep.platform.web.protocol import SERVER

log = structlog.get_logger()


class ServerProcesses(Multiprocess):
    """The library's supervisor, which closes its sockets before it stops its processes.

    If it held copies, the kernel would complete connections that no process accepts.
    """

    def terminate_all(self) -> None:
        for listener in self.sockets:
            listener.close()
        super().terminate_all()

    def keep_subprocess_alive(self) -> None:
        before = list(self.processes)
        super().keep_subprocess_alive()
        for process in before:
            if process not in self.processes:
                log.error("a server process has ended and is replaced", pid=process.pid, **end_of(process))


def end_of(process: Process) -> dict[str, Any]:
    """The exit code, or the name of the signal that ended the process, such as the OOM killer's."""
    code = process.exitcode or 0
    return {"signal": signal.Signals(-code).name} if code < 0 else {"exit_code": code}


def run_server(app: str | Callable[[], Any], sockets: list[socket.socket], processes: int = 1) -> None:
    """Serve until a signal. `app` makes the application; for several processes it is an import string."""
    # Uvicorn's own lines about its start are left out: `web.ready` prints one instead.
    if processes > 1:
        with TemporaryDirectory(prefix="instep-metrics-") as folder:
            # Metrics are kept in files there, so that each process can report the numbers of all.
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
            serve(app, sockets, processes)
    else:
        serve(app, sockets, processes)


def stop_with_supervisor() -> None:
    """In one of several server processes: stop as by SIGTERM when the supervisor is gone.

    A killed supervisor stops no process, and they would block the port for the next `instep serve`.
    """
    supervisor = parent_process()
    if supervisor is None:
        return

    def outlive() -> None:
        supervisor.join()
        os.kill(os.getpid(), signal.SIGTERM)

    Thread(target=outlive, daemon=True).start()


def serve(app: str | Callable[[], Any], sockets: list[socket.socket], processes: int) -> None:
    """Serve on these sockets until a signal; exits with 1 if the start fails."""
    config = uvicorn.Config(app, workers=processes, log_level="warning", **SERVER)
    try:
        if processes > 1:
            ServerProcesses(config, sockets).run()
        else:
            uvicorn.Server(config).run(sockets)
    except SystemExit as end:
        # Uvicorn's exit code for a failed start means pending drafts in `instep change`, so it is replaced.
        sys.exit(1 if end.code == STARTUP_FAILURE else end.code)

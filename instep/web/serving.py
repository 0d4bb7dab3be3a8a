"""Runs the web server on listening sockets, in this process or in several."""

import os
import socket
import sys
from collections.abc import Callable
from tempfile import TemporaryDirectory
from typing import Any

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess

from instep.web.protocol import SERVER


class ServerProcesses(Multiprocess):
    """The library's supervisor, which closes its sockets before it stops its processes.

    While it held copies, the kernel would complete connections that no process accepts.
    """

    def terminate_all(self) -> None:
        for listener in self.sockets:
            listener.close()
        super().terminate_all()


def run_server(app: str | Callable[[], Any], sockets: list[socket.socket], processes: int = 1) -> None:
    """Serve until a signal. `app` makes the application; for several processes it is an import string."""
    # Uvicorn's own lines about its start are left out: `web.ready` prints one instead.
    if processes > 1:
        with TemporaryDirectory(prefix="instep-metrics-") as folder:
            # Metrics are kept in files there, so that each process can tell the numbers of all.
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
            serve(app, sockets, processes)
    else:
        serve(app, sockets, processes)


def serve(app: str | Callable[[], Any], sockets: list[socket.socket], processes: int) -> None:
    config = uvicorn.Config(app, workers=processes, log_level="warning", **SERVER)
    try:
        if processes > 1:
            ServerProcesses(config, sockets).run()
        else:
            uvicorn.Server(config).run(sockets)
    except SystemExit as end:
        # Uvicorn's exit code for a failed start means pending drafts in `instep change`, so it is replaced.
        sys.exit(1 if end.code == STARTUP_FAILURE else end.code)

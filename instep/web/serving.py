"""Runs the web server on sockets that listen already, in this process or in several."""

import socket
import sys
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess

from instep.web.protocol import SERVER


class ServerProcesses(Multiprocess):
    """The library's supervisor, which lets go of the sockets before it stops its processes.

    While it held copies, the kernel would complete connections that nobody accepts any more.
    """

    def terminate_all(self) -> None:
        for listener in self.sockets:
            listener.close()
        super().terminate_all()


def run_server(app: str | Callable[[], Any], sockets: list[socket.socket], processes: int = 1) -> None:
    """Serve until a signal ends it. `app` makes the application; for several processes it is its address."""
    # What the server tells of its start stands in the line that says where Instep is to be found.
    config = uvicorn.Config(app, workers=processes, log_level="warning", **SERVER)
    try:
        if processes > 1:
            ServerProcesses(config, sockets).run()
        else:
            uvicorn.Server(config).run(sockets)
    except SystemExit as end:
        # Its own code for a start that failed is that of `instep change` for drafts that wait.
        sys.exit(1 if end.code == STARTUP_FAILURE else end.code)

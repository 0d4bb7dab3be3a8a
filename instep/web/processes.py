"""Several server processes on one listening socket, and how they stop."""

import uvicorn
from uvicorn.supervisors.multiprocess import Multiprocess


class ServerProcesses(Multiprocess):
    """The library's supervisor, which lets go of the socket before it stops its processes.

    While it held a copy, the kernel would complete connections that nobody accepts any more.
    """

    def terminate_all(self) -> None:
        for listener in self.sockets:
            listener.close()
        super().terminate_all()


def run_processes(config: uvicorn.Config) -> None:
    """Serve in `config.workers` processes until a signal asks to stop."""
    ServerProcesses(config, [config.bind_socket()]).run()

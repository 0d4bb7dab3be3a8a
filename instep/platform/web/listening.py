"""The sockets of a server, bound before anything else starts, so that a port in use is reported at once."""

import errno
import socket
from typing import Any

from instep.platform.core import limits
from instep.platform.core.errors import Unusable

LAST_PORT = 65_535
# A socket address: host and port, and two more values for IPv6.
Address = tuple[Any, ...]
# Wildcard addresses, and the loopback address that a browser on this machine can open instead.
OPENABLE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


class CanNotListen(Unusable):
    """The server can't listen on its address; the message says why and what to do."""


def listen(host: str, port: int) -> list[socket.socket]:
    """Listening sockets on all addresses of `host`; raises `CanNotListen`.

    They listen at once: two processes could bind the same port as long as neither listens.
    """
    if not 1 <= port <= LAST_PORT:
        raise CanNotListen(f"`--port` is {port}: it must be from 1 to {LAST_PORT}.")
    sockets: list[socket.socket] = []
    try:
        for family, address in addresses_of(host, port):
            sockets.append(listen_on(family, address))
    except OSError as error:
        close_all(sockets)
        raise CanNotListen(explain(error, host, port)) from None
    return sockets


def addresses_of(host: str, port: int) -> list[tuple[int, Address]]:
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    return list(dict.fromkeys((int(family), address) for family, *_, address in rows))


def listen_on(family: int, address: Address) -> socket.socket:
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        # Connections of a server that has just ended don't block the port for the next one.
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)
        # Connections wait to be accepted while the server is still starting.
        listener.listen(limits.BACKLOG_CONNECTIONS)
    except BaseException:
        listener.close()
        raise
    return listener


def close_all(sockets: list[socket.socket]) -> None:
    for listener in sockets:
        listener.close()


def explain(error: OSError, host: str, port: int) -> str:
    if error.errno == errno.EADDRINUSE:
        other = port + 1 if port < LAST_PORT else port - 1
        return f"Port {port} is in use: try `--port {other}`."
    if error.errno in (errno.EACCES, errno.EPERM):
        return f"Port {port} needs more rights than this user has: try `--port 8000`."
    return f"`--host` is {host}, where this machine can't listen ({error.strerror}): try `--host 127.0.0.1`."


def local_origin(host: str, port: int) -> str:
    """The URL that a browser on this machine opens."""
    name = OPENABLE.get(host, host)
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"

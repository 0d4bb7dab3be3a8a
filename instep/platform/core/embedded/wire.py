"""Just enough of the PostgreSQL protocol (version 3) to find out whether a server accepts sessions."""

import socket
import struct
from pathlib import Path
from typing import BinaryIO

PROTOCOL_3 = 196608
TERMINATE = b"X\0\0\0\4"
READY = "00000"
NO_SUCH_DATABASE = "3D000"
PROBE_SECONDS = 5.0
# SQLSTATEs of a server that starts, recovers or shuts down, or that ended during the probe.
NOT_READY = ("57P03", "57P01", "57P02")


def probe(path: Path, user: str, database: str) -> str | None:
    """The SQLSTATE of a new session: `READY` if it is accepted, or an error's; None without an answer."""
    parameters = b"".join(part.encode() + b"\0" for part in ("user", user, "database", database)) + b"\0"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            sock.settimeout(PROBE_SECONDS)
            sock.connect(str(path))
            sock.sendall(struct.pack("!ii", len(parameters) + 8, PROTOCOL_3) + parameters)
            with sock.makefile("rb") as stream:
                state = _read_state(stream)
            if state == READY:
                sock.sendall(TERMINATE)
            return state
    except OSError:
        return None


def _read_state(stream: BinaryIO) -> str | None:
    while len(head := stream.read(5)) == 5:
        kind, size = struct.unpack("!ci", head)
        body = stream.read(size - 4)
        if kind == b"Z":
            return READY
        if kind == b"E":
            return next((field[1:].decode() for field in body.split(b"\0") if field.startswith(b"C")), None)
    return None

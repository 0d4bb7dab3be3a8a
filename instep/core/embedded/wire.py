"""Just enough of the PostgreSQL protocol to ask a server whether it lets a session in."""

import socket
import struct
from pathlib import Path
from typing import BinaryIO

PROTOCOL_3 = 196608
GOODBYE = b"X\0\0\0\4"
LET_IN = "00000"
NO_SUCH_DATABASE = "3D000"
# Starting, recovering or shutting down; ended while we knocked.
NOT_NOW = ("57P03", "57P01", "57P02")


def probe(path: Path, user: str, database: str, timeout: float = 5) -> str | None:
    """The SQLSTATE that a new session gets, `LET_IN` when all is well, None when nobody answers."""
    words = b"".join(word.encode() + b"\0" for word in ("user", user, "database", database)) + b"\0"
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as sock:
            sock.settimeout(timeout)
            sock.connect(str(path))
            sock.sendall(struct.pack("!ii", len(words) + 8, PROTOCOL_3) + words)
            with sock.makefile("rb") as answers:
                state = _verdict(answers)
            if state == LET_IN:
                sock.sendall(GOODBYE)
            return state
    except OSError:
        return None


def _verdict(answers: BinaryIO) -> str | None:
    while len(head := answers.read(5)) == 5:
        kind, size = struct.unpack("!ci", head)
        body = answers.read(size - 4)
        if kind == b"Z":
            return LET_IN
        if kind == b"E":
            return next((f[1:].decode() for f in body.split(b"\0") if f.startswith(b"C")), None)
    return None

"""Connect to the first of several addresses that accepts (Happy Eyeballs, RFC 8305)."""

import asyncio
import socket
from collections.abc import Sequence
from itertools import zip_longest

from instep.platform.core import limits
from instep.platform.core.outbound.networks import Address

# The Connection Attempt Delay of RFC 8305, after which the next address is tried too.
ATTEMPT_DELAY_SECONDS = 0.25


class ConnectError(Exception):
    """All addresses refused the connection or can't be reached."""


async def connect(addresses: Sequence[Address], port: int) -> socket.socket:
    """Connect to the first address that accepts; raises `ConnectError`."""
    waiting = interleave_families(addresses)[: limits.MAX_ADDRESSES_TRIED]
    attempts = set[asyncio.Task[socket.socket | None]]()
    try:
        while waiting or attempts:
            if waiting:
                attempts.add(asyncio.create_task(try_connect(waiting.pop(0), port)))
            done, attempts = await asyncio.wait(
                attempts,
                timeout=ATTEMPT_DELAY_SECONDS if waiting else None,
                return_when=asyncio.FIRST_COMPLETED,
            )
            connections = [connection for task in done if (connection := task.result()) is not None]
            for spare in connections[1:]:
                spare.close()
            if connections:
                return connections[0]
    finally:
        for task in attempts:
            task.add_done_callback(close_late_socket)
            task.cancel()
    raise ConnectError


def interleave_families(addresses: Sequence[Address]) -> list[Address]:
    """Alternate between IPv6 and IPv4, because a whole family may be unreachable (RFC 8305 section 4)."""
    first = [address for address in addresses if address.version == addresses[0].version]
    second = [address for address in addresses if address.version != addresses[0].version]
    return [address for pair in zip_longest(first, second) for address in pair if address is not None]


async def try_connect(address: Address, port: int) -> socket.socket | None:
    candidate = socket.socket(socket.AF_INET if address.version == 4 else socket.AF_INET6)
    try:
        candidate.setblocking(False)
        candidate.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        # Otherwise the kernel would buffer megabytes from a server that sends more than is read.
        candidate.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, limits.MAX_RESPONSE_WIRE_BYTES)
        await asyncio.get_running_loop().sock_connect(candidate, (str(address), port))
    except OSError:
        candidate.close()
        return None
    except BaseException:
        candidate.close()
        raise
    return candidate


def close_late_socket(task: asyncio.Task[socket.socket | None]) -> None:
    late_socket = None if task.cancelled() else task.result()
    if late_socket is not None:
        late_socket.close()

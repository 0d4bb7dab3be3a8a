"""A DNS server on UDP for A, AAAA and TXT records, with as much of the protocol as a resolver needs."""

import asyncio
import struct
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from ipaddress import ip_address
from typing import cast

A, CNAME, TXT, AAAA = 1, 5, 16, 28
NO_SUCH_NAME = 3
# A response to a recursive query, with recursion available.
FLAGS = 0x8180
# A pointer to the name in the question.
SAME_NAME = 0xC00C
INTERNET = 1


@dataclass(frozen=True)
class Records:
    """The records of a name: addresses of either family, optionally through an alias, and texts."""

    addresses: Sequence[str] = ()
    alias: str | None = None
    code: int = 0
    texts: Sequence[str] = ()


# Maps a name and the number of earlier queries for this family to records; None means no reply.
Zone = Callable[[str, int], Records | None]


class NameServer(asyncio.DatagramProtocol):
    """Counts queries; a retransmitted query, after a late or unusable reply, counts once."""

    def __init__(self, zone: Zone) -> None:
        self.zone = zone
        self.questions = Counter[tuple[str, int]]()
        self.repeated = 0
        self.answers = dict[tuple[bytes, str, int], Records | None]()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        # In some versions of Python, the loop's UDP transport is not a subclass of DatagramTransport.
        self.transport = cast(asyncio.DatagramTransport, transport)

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        number = data[:2]
        name, kind, question = read_question(data)
        if (number, name, kind) in self.answers:
            self.repeated += 1
        else:
            self.answers[number, name, kind] = self.zone(name, self.questions[name, kind])
            self.questions[name, kind] += 1
        records = self.answers[number, name, kind]
        if records is not None:
            self.transport.sendto(answer(number, question, kind, records), addr)


def read_question(data: bytes) -> tuple[str, int, bytes]:
    """The name, the record type, and the raw question."""
    labels, at = [], 12
    while data[at]:
        labels.append(data[at + 1 : at + 1 + data[at]].decode())
        at += 1 + data[at]
    (kind,) = struct.unpack_from("!H", data, at + 1)
    return ".".join(labels).lower(), kind, data[12 : at + 5]


def answer(number: bytes, question: bytes, kind: int, records: Records) -> bytes:
    packed = [ip_address(text).packed for text in records.addresses]
    data_of_kind = [data for data in packed if kind in (A, AAAA) and (len(data) == 4) is (kind == A)]
    data_of_kind += [bytes([len(text)]) + text.encode() for text in records.texts if kind == TXT]
    owner = struct.pack("!H", SAME_NAME)
    answers = []
    if records.alias is not None:
        alias = pack_name(records.alias)
        answers.append(record(owner, CNAME, alias))
        owner = alias
    answers += [record(owner, kind, data) for data in data_of_kind]
    head = number + struct.pack("!HHHHH", FLAGS | records.code, 1, len(answers), 0, 0)
    return b"".join((head, question, *answers))


def record(owner: bytes, kind: int, data: bytes) -> bytes:
    """A record with a time to live of zero, so that it is never cached."""
    return owner + struct.pack("!HHIH", kind, INTERNET, 0, len(data)) + data


def pack_name(name: str) -> bytes:
    return b"".join(bytes([len(label)]) + label.encode() for label in name.split(".")) + b"\0"

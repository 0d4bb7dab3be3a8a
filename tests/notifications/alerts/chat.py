"""A fake server of the chat tools: real TLS on a local port, under the tools' real host names."""

import asyncio
import json
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from instep.platform.core.clock import utc_now
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.core.outbound.networks import Address
from instep.platform.core.outbound.urls import Url

HERE = ip_address("127.0.0.1")
OPEN = AllowList(networks=(ip_network("127.0.0.0/8"),))
NAMES = (
    "hooks.slack.com",
    "discord.com",
    "prod-12.westeurope.logic.azure.com",
    "default0a1b.0c.environment.api.powerplatform.com",
    "chat.example.com",
)
TAKEN = {
    "hooks.slack.com": b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok",
    "discord.com": b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n",
    "prod-12.westeurope.logic.azure.com": b"HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
}
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"

Behave = Callable[[asyncio.StreamWriter], Awaitable[None]]


@dataclass(frozen=True)
class Posted:
    """One request that the server received."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def host(self) -> str:
        return self.headers["host"].partition(":")[0]


@dataclass
class Chat:
    """The requests that the server received, and its scripted responses."""

    port: int = 0
    connections: int = 0
    posted: list[Posted] = field(default_factory=list)
    answer: bytes | None = None
    behave: Behave | None = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        with suppress(OSError, asyncio.IncompleteReadError):
            request = await read_request(reader)
            self.posted.append(request)
            if self.behave is not None:
                await self.behave(writer)
            else:
                writer.write(self.answer or TAKEN.get(request.host, OK))
                await writer.drain()
        writer.close()


async def read_request(reader: asyncio.StreamReader) -> Posted:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, target, _ = first.split(" ")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Posted(method, target, headers, body)


class Nearby(OutboundClient):
    """The outbound guard, with every name resolving to one address and every port mapped to the server's."""

    def __init__(self, port: int, allow: AllowList = OPEN, address: Address = HERE) -> None:
        async def look_up(host: str) -> list[Address]:
            self.names.append(host)
            return [address]

        super().__init__(allow, look_up)
        self.names: list[str] = []
        self.port = port

    async def reach(self, url: Url) -> socket.socket:
        return await super().reach(replace(url, port=self.port))


@dataclass(frozen=True)
class Authority:
    """Our own certificate authority and its certificate for the names."""

    file: Path
    server: ssl.SSLContext


def make_authority(folder: Path, names: tuple[str, ...] = NAMES) -> Authority:
    root_key, leaf_key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    root_name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "Tests")])
    root = certificate(root_name, root_key, root_key, x509.BasicConstraints(True, None))
    leaf_names = x509.SubjectAlternativeName([x509.DNSName(name) for name in names])
    leaf = certificate(root_name, root_key, leaf_key, leaf_names)
    file, chain = folder / "root.pem", folder / "leaf.pem"
    file.write_bytes(root.public_bytes(Encoding.PEM))
    key = leaf_key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    chain.write_bytes(key + leaf.public_bytes(Encoding.PEM))
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(chain)
    return Authority(file, server)


def certificate(
    issuer: x509.Name,
    issuer_key: ec.EllipticCurvePrivateKey,
    key: ec.EllipticCurvePrivateKey,
    extension: x509.ExtensionType,
) -> x509.Certificate:
    is_root = issuer_key is key
    builder = (
        x509.CertificateBuilder()
        .issuer_name(issuer)
        .subject_name(issuer if is_root else x509.Name([]))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(utc_now() - timedelta(days=1))
        .not_valid_after(utc_now() + timedelta(days=1))
        .add_extension(extension, critical=True)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer_key.public_key()), critical=False
        )
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
    )
    if is_root:
        builder = builder.add_extension(
            x509.KeyUsage(False, False, False, False, False, True, True, False, False), critical=True
        )
    return builder.sign(issuer_key, hashes.SHA256())


@asynccontextmanager
async def serving(authority: Authority) -> AsyncIterator[Chat]:
    chat = Chat()
    server = await asyncio.start_server(chat.serve, "127.0.0.1", 0, ssl=authority.server)
    chat.port = server.sockets[0].getsockname()[1]
    try:
        yield chat
    finally:
        server.close()

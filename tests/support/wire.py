"""A server on a real socket, and the exact bytes of its responses."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import uvicorn
from fastapi import FastAPI

from instep.app import put_into
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.platform.web.protocol import SERVER, StrictHttp
from instep.runtime import Runtime

SECONDS = 10


@dataclass
class Answer:
    """A response as received from the socket."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def code(self) -> str:
        assert self.headers["content-type"] == "application/json"
        return str(json.loads(self.body)["code"])


@asynccontextmanager
async def serving(
    app: FastAPI, database: Database, http: type[StrictHttp] = StrictHttp, **changed: object
) -> AsyncIterator[int]:
    """Serve the application as every server process does, and return its port.

    `changed` overrides the tests' settings.
    """
    used = settings().model_copy(update=changed)
    put_into(app, Runtime(used, database, b"a key for the cursors of the tests"))
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            port=0,
            lifespan="off",
            **SERVER | {"factory": False, "http": http, "log_level": "critical"},
        )
    )
    task = asyncio.create_task(server.serve())
    while not server.started:
        await asyncio.sleep(0)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        await task


async def send(port: int, *parts: bytes, source: str = "127.0.0.1") -> list[Answer]:
    """Send the parts from the address `source` and return all responses until the connection is closed."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    for part in parts:
        writer.write(part)
    answers = []
    async with asyncio.timeout(SECONDS):
        while answer := await read_answer(reader):
            answers.append(answer)
    writer.close()
    return answers


async def read_answer(reader: asyncio.StreamReader) -> Answer | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
    except (asyncio.IncompleteReadError, ConnectionResetError):
        return None
    headers = {name.lower(): value for name, _, value in (line.partition(": ") for line in head[1:] if line)}
    body = await reader.readexactly(int(headers["content-length"]))
    return Answer(int(head[0].split()[1]), headers, body)

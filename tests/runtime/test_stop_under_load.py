"""A server that is told to stop answers every request it has received, then ends."""

import asyncio
import json
import signal
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from tests.support.cast import Cast
from tests.support.installation import Installation, installed
from tests.support.wire import Answer, read_answer

CLIENTS = 20
# Answers per client before the server is told to stop.
ANSWERS_BEFORE = 5
END_SECONDS = 20


@dataclass
class Load:
    """Results of all clients so far."""

    answers: list[Answer] = field(default_factory=list)
    unanswered: int = 0


@pytest.fixture(scope="module")
def installation(database_url: str) -> Iterator[Installation]:
    with installed(INSTEP_DATABASE_URL=database_url) as new_installation:
        yield new_installation


@pytest.mark.parametrize("workers", [1, 2])
async def test_every_request_sent_is_answered_before_the_end(
    installation: Installation, cast: Cast, workers: int
) -> None:
    installation.key = cast.acme.write_key
    server = await asyncio.to_thread(installation.serve, "--no-jobs", "--workers", str(workers))
    load = Load()
    clients = [
        asyncio.create_task(ask(installation, load, number, keeps_alive=number % 2 == 0))
        for number in range(CLIENTS)
    ]
    async with asyncio.timeout(END_SECONDS):
        while len(load.answers) < CLIENTS * ANSWERS_BEFORE:
            await asyncio.wait(clients, timeout=0.01)
    answered_before = len(load.answers)

    server.send_signal(signal.SIGTERM)

    async with asyncio.timeout(END_SECONDS):
        await asyncio.gather(*clients)
        code = await asyncio.to_thread(server.wait)
    assert load.unanswered == 0
    assert {answer.status for answer in load.answers} <= {200, 201}
    assert len(load.answers) > answered_before
    assert code == 0


async def ask(installation: Installation, load: Load, client: int, *, keeps_alive: bool) -> None:
    """Read and write until the server stops listening, on one connection or a new one per request."""
    number = 0
    while True:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", installation.port)
        except ConnectionError:
            return
        is_open = True
        while is_open:
            number += 1
            answer = await exchange(reader, writer, request(installation, f"{client}-{number}"))
            if answer is None:
                load.unanswered += 1
            else:
                load.answers.append(answer)
            is_open = keeps_alive and answer is not None and answer.headers.get("connection") != "close"
        writer.close()


async def exchange(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes
) -> Answer | None:
    """The answer to a request, or None if the connection breaks."""
    try:
        writer.write(request)
        await writer.drain()
        return await read_answer(reader)
    except ConnectionError:
        return None


def request(installation: Installation, title: str) -> bytes:
    body = json.dumps({"title": title, "contentMarkdown": "x"}).encode()
    return (
        f"POST /v1/articles HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {installation.key}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode() + body

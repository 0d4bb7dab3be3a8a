"""A server on a real socket that answers like another product's API."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.receivers import receiving

REASONS = {200: "OK", 302: "Found", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found", 429: "Too Many"}


@dataclass(frozen=True)
class Answer:
    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class ApiServer:
    """Answers by path and query; a list gives one answer per request. `requests` are targets, in order."""

    answers: dict[str, Answer | list[Answer]] = field(default_factory=dict)
    authorization: str | None = None
    requests: list[str] = field(default_factory=list)
    authorizations: list[tuple[str, str]] = field(default_factory=list)
    url: str = ""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        target = head.split(" ")[1]
        sent = [line.partition(": ")[2] for line in head.split("\r\n") if line.startswith("Authorization: ")]
        self.requests.append(target)
        self.authorizations.append((target, sent[0] if sent else ""))
        answer = self.answer_to(target, sent)
        body = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        lines = [f"HTTP/1.1 {answer.status} {REASONS[answer.status]}", f"Content-Length: {len(body)}"]
        lines += [f"{name}: {value}" for name, value in answer.headers.items()]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)

    def answer_to(self, target: str, sent: list[str]) -> Answer:
        if self.authorization is not None and target.startswith("/api/") and sent != [self.authorization]:
            return Answer({"error": "Couldn't authenticate you"}, 401)
        answer = self.answers.get(target, Answer(b"", 404))
        return answer.pop(0) if isinstance(answer, list) else answer


@asynccontextmanager
async def serving(server: ApiServer) -> AsyncIterator[ApiServer]:
    async with receiving(server.handle) as receiver:
        server.url = f"http://127.0.0.1:{receiver.port}"
        yield server

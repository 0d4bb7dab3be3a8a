"""Requests that have confused HTTP parsers, on a real socket: each is answered once or refused."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from fastapi import FastAPI

from instep.platform.core.database import Database
from tests.corpora.requests import Meter
from tests.support.cast import Cast
from tests.support.wire import Answer, read_answer, serving

pytestmark = pytest.mark.corpora

CASE = re.compile(r"```http\n(.*?)\n?```\s*```log\n(.*?)\n```", re.DOTALL)
REQUEST_LINE = re.compile(rb"^([A-Z-]+ \S+ HTTP/1\.1\r\n)", re.MULTILINE)
# After this, the server closes the connection if it has read everything before as complete requests.
LAST = b"GET /v1/last HTTP/1.1\r\nHost: help.test\r\nConnection: close\r\n\r\n"
# One request announces a body that never arrives; the server is right to wait for it.
SECONDS = 3


@pytest.fixture
async def port(unlimited: None, app: FastAPI, database: Database, cast: Cast) -> AsyncIterator[int]:
    async with serving(app, database) as listening:
        yield listening


async def test_no_request_is_answered_twice_and_what_is_malformed_is_refused(
    corpora: Path, port: int, meter: Meter
) -> None:
    for name, content, log in cases(corpora):
        answers = await exchange(port, meter, name, with_host(content))

        begun, is_broken = log.count("message begin"), "error code" in log
        case = (name, content, log, answers)
        assert 1 <= len(answers) <= begun + (not is_broken), case
        assert not is_broken or answers[-1].status == 400, case
        assert {answer.status for answer in answers[:-1]} <= {401, 404, 405}, case
        if answers[-1].status == 400:
            assert answers[-1].code == "invalid_request"
            assert answers[-1].headers["connection"] == "close"


async def test_without_a_host_everything_is_refused_once(corpora: Path, port: int, meter: Meter) -> None:
    for name, content, _ in cases(corpora):
        if b"HTTP/1.1" in content and not has_host(content):
            answers = await exchange(port, meter, name, content)

            assert [(answer.status, answer.code) for answer in answers] == [(400, "invalid_request")], name
            assert answers[0].headers["connection"] == "close"


async def exchange(port: int, meter: Meter, name: str, content: bytes) -> list[Answer]:
    """All responses until the server closes the connection or the time is up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    answers = []
    writer.write(content + LAST)
    with suppress(TimeoutError):
        async with asyncio.timeout(SECONDS):
            while answer := await read_answer(reader):
                answers.append(answer)
                meter.count(answer.status, 0, name)
    writer.close()
    return answers


def with_host(content: bytes) -> bytes:
    return content if has_host(content) else REQUEST_LINE.sub(rb"\1Host: help.test\r\n", content)


def has_host(content: bytes) -> bool:
    return b"\nhost:" in content.lower()


def cases(corpora: Path) -> list[tuple[str, bytes, str]]:
    """The requests in llhttp's tests, and the expected log of each."""
    cases = []
    for file in sorted((corpora / "http").glob("llhttp-request-*.md")):
        for number, (content, log) in enumerate(CASE.findall(file.read_text())):
            cases.append((f"{file.stem} {number}", as_bytes(content), log))
    assert len(cases) > 60
    return cases


def as_bytes(text: str) -> bytes:
    """Decode llhttp's notation: a backslash joins lines, lines end in CR LF, and there are escapes."""
    joined = re.sub(r"\\\n", "", text).replace("\n", "\r\n")
    signs = {"r": "\r", "n": "\n", "t": "\t", "f": "\f"}
    plain = re.sub(r"\\([rntf])", lambda match: signs[match[1]], joined)
    return re.sub(r"\\x([0-9a-fA-F]{2})", lambda match: chr(int(match[1], 16)), plain).encode("latin-1")

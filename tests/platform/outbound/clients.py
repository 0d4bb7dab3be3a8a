"""Helpers for tests of outbound calls: allowed targets, scripted DNS lookups, outcomes."""

import time
from collections.abc import Awaitable
from ipaddress import ip_address

from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.core.outbound.client import RequestFailed, Response
from instep.platform.core.outbound.networks import Address

ALLOWED = read_allow_list("127.0.0.0/8,plain.example")
BODY = b'{"type": "article.published"}'
# Less than the limit, which a client that missed the end would wait for.
PROMPT = 8
MEGABYTE = 1024 * 1024


class leading_to:
    """A DNS lookup that returns these addresses; with several answers, one per question in order."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.hosts: list[str] = []

    async def __call__(self, host: str) -> list[Address]:
        self.hosts.append(host)
        answer = self.answers[0] if len(self.answers) == 1 else self.answers.pop(0)
        return [ip_address(text) for text in answer.split()]


async def outcome(call: Awaitable[Response]) -> Response | str:
    try:
        return await call
    except RequestFailed as failure:
        return failure.message


async def timed(call: Awaitable[Response]) -> tuple[Response | str, float]:
    began = time.monotonic()
    return await outcome(call), time.monotonic() - began

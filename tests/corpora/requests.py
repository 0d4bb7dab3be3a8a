"""Many requests: every response is checked against the API's description, counted and timed."""

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from fastapi import FastAPI
from jsonschema import ValidationError
from starlette.routing import Match

from tests.corpora.places import Place, as_header, as_segment
from tests.support.api_document import assert_described
from tests.support.api_table import Operation
from tests.support.cast import Client, Json
from tests.support.http import Response, created, error

# Requests over a second deserve a look at the statistics; anything slower than this is broken everywhere.
TOO_SLOW_SECONDS = 5
FAULTS_TOLD = 50


@dataclass
class Meter:
    """The number of requests by status, and the slowest one."""

    statuses: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    slowest: str = ""

    def count(self, status: int | str, seconds: float, request: str) -> None:
        self.statuses[str(status)] += 1
        if seconds > self.seconds:
            self.seconds, self.slowest = seconds, request

    @property
    def figures(self) -> Json:
        return {"statuses": self.statuses, "seconds": self.seconds, "slowest": self.slowest}

    def add(self, report: Json) -> None:
        self.statuses.update(report["statuses"])
        if report["seconds"] > self.seconds:
            self.seconds, self.slowest = report["seconds"], report["slowest"]

    def __str__(self) -> str:
        statuses = ", ".join(f"{number} x {status}" for status, number in sorted(self.statuses.items()))
        slowest = f"slowest {self.seconds * 1000:.0f} ms: {self.slowest}"
        return f"{self.statuses.total()} requests ({statuses}); {slowest}"


@dataclass
class Sender:
    """A client with one object of each kind that records every unexpected response."""

    app: FastAPI
    client: Client
    things: dict[str, str]
    meter: Meter
    faults: list[str] = field(default_factory=list)

    async def send(self, operation: Operation, **request: Any) -> Response:
        """Call an operation with the sender's own objects."""
        path = "/v1" + operation.path.format(**self.things)
        request.setdefault("params", operation.query_for(self.things))
        answer = await self.exchange(operation.method, path, operation.template, **request)
        if answer.is_success and operation.path.endswith("/apply"):
            await self.propose_again()
        return answer

    async def send_at(self, place: Place, text: str) -> Response:
        """Call an operation with a text in one parameter; in a path, it may address another operation."""
        operation = place.operation
        things = self.things | ({place.name: as_segment(text)} if place.kind == "path" else {})
        path = "/v1" + operation.path.format(**things)
        query = operation.query_for(things) | ({place.name: text} if place.kind == "query" else {})
        headers = {place.name: as_header(text)} if place.kind == "header" else {}
        template = self.template_at(operation.method, path) if place.kind == "path" else operation.template
        return await self.exchange(
            operation.method, path, template, params=query, headers=headers, json=operation.body
        )

    async def exchange(self, method: str, path: str, template: str | None, **request: Any) -> Response:
        began = time.perf_counter()
        answer = await self.client.request(method, path, **request)
        seconds = time.perf_counter() - began
        request_line = f"{method} {path} {request}"[:300]
        self.meter.count(answer.status_code, seconds, request_line)
        try:
            assert answer.status_code < 500
            assert seconds < TOO_SLOW_SECONDS, f"it took {seconds:.1f} seconds"
            if template is None:
                assert error(answer) in {(404, "not_found"), (405, "method_not_allowed")}
            else:
                assert_described(answer, method, template)
        except (AssertionError, KeyError, ValidationError) as failure:
            self.fault(f"{request_line} -> {answer.status_code} {answer.text[:300]}: {str(failure)[:300]}")
        return answer

    async def visit(self, url: str) -> Response:
        """Get a public page, feed or file of this installation."""
        began = time.perf_counter()
        answer = await self.client.get(url)
        self.meter.count(answer.status_code, time.perf_counter() - began, f"GET {url}")
        return answer

    def fault(self, sentence: str) -> None:
        if len(self.faults) < FAULTS_TOLD:
            self.faults.append(sentence)

    def template_at(self, method: str, path: str) -> str | None:
        """The path template of the operation that the address really matches."""
        scope = {"type": "http", "method": method, "path": unquote(path), "headers": []}
        for route in self.app.routes:
            if route.matches(scope)[0] is Match.FULL:
                return str(getattr(route, "path", "")).removeprefix("/v1")
        return None

    async def propose_again(self) -> None:
        """Propose a new draft: each can be applied only once and must differ from the live text."""
        article = self.things["article"]
        edit = {"contentMarkdown": f"Text {self.meter.statuses.total()}."}
        self.things["draft"] = created(await self.client.post(f"/v1/articles/{article}/drafts", json=edit))[
            "id"
        ]

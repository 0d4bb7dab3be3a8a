"""Traces of a request, a job and a call, as a collector receives them, without anyone's content."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from instep.drafting.tasks.actions import RUN_TASK
from instep.notifications.webhooks.sender import Sender
from instep.operations.ops.traces import exporting_traces
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.platform.core.jobs import Job, Worker
from instep.platform.core.tracing import statement_name
from instep.platform.llm.client import measured_call
from tests.notifications.webhooks.conftest import allow, receiver, sender, webhook  # noqa: F401
from tests.support.cast import Client, Json
from tests.support.http import create_article
from tests.support.installation import free_port, loaded_modules


@dataclass
class Collector:
    """A fake OpenTelemetry collector on a local port."""

    status: int = 200
    port: int = 0
    paths: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    @property
    def spans(self) -> list[Span]:
        batches = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        scopes = [scope for batch in batches for group in batch.resource_spans for scope in group.scope_spans]
        return [span for scope in scopes for span in scope.spans]

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        self.paths.append(head.split(" ")[1])
        self.bodies.append(await reader.readexactly(int(head.split("content-length: ")[1].split("\r")[0])))
        writer.write(f"HTTP/1.1 {self.status} X\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()


@asynccontextmanager
async def traced(status: int = 200) -> AsyncIterator[Collector]:
    """Record spans inside the block; the collector has them afterwards."""
    collector = Collector(status)
    server = await asyncio.start_server(collector.answer, "127.0.0.1", 0)
    async with server:
        collector.port = server.sockets[0].getsockname()[1]
        endpoint = {"otel_exporter_otlp_endpoint": f"http://127.0.0.1:{collector.port}"}
        async with exporting_traces(settings().model_copy(update=endpoint)):
            yield collector


def attributes(span: Span) -> dict[str, str]:
    return {pair.key: pair.value.string_value or str(pair.value.int_value) for pair in span.attributes}


async def test_a_request_is_a_span_with_its_statements_below(client: Client, reader: Client) -> None:
    article = await create_article(client, "Zanzibar")
    async with traced() as collector:
        answer = await reader.get(f"/v1/articles/{article['id']}?expand=quagga")

    [request] = [span for span in collector.spans if span.kind == Span.SPAN_KIND_SERVER]
    statements = [span for span in collector.spans if span.parent_span_id == request.span_id]
    assert collector.paths == ["/v1/traces"]
    assert request.name == "GET /v1/articles/{id}"
    assert attributes(request) == {
        "http.request.method": "GET",
        "http.route": "/v1/articles/{id}",
        "http.response.status_code": str(answer.status_code),
        "instep.request_id": answer.headers["Request-Id"],
    }
    assert "select articles" in {span.name for span in statements}
    # They contain no paths, queries, values or text of statements.
    everything = b"".join(collector.bodies)
    assert not any(word in everything for word in (b"Zanzibar", b"quagga", article["id"].encode(), b"where"))


async def test_jobs_calls_and_models_are_spans(
    client: Client,
    database: Database,
    webhook: Json,  # noqa: F811
    sender: Sender,  # noqa: F811
) -> None:
    async def work(job: Job) -> None:
        with measured_call("chat"):
            raise ValueError("what somebody wrote")

    async with traced() as collector:
        await client.post("/v1/tasks", json={"change": {"kind": "pr", "title": "Rename it"}})
        await Worker(database.pool, {RUN_TASK: work}).run_due()
        await client.post(f"/v1/articles/{(await create_article(client))['id']}/publish")
        await sender.run_due()

    spans = {span.name: span for span in collector.spans}
    assert attributes(spans["job run_task"])["instep.outcome"] == "failed"
    assert spans["model chat"].parent_span_id == spans["job run_task"].span_id
    assert attributes(spans["model chat"])["error.type"] == "ValueError"
    assert attributes(spans["POST"])["http.response.status_code"] == "200"
    assert b"what somebody wrote" not in b"".join(collector.bodies)
    assert webhook["url"].encode() not in b"".join(collector.bodies)


@pytest.mark.parametrize("status", [400, 503])
async def test_a_collector_that_refuses_them_keeps_nobody_from_work(visitor: Client, status: int) -> None:
    async with traced(status) as collector:
        answer = await visitor.get("/healthz")

    assert answer.status_code == 200
    assert len(collector.bodies) == 1


async def test_a_collector_that_is_away_keeps_nobody_from_work(
    visitor: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint = {"otel_exporter_otlp_endpoint": f"http://127.0.0.1:{free_port()}"}
    async with exporting_traces(settings().model_copy(update=endpoint)):
        answer = await visitor.get("/healthz")

    assert answer.status_code == 200
    assert "spans could not" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("select id from articles where id = %(id)s", "select articles"),
        ("\n    insert into events (id) values (1)", "insert events"),
        ("update jobs set run_at = now()", "update jobs"),
        ("with recursive queue as (select 1 from jobs) update jobs set a = 1", "with jobs"),
        ("select set_config('a', 'b', false)", "select"),
        ("", "statement"),
    ],
)
def test_a_statement_is_named_by_its_verb_and_table(sql: str, name: str) -> None:
    assert statement_name(sql) == name


def test_without_a_collector_the_sdk_is_not_imported() -> None:
    names = loaded_modules()

    assert {"instep.app", "instep.worker"} <= names
    assert [name for name in names if "opentelemetry.sdk" in name] == []

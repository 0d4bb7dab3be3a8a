"""`/metrics`: access, counters, and labels that reveal nothing about people."""

import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families

from instep.notifications.webhooks.sender import Sender
from instep.operations.ops.exposition import Snapshot, render, serving_worker_metrics
from instep.platform.core import metrics
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import Unavailable, Unusable
from instep.platform.core.jobs import Job, Worker, defer
from instep.platform.llm.client import measured_call
from tests.notifications.webhooks.conftest import allow, receiver, sender, webhook  # noqa: F401
from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import create_article
from tests.support.installation import free_port

TOKEN = "shown-by-our-prometheus-alone"
DASHBOARD = Path(__file__).parents[3] / "deploy" / "grafana" / "instep.json"
METRIC = re.compile(r"\b(?:instep|process)_[a-z_]+\b")


def values(text: str) -> dict[str, float]:
    """Each sample's value, keyed like `name{label="value"}`."""
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {f"{sample.name}{{{labels(sample.labels)}}}": sample.value for sample in samples}


def labels(pairs: dict[str, str]) -> str:
    return ",".join(f'{name}="{value}"' for name, value in sorted(pairs.items()))


async def read(visitor: Client) -> dict[str, float]:
    answer = await visitor.get("/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.headers["Content-Type"].startswith("text/plain; version=")
    return values(answer.text)


@pytest.fixture
async def far(app: FastAPI, api: Api) -> AsyncIterator[Client]:
    """A client on another machine."""
    transport = httpx2.ASGITransport(app, client=("203.0.113.9", 1))
    async with httpx2.AsyncClient(transport=transport, base_url="http://help.test") as client:
        yield client


async def test_this_machine_may_read_it(visitor: Client) -> None:
    assert (await read(visitor))["instep_database_up{}"] == 1


@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Forwarded-Host", "Forwarded", "Via", "X-Real-IP"])
async def test_requests_through_a_local_proxy_get_no_metrics(visitor: Client, header: str) -> None:
    answer = await visitor.get("/metrics", headers={header: "203.0.113.9"})

    assert answer.status_code == 404
    assert "instep_" not in answer.text


async def test_another_machine_finds_nothing_without_the_token(
    far: Client, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = [await far.get("/metrics"), await far.get("/metrics", headers={"Authorization": "Bearer "})]
    monkeypatch.setattr(app.state, "settings", settings().model_copy(update={"metrics_token": TOKEN}))
    wrong = await far.get("/metrics", headers={"Authorization": "Bearer shown-by-nobody"})
    right = await far.get("/metrics", headers={"Authorization": f"Bearer {TOKEN}"})

    assert [answer.status_code for answer in (*without, wrong)] == [404, 404, 404]
    assert (right.status_code, "instep_database_up" in right.text) == (200, True)


async def test_requests_are_counted_by_route_and_never_by_path(
    visitor: Client, reader: Client, client: Client, cast: Cast
) -> None:
    article = await create_article(client, "Counted")
    before = await read(visitor)

    await reader.get(f"/v1/articles/{article['id']}")
    await reader.get("/v1/articles/nothing-of-this-name")
    await visitor.get("/nowhere/at/all")
    await visitor.request("BREW", "/healthz")
    await visitor.get(f"/help/{cast.acme.slug}/")
    answer = await visitor.get("/metrics")
    after = values(answer.text)

    def growth(sample: str) -> float:
        return after.get(sample, 0) - before.get(sample, 0)

    route = "/v1/articles/{id}"
    assert growth(f'instep_http_requests_total{{method="GET",route="{route}",status="2xx"}}') == 1
    assert growth(f'instep_http_requests_total{{method="GET",route="{route}",status="4xx"}}') == 1
    assert growth(f'instep_http_request_duration_seconds_count{{route="{route}"}}') == 2
    assert growth('instep_http_requests_total{method="GET",route="none",status="4xx"}') == 1
    # Routes outside the API also have templates.
    assert growth('instep_http_requests_total{method="GET",route="/help/{bot}/",status="2xx"}') == 1
    assert 'method="other"' in answer.text
    for words in (article["id"], "nothing-of-this-name", "nowhere", "BREW", cast.acme.slug):
        assert words not in answer.text


async def test_jobs_are_counted_by_kind_and_outcome(database: Database, owner: Tx, visitor: Client) -> None:
    async def work(job: Job) -> None:
        if job.payload["fails"]:
            raise ValueError

    for fails in (True, False):
        await defer(owner, "metered", {"fails": fails})
    waiting = await read(visitor)
    await Worker(database.pool, {"metered": work}).run_due()
    after = await read(visitor)

    assert waiting['instep_jobs_waiting{kind="metered"}'] == 2
    assert waiting['instep_jobs_waiting_oldest_seconds{kind="metered"}'] >= 0
    assert after['instep_jobs_total{kind="metered",outcome="done"}'] == 1
    assert after['instep_jobs_total{kind="metered",outcome="failed"}'] == 1
    assert after['instep_job_duration_seconds_count{kind="metered"}'] == 2


async def test_deliveries_are_counted_and_their_log_lines_carry_the_request(
    client: Client,
    visitor: Client,
    webhook: Json,  # noqa: F811
    sender: Sender,  # noqa: F811
    capsys: pytest.CaptureFixture[str],
) -> None:
    before = await read(visitor)
    address = f"/v1/articles/{(await create_article(client))['id']}/publish"
    answer = await client.post(address, headers={"X-Request-Id": "from-our-proxy.1"})
    waiting = await read(visitor)
    await sender.run_due()
    after = await read(visitor)

    delivered = 'instep_webhook_deliveries_total{outcome="delivered"}'
    assert answer.headers["Request-Id"] == "from-our-proxy.1"
    assert waiting["instep_webhook_deliveries_waiting{}"] == 1
    assert after["instep_webhook_deliveries_waiting{}"] == 0
    assert after[delivered] - before.get(delivered, 0) == 1
    lines = [json.loads(line) for line in capsys.readouterr().err.splitlines() if "webhook delivery" in line]
    assert [(line["request_id"], line["status"]) for line in lines] == [("from-our-proxy.1", 200)]
    assert webhook["url"] not in json.dumps(lines)


def test_calls_of_models_are_counted_with_their_tokens() -> None:
    before = values(render(Snapshot({})).decode())
    with measured_call("chat") as call:
        call.tokens = 120
    with pytest.raises(ValueError, match="x"), measured_call("chat"):
        raise ValueError("x")
    after = values(render(Snapshot({})).decode())

    def growth(sample: str) -> float:
        return after.get(sample, 0) - before.get(sample, 0)

    assert growth("instep_model_tokens_total{}") == 120
    assert growth('instep_model_calls_total{kind="chat",outcome="ok"}') == 1
    assert growth('instep_model_calls_total{kind="chat",outcome="failed"}') == 1


async def test_a_worker_answers_at_a_port_of_its_own(database: Database) -> None:
    port = free_port()
    with serving_worker_metrics(settings().model_copy(update={"metrics_port": port}), database):
        async with httpx2.AsyncClient() as client:
            samples = values((await client.get(f"http://127.0.0.1:{port}/metrics")).text)
        with (
            pytest.raises(Unusable, match=f"INSTEP_METRICS_PORT is {port}"),
            serving_worker_metrics(settings().model_copy(update={"metrics_port": port}), database),
        ):
            pass

    assert samples["instep_database_connections_max{}"] == 10
    assert samples["process_resident_memory_bytes{}"] > 10_000_000


class Away(Database):
    """A database that is unavailable."""

    async def take_connection(self) -> Any:
        raise Unavailable


async def test_without_a_database_the_counts_are_told_nonetheless(
    visitor: Client, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(app.state, "database", Away("postgresql://127.0.0.1:9/none", size=1))

    answer = await visitor.get("/metrics")

    assert answer.status_code == 200, answer.text
    assert "instep_database_up 0.0" in answer.text
    assert "instep_http_requests_total" in answer.text


async def test_every_metric_that_the_dashboard_asks_for_is_exported(visitor: Client) -> None:
    exported = METRIC.findall((await visitor.get("/metrics")).text)
    counted = [family.name for family in metrics.REGISTRY.collect()]
    ends = ("_total", "_bucket", "_count", "_sum")
    known = {*exported, *(f"{name}{end}" for name in counted for end in ends)}
    panels = json.loads(DASHBOARD.read_text())["panels"]
    asked = [target["expr"] for panel in panels for target in panel["targets"]]

    assert len(asked) > 20
    assert {name for expression in asked for name in METRIC.findall(expression)} <= known

"""Where the hostile inputs are, and that nobody meets them who did not ask: `make test-corpora`."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from instep.core import limits
from instep.core.config import settings
from instep.core.database import Database
from tests.cast import Api, Cast
from tests.contract.table import assemble
from tests.corpora.sending import Meter, Sender

CORPORA = Path(__file__).parents[3] / "shared" / "data" / "corpora"
MANY = 1_000_000
RATES = ("REQUESTS_PER_MINUTE", "ANONYMOUS_REQUESTS_PER_MINUTE", "TASKS_PER_HOUR")


@pytest.fixture(scope="session")
def corpora() -> Path:
    if not CORPORA.is_dir():
        pytest.skip(f"the hostile inputs are missing: there is no folder {CORPORA}")
    return CORPORA


@pytest.fixture
def unlimited(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As much of everything as the inputs need."""
    for name in RATES:
        monkeypatch.setenv(f"INSTEP_{name}", str(MANY))
    monkeypatch.setattr(limits, "WEBHOOK_ENDPOINTS", MANY)
    settings.cache_clear()
    yield
    settings.cache_clear()


@pytest.fixture
def meter(request: pytest.FixtureRequest) -> Iterator[Meter]:
    """What the test sends is counted, and told at the end of the run."""
    counted = Meter()
    yield counted
    request.node.user_properties.append(("sent", json.dumps(counted.told)))


@pytest.fixture
async def sender(
    unlimited: None, app: FastAPI, api: Api, cast: Cast, database: Database, meter: Meter
) -> AsyncIterator[Sender]:
    """Somebody of Acme who may write, with something of each kind; no answer was a fault in the end."""
    client = api(cast.acme.write_key)
    made = Sender(app, client, await assemble(client, cast.acme, database), meter)
    yield made
    assert made.faults == []


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if "corpora" in config.option.markexpr:
        return
    left_out = [item for item in items if item.get_closest_marker("corpora")]
    if left_out:
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """How much was sent by each file, what came back, and what took longest."""
    meters: dict[str, Meter] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport) and report.when == "teardown":
                for name, value in report.user_properties:
                    if name == "sent":
                        meters.setdefault(report.location[0], Meter()).add(json.loads(str(value)))
    if meters:
        terminalreporter.section("requests of hostile inputs")
    for file, counted in sorted(meters.items()):
        terminalreporter.line(f"{file}: {counted}")

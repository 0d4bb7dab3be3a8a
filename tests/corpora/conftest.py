"""The folders of hostile inputs, and statistics of the requests: `make test-corpora`."""

import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI

from instep.platform.core.database import Database
from tests.corpora.requests import Meter, Sender
from tests.support.api_table import assemble
from tests.support.cast import Api, Cast
from tests.support.limits import SetLimit, SetSetting

DATA = Path(__file__).parents[3] / "shared" / "data"
FOLDERS = ("corpora", "docsync", "imports", "retrieval")
MANY = 1_000_000
RATES = (
    "PUBLIC_REQUESTS_PER_MINUTE",
    "REQUESTS_PER_MINUTE",
    "ANONYMOUS_REQUESTS_PER_MINUTE",
    "TASKS_PER_HOUR",
)


@pytest.fixture(scope="session")
def corpora() -> Path:
    return DATA / "corpora"


@pytest.fixture
def unlimited(set_limit: SetLimit, set_setting: SetSetting) -> None:
    """Raise every rate limit to what the inputs need."""
    for name in RATES:
        set_setting(f"INSTEP_{name}", str(MANY))
    set_limit("MAX_WEBHOOK_ENDPOINTS", MANY)


@pytest.fixture
def meter(request: pytest.FixtureRequest) -> Iterator[Meter]:
    """Count what the test sends, for the report at the end of the run."""
    counted = Meter()
    yield counted
    request.node.user_properties.append(("sent", json.dumps(counted.figures)))


@pytest.fixture
async def sender(
    unlimited: None, app: FastAPI, api: Api, cast: Cast, database: Database, meter: Meter
) -> AsyncIterator[Sender]:
    """A client with Acme's write key and one object of each kind; no response may be a fault."""
    client = api(cast.acme.write_key)
    sender = Sender(app, client, await assemble(client, cast.acme, database), meter)
    yield sender
    assert sender.faults == []


def pytest_sessionstart(session: pytest.Session) -> None:
    """Fail instead of skipping silently if the requested data is missing."""
    missing = [name for name in FOLDERS if not (DATA / name).is_dir()]
    if session.config.option.markexpr == "corpora" and missing:
        raise pytest.UsageError(
            "These tests need the project's data, which is no part of the repository: put its folders "
            f"{' and '.join(missing)} into {DATA}."
        )


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Report the number of requests per file, their results, and the slowest one."""
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

"""Fixtures for tests of commands in CI and in a reviewer's terminal."""

from collections.abc import Iterator

import pytest

from instep.platform.core import limits
from tests.support.installation import installed


@pytest.fixture(scope="module")
def server(database_url: str) -> Iterator[str]:
    """A server process on the tests' database that may call local issuers.

    It also runs jobs, so it stops after each test file: other files rely on running their own jobs.
    """
    with installed(INSTEP_DATABASE_URL=database_url, INSTEP_WEBHOOK_ALLOW="127.0.0.0/8") as installation:
        installation.serve()
        yield installation.url


@pytest.fixture(autouse=True)
def quick_polls(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Poll ten times as often as a CI job, because the test server finishes tasks quickly."""
    if "server" in request.fixturenames:
        monkeypatch.setattr(limits, "MIN_POLL_SECONDS", limits.MIN_POLL_SECONDS / 10)

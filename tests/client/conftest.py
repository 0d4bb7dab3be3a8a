"""Parts shared by the tests of commands in a CI and at a reviewer's terminal."""

from collections.abc import Iterator

import pytest

from instep.platform.core import limits
from tests.support.installation import installed


@pytest.fixture(scope="module")
def server(database_url: str) -> Iterator[str]:
    """A server of its own process on the database of the tests, which may ask local issuers.

    It takes jobs, so it ends with the tests of a file: those of others count on theirs.
    """
    with installed(INSTEP_DATABASE_URL=database_url, INSTEP_WEBHOOK_ALLOW="127.0.0.0/8") as installation:
        installation.serve()
        yield installation.url


@pytest.fixture(autouse=True)
def quick_polls(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks of a server of the tests end in a tenth of the time that a CI waits before it looks."""
    if "server" in request.fixturenames:
        monkeypatch.setattr(limits, "MIN_POLL_SECONDS", limits.MIN_POLL_SECONDS / 10)

"""A server on the tests' database, and a browser that stays open from test to test."""

import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import httpx2
import pytest

from tests.browser.chromium import Chromium
from tests.browser.devtools import Page, browsing
from tests.runtime.installation import installed
from tests.support.cast import Cast, Client


@pytest.fixture
def chromium(tmp_path: Path) -> Chromium:
    return Chromium(tmp_path)


@pytest.fixture(scope="session")
def server(database_url: str) -> Iterator[str]:
    with installed(INSTEP_DATABASE_URL=database_url) as installation:
        installation.serve("--no-jobs")
        yield installation.url


@pytest.fixture
async def writer(server: str, cast: Cast) -> AsyncIterator[Client]:
    """A client of the server with Acme's key, whose requests are hardly limited there."""
    headers = {"Authorization": f"Bearer {cast.acme.write_key}"}
    async with httpx2.AsyncClient(base_url=server, headers=headers, timeout=30) as client:
        yield client


@pytest.fixture(scope="session")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    program = shutil.which("chromium")
    if program is None:
        pytest.fail("The browser tests need Chromium: on Debian run `apt-get install chromium`.")
    with browsing(program, tmp_path_factory.mktemp("profile")) as opened:
        yield opened

"""A server on the tests' database, and a browser that stays open from test to test."""

from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest
from playwright.async_api import Browser, Page

from tests.browser.chromium import Complaints, running_chromium
from tests.runtime.installation import installed
from tests.support.cast import Cast, Client


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
async def chromium() -> AsyncIterator[Browser]:
    async with running_chromium() as browser:
        yield browser


@pytest.fixture
def complaints() -> Complaints:
    """What Chromium says about the page of this test."""
    return Complaints()


@pytest.fixture
async def page(chromium: Browser, complaints: Complaints) -> AsyncIterator[Page]:
    """A page in a profile of its own."""
    async with await chromium.new_context() as profile:
        page = await profile.new_page()
        await complaints.watch(page)
        yield page

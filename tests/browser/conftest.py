"""A server on the tests' database, a browser that all tests share, and pages with the widget."""

import os
from collections.abc import AsyncIterator, Iterator

import httpx2
import pytest
from playwright.async_api import Browser, Page

from instep.platform.core.database import Tx
from tests.support.cast import Cast, Client
from tests.support.chromium import Complaints, running_chromium
from tests.support.host_pages import OPEN_SHADOWS, HostSite, host_site
from tests.support.installation import installed
from tests.support.site_pages import publish
from tests.support.stage import EMAIL
from tests.support.visitors import open_to
from tests.support.widget_pages import TEXT, Widget


@pytest.fixture(scope="session")
def server(database_url: str) -> Iterator[str]:
    # The server must open secrets that the tests seal, such as a bot's visitor secret.
    key = os.environ["INSTEP_SECRET_KEY"]
    with installed(INSTEP_DATABASE_URL=database_url, INSTEP_SECRET_KEY=key, **EMAIL) as installation:
        installation.serve("--no-jobs")
        yield installation.url


@pytest.fixture
async def writer(server: str, cast: Cast) -> AsyncIterator[Client]:
    """A client of the server with Acme's key and a very high rate limit."""
    headers = {"Authorization": f"Bearer {cast.acme.write_key}"}
    async with httpx2.AsyncClient(base_url=server, headers=headers, timeout=30) as client:
        yield client


@pytest.fixture(scope="session")
async def chromium() -> AsyncIterator[Browser]:
    async with running_chromium() as browser:
        yield browser


@pytest.fixture
def complaints() -> Complaints:
    """Chromium's complaints about this test's page."""
    return Complaints()


@pytest.fixture
async def page(chromium: Browser, complaints: Complaints) -> AsyncIterator[Page]:
    """A page in its own browser profile."""
    async with await chromium.new_context() as profile:
        page = await profile.new_page()
        await complaints.watch(page)
        yield page


@pytest.fixture(scope="session")
def hosts() -> Iterator[HostSite]:
    """A server of another origin whose pages contain the widget."""
    with host_site() as hosts:
        yield hosts


@pytest.fixture
async def widget(page: Page, server: str, hosts: HostSite, writer: Client, cast: Cast, owner: Tx) -> Widget:
    """The widget of a bot that has an article and accepts questions from the host pages."""
    await page.add_init_script(OPEN_SHADOWS)
    await open_to(owner, cast.acme, hosts.origin)
    await publish(writer, "Files", TEXT)
    return Widget(server, str(cast.acme.bot_id), cast.acme.bot_key)


@pytest.fixture
def tag(widget: Widget) -> str:
    return widget.tag()

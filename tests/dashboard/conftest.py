"""A server that shows the pages for development, and the system's Chromium."""

import shutil
from collections.abc import AsyncIterator, Iterator

import pytest
from playwright.async_api import Browser, Page, async_playwright

from tests.runtime.installation import installed


@pytest.fixture(scope="session")
def development_server(database_url: str) -> Iterator[str]:
    with installed(INSTEP_DATABASE_URL=database_url, INSTEP_DEVELOPMENT="true") as installation:
        installation.serve("--no-jobs")
        yield installation.url


@pytest.fixture(scope="session")
async def system_chromium() -> AsyncIterator[Browser]:
    program = shutil.which("chromium")
    if program is None:
        pytest.fail("The browser tests need Chromium: on Debian run `apt-get install chromium`.")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=program)
        yield browser
        await browser.close()


@pytest.fixture
def complaints() -> list[str]:
    """What the browser's console and exceptions said about the page of this test."""
    return []


@pytest.fixture
async def tab(system_chromium: Browser, complaints: list[str]) -> AsyncIterator[Page]:
    """A page in a profile of its own, at which nothing may go wrong."""
    async with await system_chromium.new_context(reduced_motion="reduce") as profile:
        page = await profile.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        yield page

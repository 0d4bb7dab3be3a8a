"""The stage and its browser; a test with the fixture `visit` runs for every page of the catalog."""

from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack

import pytest
from playwright.async_api import Browser

from instep.platform.core.embedded import EmbeddedPostgres
from tests.pages.catalogue import PAGES, PageState
from tests.support.chromium import running_chromium
from tests.support.stage import Stage
from tests.support.visit import Visit, visiting


@pytest.fixture(scope="session")
def stage(cluster: EmbeddedPostgres) -> Iterator[Stage]:
    with ExitStack() as exits:
        yield Stage(cluster, exits)


@pytest.fixture(scope="session")
async def chromium() -> AsyncIterator[Browser]:
    async with running_chromium() as browser:
        yield browser


@pytest.fixture(params=PAGES, ids=lambda page_state: page_state.slug)
async def visit(chromium: Browser, stage: Stage, request: pytest.FixtureRequest) -> AsyncIterator[Visit]:
    """A page of the catalog; any complaint of the browser fails the test."""
    page_state: PageState = request.param
    async with visiting(chromium, stage, page_state) as visit:
        yield visit
    assert visit.complaints.lines == []

"""A newcomer's first hour, from a fresh clone: `make test-first-hour`."""

import os
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from playwright.async_api import Page

from tests.docs.terminal import Terminal
from tests.docs.tutorial import Reader, steps_of
from tests.support.chromium import running_chromium
from tests.support.host_pages import OPEN_SHADOWS
from tests.support.installation import new_folder

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "first-hour.md"
MAX_MINUTES = 15

pytestmark = pytest.mark.first_hour


@pytest.fixture
def home() -> Iterator[Path]:
    with new_folder() as folder:
        yield folder


@pytest.fixture
async def terminal(home: Path) -> AsyncIterator[Terminal]:
    """A newcomer's shell, with nothing but this machine's package index."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("INSTEP_", "VIRTUAL_"))}
    own = {"HOME": str(home), "XDG_DATA_HOME": str(home / ".local/share"), "REPOSITORY": str(ROOT)}
    index = Path.home() / ".config/pip/pip.conf"
    if index.exists():
        own["PIP_CONFIG_FILE"] = str(index)
    terminal = Terminal(home, {**kept, **own})
    yield terminal
    terminal.close()


@pytest.fixture
async def window() -> AsyncIterator[Page]:
    async with running_chromium() as browser:
        page = await browser.new_page()
        await page.add_init_script(OPEN_SHADOWS)
        yield page


async def test_the_page_leads_from_nothing_to_a_cited_answer(terminal: Terminal, window: Page) -> None:
    reader, seconds = Reader(terminal, window), dict[str, float]()
    for step in steps_of(PAGE):
        began = time.monotonic()
        sys.stdout.write(f"{step.title}: {step.text.splitlines()[0]}\n")
        await reader.do(step)
        seconds[step.title] = seconds.get(step.title, 0) + time.monotonic() - began
    began = time.monotonic()
    await terminal.until_done()
    seconds[step.title] += time.monotonic() - began
    sys.stdout.write("".join(f"{time:7.1f} s  {title}\n" for title, time in seconds.items()))
    sys.stdout.write(f"{sum(seconds.values()):7.1f} s  in all\n")
    assert sum(seconds.values()) < MAX_MINUTES * 60

"""A slow model: visitors can read the beginning of an answer while the rest is being written."""

import asyncio
import os
from collections.abc import AsyncIterator

import pytest
from playwright.async_api import Page, expect

from instep.platform.core.database import Tx
from tests.platform.llm.test_streamed_answers import cut_after, reply_of
from tests.support.cast import Cast
from tests.support.chromium import Complaints
from tests.support.host_pages import HostPage, HostSite
from tests.support.installation import installed
from tests.support.model_endpoint import Endpoint, endpoint, pauses
from tests.support.widget_pages import QUESTION, Widget, ask, panel

FIRST = {"text": "A file may be up to **50 MB** large.", "section": 2, "quote": ""}
STEP = {"text": "1. Open *Files*.", "section": 2, "quote": ""}


@pytest.fixture
def may_go_on() -> asyncio.Event:
    return asyncio.Event()


@pytest.fixture
async def slow(may_go_on: asyncio.Event) -> AsyncIterator[Endpoint]:
    """A model endpoint that writes one sentence at once, and the rest when the test allows."""
    begun, rest = cut_after(reply_of(FIRST, STEP, sections=[2]), FIRST)
    async with endpoint(pauses(begun, rest, may_go_on)) as behind:
        yield behind


@pytest.fixture
async def model_server(slow: Endpoint, database_url: str) -> AsyncIterator[str]:
    settings = {
        "INSTEP_DATABASE_URL": database_url,
        "INSTEP_SECRET_KEY": os.environ["INSTEP_SECRET_KEY"],
        "INSTEP_MODEL": "openai:scripted-1",
        "OPENAI_BASE_URL": f"{slow.url}/v1",
        "OPENAI_API_KEY": "sk-of-the-tests",
    }
    with installed(**settings) as installation:
        await asyncio.to_thread(installation.serve, "--no-jobs")
        yield installation.url


async def test_the_widget_shows_an_answer_as_it_is_written(
    page: Page,
    complaints: Complaints,
    hosts: HostSite,
    widget: Widget,
    model_server: str,
    may_go_on: asyncio.Event,
) -> None:
    slow = Widget(model_server, widget.bot_id, widget.bot_key)
    await page.goto(hosts.add(HostPage(slow.tag(), slow.policy)))
    await ask(page)

    answer = panel(page).locator(".answer")
    await expect(answer.locator("strong")).to_have_text("50 MB")
    await expect(answer.get_by_role("button", name="1: Files")).to_be_visible()
    await expect(answer).to_have_attribute("aria-busy", "true")
    may_go_on.set()
    await expect(answer.get_by_role("listitem").filter(has_text="Open Files")).to_be_visible()
    await expect(panel(page).get_by_role("button", name="Yes")).to_be_visible()
    await expect(answer.locator("strong")).to_have_count(1)
    assert complaints.lines == []


async def test_the_ask_page_shows_an_answer_as_it_is_written(
    page: Page, widget: Widget, model_server: str, may_go_on: asyncio.Event, cast: Cast, owner: Tx
) -> None:
    address = f"{model_server}/help/{cast.acme.slug}/ask?q={QUESTION}"
    await page.goto(address, wait_until="commit")

    shown = page.locator("strong", has_text="50 MB").locator("visible=true")
    await expect(shown).to_have_count(1)
    await expect(page.get_by_text("Reading the articles")).to_be_hidden()
    await expect(page.get_by_role("heading", name="Sources")).to_have_count(0)
    may_go_on.set()
    await expect(page.get_by_role("heading", name="Sources")).to_be_visible()
    await expect(page.locator("#answer").get_by_role("listitem")).to_contain_text("Open Files")
    await expect(shown).to_have_count(1)

"""The language model's menu in the editor: a proposal is shown, accepted, dismissed, or too late."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from playwright.async_api import Locator, Page, expect

from instep.platform.core.database import Database
from tests.support.cast import Cast, Client
from tests.support.chromium import Complaints
from tests.support.dashboard_writer import Writer
from tests.support.http import create_article
from tests.support.limits import SetSetting
from tests.support.model_endpoint import Asked, Endpoint, Mood, answered, says
from tests.support.setting_models import LOOPBACK, with_model

TEXT = "Intro.\n\nYou can be able to run it.\n\nEnd.\n"
SHORTER = says({"text": "Run it.", "note": "It is shorter."})


@pytest.fixture(autouse=True)
def loopback(set_setting: SetSetting) -> None:
    set_setting(*LOOPBACK)


class Proposals:
    """The menu, its status line, and the proposal."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.line = page.locator("#rewording-line")
        self.panel = page.get_by_role("region", name="Proposal")

    def button(self, name: str) -> Locator:
        return self.page.get_by_role("button", name=name, exact=True)

    async def ask(self, intent: str) -> None:
        await self.page.locator("#model-menu summary").click()
        await self.button(intent).click()


@pytest.fixture
async def writer(signed_in_tab: Page, development_server: str, client: Client, cast: Cast) -> Writer:
    """An owner of Acme with an article whose editor is not open yet."""
    article = await create_article(client, "Begin", contentMarkdown=TEXT)
    return Writer(signed_in_tab, f"{development_server}/app/{cast.acme.slug}/articles/{article['id']}/edit")


@asynccontextmanager
async def offered(
    writer: Writer, database: Database, cast: Cast, mood: Mood
) -> AsyncIterator[tuple[Proposals, Endpoint]]:
    async with with_model(database, cast.acme, mood, key=None) as behind:
        await writer.open()
        yield Proposals(writer.page), behind


async def select_third_line(writer: Writer) -> None:
    await writer.surface.focus()
    for key in ("Control+Home", "ArrowDown", "ArrowDown", "Shift+End"):
        await writer.page.keyboard.press(key)


async def test_a_selection_gets_a_proposal_that_can_be_undone(
    writer: Writer, database: Database, cast: Cast, complaints: Complaints
) -> None:
    async with offered(writer, database, cast, SHORTER) as (proposals, behind):
        await select_third_line(writer)
        await proposals.ask("Shorten")
        await expect(proposals.panel).to_contain_text("It is shorter.")
        await expect(proposals.panel.locator("[data-new]")).to_have_text("Run it.")
        await expect(proposals.panel.locator("[data-old]")).to_have_text("You can be able to run it.")
        assert await writer.text() == TEXT

        await proposals.button("Use proposal").click()

        assert await writer.text() == "Intro.\n\nRun it.\n\nEnd.\n"
        await expect(proposals.panel).to_be_hidden()
        await writer.page.keyboard.press("Control+z")
        assert await writer.text() == TEXT
        assert "Intro." not in behind.asked[0].data.partition("BEGIN part")[2].partition("END part")[0]
    assert complaints.lines == []


async def test_the_whole_text_is_asked_about_by_keyboard_and_left(
    writer: Writer, database: Database, cast: Cast
) -> None:
    async with offered(writer, database, cast, SHORTER) as (proposals, _):
        page = writer.page
        await page.locator("#model-menu summary").focus()
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        await expect(proposals.button("Fix spelling and tone")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(proposals.panel.locator("[data-old]")).to_contain_text("Intro.")
        await expect(proposals.panel.get_by_role("heading", name="Proposal")).to_be_focused()

        await proposals.button("Discard").press("Enter")

        await expect(proposals.panel).to_be_hidden()
        await expect(writer.surface).to_be_focused()
        assert await writer.text() == TEXT


async def test_text_typed_during_the_request_stays(writer: Writer, database: Database, cast: Cast) -> None:
    may_answer = asyncio.Event()

    async def waits(asked: Asked) -> bytes:
        await may_answer.wait()
        return answered(asked, '{"text": "Run it.", "note": ""}')

    async with offered(writer, database, cast, waits) as (proposals, _):
        await select_third_line(writer)
        await proposals.ask("Shorten")
        await expect(proposals.line).to_contain_text("writing")
        await writer.surface.focus()
        await writer.page.keyboard.press("Control+Home")
        await writer.page.keyboard.type("New. ")
        may_answer.set()
        await expect(proposals.panel).to_be_visible()

        # Typing elsewhere only moves the selected part; typing inside it disables the proposal.
        await expect(proposals.button("Use proposal")).to_be_visible()
        for key in ("ArrowDown", "ArrowDown", "End"):
            await writer.page.keyboard.press(key)
        await writer.page.keyboard.press("ArrowLeft")
        await writer.page.keyboard.type(" now")

        await expect(proposals.button("Copy proposal")).to_be_visible()
        await expect(proposals.button("Use proposal")).to_be_hidden()
        assert await writer.text() == "New. Intro.\n\nYou can be able to run it now.\n\nEnd.\n"
        await writer.page.keyboard.press("Control+z")
        await expect(proposals.button("Use proposal")).to_be_visible()


async def test_waiting_can_be_canceled(writer: Writer, database: Database, cast: Cast) -> None:
    may_answer = asyncio.Event()

    async def waits(asked: Asked) -> bytes:
        await may_answer.wait()
        return answered(asked, "{}")

    async with offered(writer, database, cast, waits) as (proposals, _):
        await proposals.ask("Shorten")
        await proposals.button("Cancel").click()

        await expect(proposals.line).to_have_text("Canceled.")
        await expect(proposals.panel).to_be_hidden()
        may_answer.set()


async def test_a_planted_link_is_refused_in_words(writer: Writer, database: Database, cast: Cast) -> None:
    planted = says({"text": "Run [it](https://login.evil.ru).", "note": ""})
    async with offered(writer, database, cast, planted) as (proposals, _):
        await proposals.ask("Shorten")

        await expect(proposals.line).to_contain_text("left out")
        await expect(proposals.panel).to_be_hidden()
        assert await writer.text() == TEXT


@pytest.mark.parametrize("width", [390, 1024, 1440])
async def test_menu_and_proposal_fit_the_window(
    writer: Writer, database: Database, cast: Cast, width: int
) -> None:
    await writer.page.set_viewport_size({"width": width, "height": 844})
    async with offered(writer, database, cast, SHORTER) as (proposals, _):
        page = writer.page
        await page.locator("#model-menu summary").click()
        box = await page.locator(".model-acts").bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        await page.keyboard.press("Escape")
        await select_third_line(writer)
        await proposals.ask("Shorten")
        await expect(proposals.panel).to_be_visible()
        assert await page.evaluate("document.documentElement.scrollWidth") <= width

"""Opens one page of the catalog in its own browser profile."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

from playwright.async_api import Browser, BrowserContext, Page, Response

from tests.pages.catalogue import PageState
from tests.pages.help_center import Site
from tests.support.chromium import Complaints
from tests.support.host_pages import OPEN_SHADOWS
from tests.support.stage import Stage

WIDTHS = (390, 1024, 1600)
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


@dataclass(frozen=True, slots=True)
class Visit:
    page: Page
    # The HTML as the server sent it.
    html: str
    complaints: Complaints


@asynccontextmanager
async def visiting(browser: Browser, stage: Stage, page_state: PageState) -> AsyncIterator[Visit]:
    """Open a page and bring it into the state to test."""
    site = await stage.site(page_state.site)
    # Without animations nothing is measured in the middle of a transition.
    async with await browser.new_context(reduced_motion="reduce") as profile:
        await sign_in(profile, site, page_state.person)
        page, complaints = await profile.new_page(), Complaints()
        # The tests also look inside the widget.
        await page.add_init_script(OPEN_SHADOWS)
        await complaints.watch(page)
        documents: list[Response] = []
        page.on("response", lambda response: add_document(documents, response))
        await page.goto(site.url + page_state.path.format(**site.paths))
        if page_state.step:
            await page_state.step(page, stage)
        await page.wait_for_load_state()
        assert documents[-1].status == page_state.status
        yield Visit(page, await documents[-1].text(), complaints)


async def sign_in(profile: BrowserContext, site: Site, name: str | None) -> None:
    if name is not None:
        await profile.add_cookies([{"name": "instep-session", "value": site.sessions[name], "url": site.url}])


def add_document(documents: list[Response], response: Response) -> None:
    if response.request.is_navigation_request():
        documents.append(response)

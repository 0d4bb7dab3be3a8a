"""A page in a real browser reserves space for pictures that are still loading."""

import asyncio

from playwright.async_api import Page, Route

from tests.support.cast import Api, Cast
from tests.support.file_samples import picture
from tests.support.site_pages import publish
from tests.support.uploads import upload

TOP_OF_LAST_PARAGRAPH = "document.querySelector('.prose p:last-child').getBoundingClientRect().top"
IS_SHOWN = "document.querySelector('.prose img').naturalWidth > 0"
# A promise that resolves when the picture can be painted.
ARRIVAL = "document.querySelector('.prose img').decode()"


async def test_nothing_moves_when_a_picture_arrives(server: str, page: Page, api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    file = await upload(client, picture(width=1600, height=400))
    path = file["url"].removeprefix("http://help.test")
    await publish(client, "Places", f"![The dashboard]({path})\n\nWords below.")
    page_is_measured = asyncio.Event()

    async def wait(route: Route) -> None:
        await page_is_measured.wait()
        await route.continue_()

    await page.route("**/files/**", wait)
    await page.goto(f"{server}/help/{cast.acme.slug}/articles/places")
    top_before = await page.evaluate(TOP_OF_LAST_PARAGRAPH)
    assert not await page.evaluate(IS_SHOWN)
    page_is_measured.set()
    await page.evaluate(ARRIVAL)
    assert await page.evaluate(IS_SHOWN)

    assert await page.evaluate(TOP_OF_LAST_PARAGRAPH) == top_before
    assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth")

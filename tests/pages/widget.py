"""A customer's pages with the widget, and a visitor's actions there."""

from typing import TYPE_CHECKING

from playwright.async_api import Page, Route

from instep.accounts.workspaces.actions import change_origins
from instep.platform.core.database import Tx
from tests.pages.running import find_bot_by_slug
from tests.support.host_pages import HostPage, HostSite

if TYPE_CHECKING:
    from tests.support.stage import Stage

QUESTION = "How do I try the demo?"
# A product's text around the widget, so that a picture shows whether the two clash.
AROUND = "<p>Welcome back. Three of your files wait for you, and one is too large to be sent.</p>\n"
SMALL_LETTERS = "<style>html { font-size: 62.5% } body { font-size: 1.6rem }</style>"
# A proxy's response when it cuts off the real one.
NO_ANSWER = {"Access-Control-Allow-Origin": "*", "Content-Type": "text/event-stream"}


async def add_host_pages(owner: Tx, hosts: HostSite, url: str, slug: str = "nordwind") -> dict[str, str]:
    """Add pages with this bot's tag, whose origin is allowed; return their paths by the catalog's names."""
    bot = await find_bot_by_slug(owner, slug)
    await change_origins(owner, bot.workspace_id, bot.id, (hosts.origin,), [])
    key = await owner.value("select bot_key from bots where id = %(id)s", id=bot.id)
    tag = f'<script async src="{url}/widget.js" data-bot="{bot.id}" data-key="{key}"></script>'
    pages = {
        "without": HostPage(AROUND),
        "plain": HostPage(AROUND + tag),
        "inline": HostPage(
            f"{AROUND}<instep-help></instep-help>\n" + tag.replace("data-bot", 'data-button="none" data-bot')
        ),
        "arabic": HostPage(AROUND + tag, root='lang="ar" dir="rtl"'),
        "small": HostPage(AROUND + tag, head=SMALL_LETTERS),
    }
    return {name: hosts.add(page).removeprefix(hosts.origin) for name, page in pages.items()}


async def open_panel(page: Page, stage: "Stage") -> None:
    place = page.locator(".launcher, .ask input").first
    await place.click()
    if await page.locator(".launcher").count() == 0:
        await place.press("Space")
    await page.locator(".panel input").wait_for()
    await page.locator(".suggested .row").first.wait_for()


async def send_question(page: Page, stage: "Stage") -> None:
    await open_panel(page, stage)
    await page.locator(".panel input").fill(QUESTION)
    await page.locator(".panel .ask button").click()


async def ask(page: Page, stage: "Stage") -> None:
    await send_question(page, stage)
    await page.locator(".rating").wait_for()


async def ask_without_end(page: Page, stage: "Stage") -> None:
    """Ask a question whose answer does not arrive."""

    async def hold(route: Route) -> None:
        """Never respond."""

    await page.route("**/chat", hold)
    await send_question(page, stage)
    await page.locator(".working").wait_for()


async def ask_in_vain(page: Page, stage: "Stage") -> None:
    await page.route("**/chat", lambda route: route.fulfill(headers=NO_ANSWER, body=""))
    await send_question(page, stage)
    await page.locator(".failure button").wait_for()


async def read_source(page: Page, stage: "Stage") -> None:
    await ask(page, stage)
    await page.locator(".answer .rows button").first.click()
    await page.locator(".article .text").wait_for()


async def write_to_a_person(page: Page, stage: "Stage") -> None:
    await ask(page, stage)
    await page.locator("footer .link").click()
    await page.locator(".person textarea").wait_for()


async def send_to_a_person(page: Page, stage: "Stage") -> None:
    await open_panel(page, stage)
    await page.locator("footer .link").click()
    await page.locator(".person [name=email]").fill("ann@example.com")
    await page.locator(".person button").click()
    await page.locator(".person .thanks").wait_for()


async def type_words(page: Page, stage: "Stage") -> None:
    await open_panel(page, stage)
    await page.locator(".panel input").press_sequentially("timeout")
    await page.locator(".found .row").first.wait_for()


async def type_words_after_an_answer(page: Page, stage: "Stage") -> None:
    await ask(page, stage)
    await page.locator(".panel input").press_sequentially("timeout")
    await page.locator(".found .row").first.wait_for()


async def ask_for_what_is_not_there(page: Page, stage: "Stage") -> None:
    await open_panel(page, stage)
    await page.locator(".panel input").fill("Do you sell zeppelins?")
    await page.locator(".panel .ask button").click()
    await page.locator(".answer .first").wait_for()


async def open_in_vain(page: Page, stage: "Stage") -> None:
    """Open the widget when the server that responds is not a help center."""
    await page.route("**/config?**", lambda route: route.fulfill(headers=NO_ANSWER, body="no JSON"))
    await page.locator(".launcher").click()
    await page.locator(".notice").wait_for()

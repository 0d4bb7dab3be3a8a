"""The catalogue of all pages in all their states; a new page or state is one more line in `PAGES`."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from playwright.async_api import Page, Route

from tests.pages.stage import Stage

# What somebody does on a page, once it is open, to bring it into a state.
Step = Callable[[Page, Stage], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class PageState:
    """One picture that somebody may meet: an address, who is signed in, and what has happened before."""

    page: str
    state: str
    path: str
    # Which of the stage's sites the address belongs to.
    site: str = "filled"
    person: str | None = None
    step: Step | None = None
    status: int = 200

    @property
    def name(self) -> str:
        return f"{self.page}, {self.state}"

    @property
    def slug(self) -> str:
        return self.name.replace(", ", "--").replace(" ", "-").lower()


async def send_wrong_password(page: Page, stage: Stage) -> None:
    await page.fill("#email", "nobody@nordwind.example")
    await page.fill("#password", "not the password")
    await page.click("main button")


async def send_form_without_cookies(page: Page, stage: Stage) -> None:
    await page.context.clear_cookies()
    await send_wrong_password(page, stage)


async def exceed_limit(page: Page, stage: Stage) -> None:
    """Ask for more than the one page of this minute; the styles are at hand, as in a visitor's cache."""
    limited, empty = await stage.site("limited"), await stage.site("empty")

    async def fetch_elsewhere(route: Route) -> None:
        response = await route.fetch(url=route.request.url.replace(limited.url, empty.url))
        await route.fulfill(response=response)

    await page.route("**/static/**", fetch_elsewhere)
    await page.request.get(f"{limited.url}/")
    await page.goto(f"{limited.url}/")


PAGES = (
    PageState("Front page", "nothing yet", "/", "empty"),
    PageState("Front page", "several help centers", "/"),
    PageState("Front page", "several workspaces", "/", "shared"),
    PageState("Home", "filled", "/help/nordwind/"),
    PageState("Home", "empty", "/help/new/"),
    PageState("Home", "right to left", "/help/noor/"),
    PageState("Collection", "filled", "/help/nordwind/collections/run-it"),
    PageState("Collection", "empty", "/help/nordwind/collections/soon"),
    PageState("Article", "everything", "/help/nordwind/articles/everything"),
    PageState("Article", "text only", "/help/nordwind/articles/what-instep-is"),
    PageState("Article", "German", "/help/nordwind/de/articles/alles"),
    PageState("Article", "right to left", "/help/noor/articles/everything"),
    PageState("Search", "no question", "/help/nordwind/search"),
    PageState("Search", "results", "/help/nordwind/search?q=timeout"),
    PageState("Search", "no results", "/help/nordwind/search?q=zeppelin"),
    PageState("Search", "right to left", "/help/noor/search?q=نور"),
    PageState("Changelog", "filled", "/help/nordwind/changelog"),
    PageState("Changelog", "empty", "/help/new/changelog"),
    PageState("Changelog entry", "filled", "/help/nordwind/changelog/version-2-0"),
    PageState("Sign in", "empty", "/sign-in"),
    PageState("Sign in", "wrong password", "/sign-in", step=send_wrong_password, status=401),
    PageState("Consent", "asked", "{consent}", person="anna"),
    PageState("Consent", "refused", "{refused}", person="anna", status=400),
    PageState("Connected apps", "none", "/app/connected-apps", person="anna"),
    PageState("Connected apps", "some", "/app/connected-apps", person="omar"),
    PageState("Error", "403", "/sign-in", step=send_form_without_cookies, status=403),
    PageState("Error", "404", "/help/nordwind/articles/nothing", status=404),
    PageState("Error", "405", "/sign-out", status=405),
    PageState("Error", "429", "/healthz", "limited", step=exceed_limit, status=429),
    PageState("Error", "503", "/", "broken", status=503),
    PageState("API reference", "whole", "/docs/api"),
    PageState("Parts", "all", "/app/_parts"),
    PageState("Parts", "review", "/app/_parts/review"),
)

"""Features of the site's script: copying code, searching while typing, and keyboard shortcuts."""

import pytest
from playwright.async_api import BrowserContext, Page, expect

from tests.support.cast import Cast, Client
from tests.support.chromium import Complaints
from tests.support.http import create_article, ok

REFUNDS = """\
You can return what you bought within 14 days.

## How to return it

```bash
acme return --order 7
```
"""


@pytest.fixture
async def home(writer: Client, server: str, cast: Cast) -> str:
    for title, text in (
        ("Refunds", REFUNDS),
        ("Invoices", "An invoice comes with each order."),
        ("<img src=x onerror=alert(1)>", "Markup in a title of refunds is text."),
    ):
        article = await create_article(writer, title, contentMarkdown=text)
        ok(await writer.post(f"/v1/articles/{article['id']}/publish"))
    return f"{server}/help/{cast.acme.slug}/"


async def test_the_search_shows_while_one_types_what_enter_opens(
    page: Page, complaints: Complaints, home: str
) -> None:
    await page.goto(home)

    await page.keyboard.press("/")
    await page.keyboard.type("how can I return what I bought")
    options = page.get_by_role("listbox", name="Results").get_by_role("option")
    await expect(options.first).to_contain_text("within 14 days")
    await expect(options.last).to_contain_text("Ask “how can I return what I bought”")
    await page.keyboard.press("ArrowDown")
    await expect(options.first).to_have_attribute("aria-selected", "true")
    await page.keyboard.press("Enter")

    await expect(page.get_by_role("heading", name="Refunds", level=1)).to_be_visible()
    assert complaints.lines == []


async def test_escape_closes_it_and_markup_in_what_it_finds_is_text(
    page: Page, complaints: Complaints, home: str
) -> None:
    await page.goto(home)
    field = page.get_by_role("combobox", name="Search")

    await page.keyboard.press("Control+k")
    await expect(field).to_be_focused()
    await page.keyboard.type("markup")
    found = page.get_by_role("option", name="<img src=x onerror=alert(1)>")
    await expect(found).to_be_visible()
    await page.keyboard.press("Escape")

    await expect(found).to_be_hidden()
    await expect(field).to_have_value("markup")
    assert complaints.lines == []


async def test_code_is_copied_as_it_stands(page: Page, complaints: Complaints, home: str) -> None:
    context: BrowserContext = page.context
    await context.grant_permissions(["clipboard-read", "clipboard-write"])
    await page.goto(f"{home}articles/refunds")

    await page.get_by_role("group", name="How to return it").hover()
    await page.get_by_role("button", name="Copy").click()

    await expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert await page.evaluate("navigator.clipboard.readText()") == "acme return --order 7"
    assert complaints.lines == []


async def test_a_wrong_field_has_the_focus(page: Page, home: str) -> None:
    await page.goto(f"{home}contact")
    await page.evaluate("document.querySelector('main form').noValidate = true")

    await page.get_by_role("button", name="Send").click()

    await expect(page.locator("[aria-invalid=true]").first).to_be_focused()


async def test_the_links_above_a_title_are_large_enough_for_a_finger(page: Page, home: str) -> None:
    await page.set_viewport_size({"width": 390, "height": 844})
    await page.goto(f"{home}articles/refunds")

    link = page.locator(".breadcrumbs a").first
    assert await link.evaluate("link => link.getBoundingClientRect().height") >= 24

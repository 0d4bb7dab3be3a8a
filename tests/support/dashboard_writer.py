"""Somebody who writes in the editor, in Chromium."""

from playwright.async_api import Page

from tests.support.sign_in import PASSWORD


class Writer:
    """The editor in a tab: its text, and the line that says what has become of it."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.state = page.locator("#saving")
        self.surface = page.locator(".cm-content")
        self.offers = page.get_by_role("listbox").get_by_role("option")

    async def open(self) -> None:
        await self.page.clock.install()
        await self.page.goto(self.address)
        await self.surface.wait_for()

    async def type(self, text: str) -> None:
        """At the cursor, which is at the beginning of the text at first."""
        await self.surface.focus()
        await self.page.keyboard.type(text)

    async def pause(self) -> None:
        """Stop typing for a second, which is over at once; what the page does with a pause it does now."""
        await self.page.clock.fast_forward(1_000)

    async def email(self) -> str:
        """Who is signed in."""
        return await self.page.locator(".person a").inner_text()

    async def text(self) -> str:
        """What the form would send."""
        text: str = await self.page.evaluate(
            "new FormData(document.getElementById('editor')).get('content').replaceAll('\\r\\n', '\\n')"
        )
        return text


async def sign_in(page: Page, address: str, email: str) -> None:
    await page.goto(f"{address}/sign-in")
    await page.get_by_label("Email").fill(email)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await page.wait_for_url(f"{address}/app/**")


async def sign_in_elsewhere(tab: Page, address: str, email: str) -> None:
    """As in another tab of this browser, without a moment in which it has no session."""
    assert tab.context.browser is not None
    async with await tab.context.browser.new_context() as context:
        await sign_in(await context.new_page(), address, email)
        for cookie in await context.cookies():
            name, value = cookie["name"], cookie["value"]
            await tab.context.add_cookies([{"name": name, "value": value, "url": address}])

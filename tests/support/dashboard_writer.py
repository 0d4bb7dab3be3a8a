"""Types in the dashboard's editor, in Chromium."""

from playwright.async_api import Page

from tests.support.sign_in import PASSWORD


class Writer:
    """The editor in a browser tab, with its text and its save status."""

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
        """Type at the cursor, which starts at the beginning of the text."""
        await self.surface.focus()
        await self.page.keyboard.type(text)

    async def pause(self) -> None:
        """Let one second pass at once; the page then does what it does when typing pauses."""
        await self.page.clock.fast_forward(1_000)

    async def email(self) -> str:
        """The email address of the person who is signed in."""
        return await self.page.locator(".person a").inner_text()

    async def text(self) -> str:
        """The text that the form would send."""
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
    """Sign in as someone else, as in another tab, without a moment in which the browser has no session."""
    assert tab.context.browser is not None
    async with await tab.context.browser.new_context() as context:
        await sign_in(await context.new_page(), address, email)
        for cookie in await context.cookies():
            name, value = cookie["name"], cookie["value"]
            await tab.context.add_cookies([{"name": name, "value": value, "url": address}])

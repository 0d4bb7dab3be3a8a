"""A bot whose widget is embedded in the host pages, and a visitor's actions there."""

from dataclasses import dataclass

from playwright.async_api import Locator, Page

QUESTION = "How large may a file be?"
TEXT = """\
Send files from any device.

## Size of a file

A file may be up to **50 MB** large. See [the plans](https://example.com/plans).

1. Open *Files*.
2. Drop `report.pdf` there:
   - one at a time
"""


@dataclass(frozen=True, slots=True)
class Widget:
    """The tag of a bot's widget and the server that it is loaded from."""

    server: str
    bot_id: str
    bot_key: str

    def tag(self, **attributes: str) -> str:
        """The tag to embed; `button="none"` becomes `data-button`."""
        more = "".join(f' data-{name}="{value}"' for name, value in attributes.items())
        source = f"{self.server}/widget.js"
        return (
            f'<script async src="{source}" data-bot="{self.bot_id}" data-key="{self.bot_key}"{more}></script>'
        )

    @property
    def policy(self) -> str:
        """The strictest page policy that the widget works under."""
        return (
            f"default-src 'none'; script-src {self.server}; connect-src {self.server}; "
            "require-trusted-types-for 'script'"
        )


def panel(page: Page, name: str = "Acme") -> Locator:
    return page.get_by_role("dialog", name=name, exact=True)


def question_field(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Ask a question")


async def open_panel(page: Page) -> None:
    await page.get_by_role("button", name="Help").click()
    await question_field(page).wait_for()


async def ask(page: Page, question: str = QUESTION) -> None:
    await page.get_by_role("button", name="Help").click()
    await question_field(page).fill(question)
    await page.get_by_role("button", name="Ask", exact=True).click()

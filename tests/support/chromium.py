"""Headless Chromium, driven by Playwright, and the complaints that it reports about open pages."""

import io
import re
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from PIL import Image
from playwright.async_api import (
    Browser,
    ConsoleMessage,
    Error,
    Page,
    Request,
    Response,
    async_playwright,
    expect,
)

# The spellings of Content Security Policy in issues and messages.
POLICY_NAME = re.compile("content ?security ?policy", re.IGNORECASE)
# Chromium raises this issue for every lazy-loaded image whose height comes from a style sheet, even if the
# image's attributes reserve the space.
UNFOUNDED_ISSUES = {"LazyLoadImageIssue"}
Colour = tuple[int, int, int]
# Playwright's default of five seconds is too short on a busy machine.
EXPECT_MILLISECONDS = 30_000


@asynccontextmanager
async def running_chromium() -> AsyncIterator[Browser]:
    """The system's Chromium, with scrollbars that take up space as on a desktop."""
    expect.set_options(timeout=EXPECT_MILLISECONDS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium_program(), ignore_default_args=["--hide-scrollbars"]
        )
        yield browser
        await browser.close()


def chromium_program() -> str:
    """The path of Chromium, preferably the headless shell, which uses far less processor time."""
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if program is None:
        pytest.fail("The browser tests need Chromium: run `make browser`.")
    return program


class Complaints:
    """Everything Chromium reports about a page: console messages, exceptions, failed requests and issues.

    Policy violations appear both in the console and among the issues (Audits domain of CDP).
    """

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.error_pages: set[tuple[str, int]] = set()

    @property
    def policy_violations(self) -> list[str]:
        return [line for line in self.lines if POLICY_NAME.search(line)]

    async def watch(self, page: Page) -> None:
        page.on("console", self.add_message)
        page.on("response", self.note_error_page)
        page.on("pageerror", self.add_exception)
        page.on("requestfailed", self.add_failure)
        devtools = await page.context.new_cdp_session(page)
        devtools.on("Audits.issueAdded", self.add_issue)
        await devtools.send("Audits.enable")

    def add_message(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not self.is_status_of_page(message):
            self.lines.append(f"{message.type}: {message.text} ({message.location['url']})")

    def add_exception(self, error: Error) -> None:
        # A page that is left early ends the transition that its style sheet asks for; no script is at fault.
        if not str(error).startswith("Transition was "):
            self.lines.append(f"exception: {error}")

    def add_failure(self, request: Request) -> None:
        # The browser aborts pending requests when a page is left; that is not the page's fault.
        if request.failure != "net::ERR_ABORTED":
            self.lines.append(f"request failed: {request.url} {request.failure}")

    def add_issue(self, event: dict[str, Any]) -> None:
        if event["issue"]["code"] not in UNFOUNDED_ISSUES:
            self.lines.append(f"issue: {event['issue']}")

    def note_error_page(self, response: Response) -> None:
        if response.status >= 400 and response.request.is_navigation_request():
            self.error_pages.add((response.url, response.status))

    def is_status_of_page(self, message: ConsoleMessage) -> bool:
        """True if the message only repeats the status of an error page that was opened."""
        return any(
            message.location["url"] == url and f"status of {status}" in message.text
            for url, status in self.error_pages
        )


async def picture(page: Page) -> Image.Image:
    """A screenshot of the window as RGB."""
    return Image.open(io.BytesIO(await page.screenshot())).convert("RGB")


def colours(image: Image.Image) -> set[Colour]:
    counts: Any = image.getcolors(maxcolors=image.width * image.height)
    return {colour for _, colour in counts}

"""Chromium without a window, driven by Playwright, and what it complains about while pages are open."""

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
    Page,
    Request,
    Response,
    async_playwright,
    expect,
)

# As issues and messages name a Content Security Policy.
POLICY_NAME = re.compile("content ?security ?policy", re.IGNORECASE)
# This issue is raised for each image that loads late and has its height from a style sheet, even when its
# attributes reserve the room.
UNFOUNDED_ISSUES = {"LazyLoadImageIssue"}
Colour = tuple[int, int, int]
# Five seconds, which Playwright waits by itself, are too few on a machine that does other things too.
EXPECT_MILLISECONDS = 30_000


@asynccontextmanager
async def running_chromium() -> AsyncIterator[Browser]:
    """The system's Chromium, whose scrollbars take room as they do on a desktop."""
    expect.set_options(timeout=EXPECT_MILLISECONDS)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium_program(), ignore_default_args=["--hide-scrollbars"]
        )
        yield browser
        await browser.close()


def chromium_program() -> str:
    """Chromium, if possible without its own windows and tabs, which take most of the processor time."""
    program = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    if program is None:
        pytest.fail("The browser tests need Chromium: run `make browser`.")
    return program


class Complaints:
    """What Chromium says about a page: its console, its exceptions, its requests, and its list of issues.

    Violations of a security policy are both in the console and among the issues (Audits domain of CDP).
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
        page.on("pageerror", lambda error: self.lines.append(f"exception: {error}"))
        page.on("requestfailed", self.add_failure)
        devtools = await page.context.new_cdp_session(page)
        devtools.on("Audits.issueAdded", self.add_issue)
        await devtools.send("Audits.enable")

    def add_message(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not self.is_status_of_page(message):
            self.lines.append(f"{message.type}: {message.text} ({message.location['url']})")

    def add_failure(self, request: Request) -> None:
        # The browser itself breaks off what is under way when a page is left, which is no fault of the page.
        if request.failure != "net::ERR_ABORTED":
            self.lines.append(f"request failed: {request.url} {request.failure}")

    def add_issue(self, event: dict[str, Any]) -> None:
        if event["issue"]["code"] not in UNFOUNDED_ISSUES:
            self.lines.append(f"issue: {event['issue']}")

    def note_error_page(self, response: Response) -> None:
        if response.status >= 400 and response.request.is_navigation_request():
            self.error_pages.add((response.url, response.status))

    def is_status_of_page(self, message: ConsoleMessage) -> bool:
        """True if the message only repeats that a page was opened which is an error page."""
        return any(
            message.location["url"] == url and f"status of {status}" in message.text
            for url, status in self.error_pages
        )


async def picture(page: Page) -> Image.Image:
    """What the window shows, as RGB."""
    return Image.open(io.BytesIO(await page.screenshot())).convert("RGB")


def colours(image: Image.Image) -> set[Colour]:
    counts: Any = image.getcolors(maxcolors=image.width * image.height)
    return {colour for _, colour in counts}

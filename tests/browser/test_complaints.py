"""Every fault of a page is noticed, so a page without complaints has none."""

from typing import Any

import pytest
from playwright.async_api import Page, Route

from tests.support.chromium import Complaints

SITE = "http://site.test"
POLICY = "default-src 'none'; script-src 'self'; connect-src 'self'"
START = "<!doctype html><title>Page</title><h1>Page</h1>"


async def open_page(page: Page, body: str, script: str = "", status: int = 200) -> None:
    """Open a page with this body and script under a strict policy, on a site without other pages."""

    async def answer(route: Route) -> None:
        path = route.request.url.removeprefix(SITE)
        if path == "/script.js":
            await route.fulfill(body=script, content_type="text/javascript")
        elif path == "/":
            headers = {"Content-Security-Policy": POLICY}
            await route.fulfill(status=status, body=START + body, content_type="text/html", headers=headers)
        else:
            await route.abort()

    await page.route("**/*", answer)
    await page.goto(f"{SITE}/")


@pytest.mark.parametrize(
    "body",
    ['<p style="color: red">Red.</p>', "<script>1</script>", '<img src="https://elsewhere.test/x" alt="">'],
)
async def test_a_violation_of_the_policy_is_noticed(page: Page, complaints: Complaints, body: str) -> None:
    await open_page(page, body)

    assert complaints.policy_violations


@pytest.mark.parametrize(
    ("script", "event"),
    [
        ("console.error('a')", "console"),
        ("console.warn('a')", "console"),
        ("throw new Error('a')", "pageerror"),
        ("fetch('/nothing').catch(() => 1)", "requestfailed"),
    ],
)
async def test_script_errors_are_noticed(page: Page, complaints: Complaints, script: str, event: Any) -> None:
    async with page.expect_event(event):
        await open_page(page, '<script src="/script.js"></script>', script)

    assert complaints.lines


@pytest.mark.parametrize("status", [200, 404, 503])
async def test_a_page_that_does_nothing_wrong_is_quiet(
    page: Page, complaints: Complaints, status: int
) -> None:
    await open_page(page, "<p>Words.</p>", status=status)

    assert complaints.lines == []

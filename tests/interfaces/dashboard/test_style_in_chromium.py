"""Style violations in the editor: marked while typing, and fixed by a click."""

import pytest
from playwright.async_api import Page, expect

from tests.support.cast import Cast, Client
from tests.support.chromium import Complaints
from tests.support.dashboard_writer import Writer
from tests.support.http import create_article, ok

STYLE = {"terms": [{"term": "sign in", "neverSay": ["log in"]}], "avoidWords": ["simply"]}


@pytest.fixture
async def writer(signed_in_tab: Page, development_server: str, client: Client, cast: Cast) -> Writer:
    ok(await client.patch("/v1/style", json=STYLE))
    article = await create_article(client, "Begin", contentMarkdown="\U0001f600 Log in.\n\n`log in`\n")
    return Writer(signed_in_tab, f"{development_server}/app/{cast.acme.slug}/articles/{article['id']}/edit")


async def test_violations_are_shown_at_a_pause_and_fixed_by_keyboard(
    writer: Writer, complaints: Complaints
) -> None:
    requests: list[str] = []
    writer.page.on("request", lambda request: requests.append(request.url))
    await writer.open()
    rows = writer.page.locator("#style li")
    await expect(rows).to_have_count(1)
    await expect(writer.page.locator(".md-problem")).to_have_text("Log in")

    await writer.type("Simply log in first. ")
    await expect(rows).to_have_count(3)
    assert sum("/writing/style" in url for url in requests) <= 3
    await expect(writer.page.locator(".md-problem")).to_have_text(["Simply", "log in", "Log in"])
    fix = rows.nth(2).get_by_role("button", name="Fix", exact=False)
    await fix.focus()
    await writer.page.keyboard.press("Enter")

    assert await writer.text() == "Simply log in first. \U0001f600 Sign in.\n\n`log in`\n"
    await expect(writer.surface).to_be_focused()
    await expect(rows).to_have_count(2)
    await rows.nth(0).get_by_role("button", name="Show line 1").click()
    await writer.page.keyboard.type("So")
    assert (await writer.text()).startswith("So log in first.")
    assert complaints.lines == []

"""Choosing a product version in Chromium, on the help center and in the widget."""

import pytest
from playwright.async_api import Browser, Page, expect

from tests.support.cast import Cast, Client
from tests.support.chromium import Complaints
from tests.support.host_pages import HostPage, HostSite
from tests.support.http import created
from tests.support.site_pages import publish
from tests.support.widget_pages import QUESTION, Widget, ask, panel, question_field


@pytest.fixture(autouse=True)
async def versions(writer: Client, widget: Widget) -> None:
    """The widget's article applies to both versions, the other article only to the older one."""
    for slug in ("1.x", "2.x"):
        created(await writer.post("/v1/product-versions", json={"slug": slug, "isCurrent": slug == "2.x"}))
    await publish(writer, "Telnet", "Telnet reaches **port 23** of the server.", untilVersion="1.x")


@pytest.mark.parametrize("has_scripts", [True, False])
async def test_a_reader_chooses_a_version_by_keyboard(
    chromium: Browser, server: str, cast: Cast, has_scripts: bool
) -> None:
    home = f"{server}/help/{cast.acme.slug}"
    async with await chromium.new_context(java_script_enabled=has_scripts) as profile:
        page = await profile.new_page()
        await page.goto(f"{home}/articles/files")
        choice = page.get_by_role("navigation", name="Version", exact=True).first
        summary = choice.locator("summary")
        await summary.focus()
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        await expect(choice.get_by_role("link", name="1.x")).to_be_focused()
        await page.keyboard.press("Enter")

        await expect(page).to_have_url(f"{home}/versions/1.x/articles/files")
        await expect(summary).to_have_text("Version 1.x")
        await page.locator("header input[name=q]").fill("telnet")
        await page.keyboard.press("Enter")
        await page.get_by_role("main").get_by_role("link", name="Telnet").click()
        await expect(page).to_have_url(f"{home}/versions/1.x/articles/telnet")


async def test_suggestions_while_typing_are_those_of_the_version(page: Page, server: str, cast: Cast) -> None:
    await page.goto(f"{server}/help/{cast.acme.slug}/versions/1.x/articles/files")
    await page.locator("header input[name=q]").fill("telnet")

    match = page.get_by_role("option", name="Telnet").first
    await expect(match).to_be_visible()
    assert await match.get_attribute("href") == f"/help/{cast.acme.slug}/versions/1.x/articles/telnet"


async def test_a_widget_answers_for_its_version(page: Page, hosts: HostSite, widget: Widget) -> None:
    await page.goto(hosts.add(HostPage(widget.tag(version="1.x"))))
    await ask(page, "Which port does telnet reach?")
    await expect(panel(page).locator(".text")).to_contain_text("port 23")

    await page.goto(hosts.add(HostPage(widget.tag())))
    await ask(page, "Which port does telnet reach?")
    await expect(panel(page).locator(".answer")).to_be_visible()
    await expect(panel(page).get_by_text("port 23")).to_have_count(0)
    await question_field(page).fill("telnet port")
    found = panel(page).get_by_role("list", name="Articles", exact=True)
    await expect(found.get_by_role("listitem").filter(has_text="Telnet")).to_contain_text("1.x · ")


async def test_a_widget_of_an_unknown_version_answers_for_the_current_one(
    page: Page, complaints: Complaints, hosts: HostSite, widget: Widget
) -> None:
    await page.goto(hosts.add(HostPage(widget.tag(version="0.1"))))
    await ask(page, QUESTION)
    await expect(panel(page).locator(".text")).to_contain_text("50 MB")
    assert any("has no version 0.1" in line for line in complaints.lines)

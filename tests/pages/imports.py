"""Actions on the import pages."""

from typing import TYPE_CHECKING

from playwright.async_api import Page

if TYPE_CHECKING:
    from tests.support.stage import Stage


async def follow_api_description(page: Page, stage: "Stage") -> None:
    """Follow an API description unless it is followed already."""
    if await page.get_by_role("button", name="Update now").is_visible():
        return
    await page.get_by_label("Address of the OpenAPI document").fill(
        "https://api.nordwind.example/openapi.json"
    )
    await page.get_by_role("button", name="Import every day").click()
    await page.get_by_role("button", name="Update now").wait_for()


async def send_no_archive(page: Page, stage: "Stage") -> None:
    """Choose a format and send an empty archive."""
    await page.get_by_label("Archive").set_input_files(
        {"name": "handbook.zip", "mimeType": "application/zip", "buffer": b""}
    )
    await page.get_by_role("button", name="Preview the import").click()
    await page.get_by_role("alert").wait_for()

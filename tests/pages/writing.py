"""Actions in the stage's editor, in the palette, and in a workspace without a help center."""

import re
from typing import TYPE_CHECKING

import httpx2
from playwright.async_api import Page

from instep.accounts.workspaces.actions import create_bot, create_workspace
from instep.platform.core.database import Tx
from instep.platform.identity.schemas import Person
from instep.platform.identity.scopes import Role
from tests.support.oauth import begin_session, submit
from tests.support.second_factors import add_authenticator
from tests.support.sign_in import PASSWORD, sign_up

if TYPE_CHECKING:
    from tests.support.stage import Stage

CAREFUL = "careful@elsewhere.example"
PREVIEW = re.compile(r'href="http://[^/]+(/preview/[^"]+)"')

# The server's response with a proposal to reword a text.
PROPOSAL = {
    "from": 0,
    "old": "You can be able to run it.",
    "new": "Run it on https://login.example.com.",
    "note": "It is shorter, and says where.",
    "warnings": ["The new text names the host `login.example.com`, which only your text names."],
    "words": [
        ("removed", "You can be able to run"),
        ("added", "Run"),
        ("same", " it"),
        ("added", " on https://login.example.com"),
        ("same", "."),
    ],
}


async def begin_elsewhere(owner: Tx) -> dict[str, str]:
    """Create owners of a workspace without a bot and of one with a new bot; return sessions by name."""
    sessions: dict[str, str] = {}
    for name, has_bot in (("nobody", False), ("fritz", True)):
        workspace = await create_workspace(owner, f"Workspace of {name}")
        if has_bot:
            await create_bot(owner, workspace.id, "Fresh", "fresh", "en")
        user = await sign_up(owner, workspace.id, Role.OWNER, f"{name}@elsewhere.example")
        sessions[name] = await begin_session(owner, Person(user.id, workspace.id, user.email, Role.OWNER))
    user = await sign_up(owner, workspace.id, Role.VIEWER, CAREFUL)
    await add_authenticator(owner, user)
    return sessions


async def preview_draft(url: str, session: str, path: str) -> str:
    """The path of a preview link of the draft at this path."""
    cookies = {"instep-session": session}
    async with httpx2.AsyncClient(
        base_url=url, cookies=cookies, timeout=30, follow_redirects=True
    ) as browser:
        page = await submit(browser, await browser.get(path), f"{path}/preview", of="draft")
    link = PREVIEW.search(page.text)
    assert link is not None, page.text
    return link[1]


async def sign_in_with_code(page: Page, stage: "Stage") -> None:
    await page.get_by_label("Email").fill(CAREFUL)
    await page.get_by_label("Password").fill(PASSWORD)
    await page.get_by_role("button", name="Sign in").click()
    await page.get_by_label("Code").wait_for()


async def open_palette(page: Page, stage: "Stage") -> None:
    await page.keyboard.press("Control+k")
    await page.locator("#palette-words").fill("limit")
    await page.locator("#palette-hits a").first.wait_for()


async def show_keys(page: Page, stage: "Stage") -> None:
    await page.keyboard.press("?")
    await page.get_by_role("dialog").wait_for()


async def go_into_table(page: Page, stage: "Stage") -> None:
    """Move the cursor into a table, where buttons for its rows and columns appear."""
    await page.locator(".cm-line", has_text="Team").click()
    await page.get_by_role("button", name="Delete the row").wait_for()


async def open_model_menu(page: Page, stage: "Stage") -> None:
    await page.locator("#model-menu summary").press("Enter")
    await page.get_by_role("button", name="Fix spelling and tone").wait_for()


async def show_proposal(page: Page, stage: "Stage") -> None:
    await page.route("**/writing/words?*", lambda route: route.fulfill(json=PROPOSAL))
    await open_model_menu(page, stage)
    await page.get_by_role("button", name="Shorten").click()
    await page.get_by_role("region", name="Proposal").wait_for()


async def show_preview(page: Page, stage: "Stage") -> None:
    """Show the preview, for which the text makes room in a narrow window."""
    await page.set_viewport_size({"width": 1024, "height": 800})
    toggle = page.get_by_role("button", name="Preview")
    if await toggle.get_attribute("aria-pressed") == "false":
        await toggle.click()
    await page.locator("#preview-text h2").first.wait_for()

"""The page of all components exists only in development; they work by pointer, by keyboard and narrow."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from instep.interfaces import dashboard
from tests.support.cast import Api, Cast
from tests.support.chromium import Complaints

PARTS = "/app/_parts"
REVIEW = "/app/_parts/review"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; font-src 'self'; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types instep"
)
TEMPLATES = Path(dashboard.__file__).parent / "templates"
OVERFLOW = "document.documentElement.scrollWidth > innerWidth"


@pytest.mark.parametrize("path", [PARTS, REVIEW])
async def test_outside_of_development_there_is_no_such_page(api: Api, cast: Cast, path: str) -> None:
    assert (await api(None).get(path)).status_code == 404


@pytest.mark.parametrize("path", [PARTS, REVIEW])
@pytest.mark.parametrize("width", [390, 1024, 1600])
async def test_a_page_fits_its_window_under_the_policy(
    development_server: str, tab: Page, complaints: Complaints, path: str, width: int
) -> None:
    await tab.set_viewport_size({"width": width, "height": 900})
    answer = await tab.goto(development_server + path, wait_until="networkidle")

    assert answer is not None
    assert answer.headers["content-security-policy"] == POLICY
    assert await tab.evaluate(OVERFLOW) is False
    assert await tab.evaluate("document.fonts.check('1rem \"Atkinson Next\"')")
    assert complaints.lines == []


@pytest.mark.parametrize(
    "code",
    [
        "eval('1')",
        "new Function('1')()",
        "document.createElement('script').src = '/static/other.js'",
        "document.createElement('script').textContent = '1'",
        "document.body.innerHTML = '<p>'",
    ],
)
async def test_code_that_is_made_of_strings_does_not_run(
    development_server: str, tab: Page, code: str
) -> None:
    await tab.goto(development_server + PARTS)
    # The policy does not apply to the driver's own calls, but it does to callbacks that they schedule.
    outcome = await tab.evaluate(
        f"""new Promise(done => setTimeout(() => {{
            try {{ {code}; done("ran") }} catch (error) {{ done(error.name) }}
        }}))"""
    )

    assert outcome in ("EvalError", "TypeError")


async def test_a_part_of_a_page_is_loaded_under_the_policy(
    development_server: str, tab: Page, complaints: Complaints
) -> None:
    await tab.goto(development_server + PARTS)
    await tab.get_by_role("button", name="Load rows").click()

    await expect(tab.locator("#loaded").get_by_role("link", name="Import from a spreadsheet")).to_be_visible()
    await expect(tab.locator("#progress")).to_be_hidden()
    assert complaints.lines == []


def test_background_requests_show_no_progress() -> None:
    elements = [
        element
        for template in TEMPLATES.rglob("*.html")
        for element in re.findall(
            r"<\w+[^\n]* hx-trigger=\"(?:every|load|instep)[^\n]*", template.read_text()
        )
    ]

    assert elements
    assert [element for element in elements if "data-quiet" not in element] == []


async def test_a_refusal_is_a_toast_that_stays_until_it_is_closed(development_server: str, tab: Page) -> None:
    await tab.clock.install()
    await tab.goto(development_server + PARTS)
    await tab.get_by_role("button", name="Load what is not there").click()
    toast = tab.locator("#toasts").get_by_role("alert")

    await expect(toast).to_be_visible()
    await expect(tab.locator("#loaded")).to_be_empty()
    await tab.clock.fast_forward(60_000)
    await expect(toast).to_be_visible()
    # A repetition of the error does not take the focus.
    await toast.get_by_role("button", name="Close").focus()
    await toast.evaluate("toast => toast.after(toast.cloneNode(true))")
    await expect(toast).to_have_count(1)
    await expect(toast.get_by_role("button", name="Close")).to_be_focused()
    await tab.keyboard.press("Enter")
    await expect(toast).to_be_hidden()


async def test_visitor_without_session_goes_to_the_sign_in_and_back(
    development_server: str, tab: Page
) -> None:
    await tab.goto(f"{development_server}{PARTS}?a=1")
    await tab.get_by_role("button", name="Load what needs a session").click()

    await tab.wait_for_url(f"{development_server}/sign-in?next=/app/_parts%3Fa%3D1")


async def test_keys_press_their_buttons_and_are_silent_in_fields(development_server: str, tab: Page) -> None:
    await tab.goto(development_server + REVIEW)
    await tab.evaluate(
        "document.querySelector('[data-key=e]').addEventListener('click', () => document.title = 'Edit')"
    )
    await tab.evaluate("document.querySelector('main').append(document.createElement('input'))")

    await tab.locator("main input").press("e")
    assert await tab.locator("main input").input_value() == "e"
    assert await tab.title() != "Edit"
    await tab.locator("body").press("Control+e")
    assert await tab.title() != "Edit"
    await tab.evaluate("document.activeElement.blur()")
    await tab.keyboard.press("e")
    assert await tab.title() == "Edit"


async def test_one_key_after_the_other_goes_to_a_section(development_server: str, tab: Page) -> None:
    await tab.goto(development_server + REVIEW)

    await tab.keyboard.press("x")
    await tab.keyboard.press("g")
    async with tab.expect_navigation(url="**/app/acme/health"):
        await tab.keyboard.press("h")


async def test_a_key_that_is_turned_off_stays_off(development_server: str, tab: Page) -> None:
    await tab.goto(development_server + REVIEW)
    await tab.keyboard.press("?")
    dialog = tab.get_by_role("dialog", name="Keyboard shortcuts")
    await expect(dialog.get_by_role("checkbox", name="Apply")).to_be_checked()
    await dialog.get_by_role("checkbox", name="Articles").uncheck()
    await tab.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()

    await tab.reload()
    await tab.keyboard.press("g")
    await tab.keyboard.press("a")
    await tab.keyboard.press("?")

    await expect(dialog.get_by_role("checkbox", name="Articles")).not_to_be_checked()
    await expect(dialog.get_by_role("checkbox", name="Apply")).to_be_checked()
    assert tab.url == development_server + REVIEW


async def test_arrow_keys_go_through_a_menu_and_a_choice_closes_it(
    development_server: str, tab: Page
) -> None:
    await tab.goto(development_server + PARTS)
    menu = tab.locator("#light-menu")
    await tab.locator("[popovertarget=light-menu]").press("Enter")
    await expect(menu).to_be_visible()

    await tab.keyboard.press("ArrowDown")
    await tab.keyboard.press("ArrowDown")
    await expect(menu.get_by_role("button", name="Wrong article")).to_be_focused()
    await tab.keyboard.press("ArrowDown")
    await expect(menu.get_by_role("button", name="Delete the article")).to_be_focused()
    await tab.keyboard.press("Home")
    await tab.keyboard.press("Enter")

    await expect(menu).to_be_hidden()
    await expect(tab.locator("[popovertarget=light-menu]")).to_be_focused()


async def test_a_dialog_gives_the_focus_back(development_server: str, tab: Page) -> None:
    await tab.goto(development_server + PARTS)
    opener = tab.locator("[commandfor=light-dialog]")
    await opener.click()
    await expect(tab.get_by_role("dialog", name="Delete “Upload limits”?")).to_be_visible()
    await tab.keyboard.press("Escape")

    await expect(tab.locator("#light-dialog")).to_be_hidden()
    await expect(opener).to_be_focused()


async def test_a_toast_leaves_by_itself_unless_it_has_a_way_back(development_server: str, tab: Page) -> None:
    await tab.clock.install()
    await tab.goto(development_server + REVIEW)
    way_back = tab.get_by_role("status").get_by_text("Applied to “Upload limits”.")
    await tab.evaluate(
        """const toast = document.createElement("div");
        Object.assign(toast, {className: "toast", textContent: "Saved."}).dataset.leaves = "";
        document.getElementById("toasts").append(toast)"""
    )
    saved = tab.get_by_role("status").get_by_text("Saved.")
    await expect(saved).to_be_visible()
    await tab.clock.fast_forward(60_000)

    await expect(saved).to_be_hidden()
    await expect(way_back).to_be_visible()
    await tab.locator("#toasts").get_by_role("button", name="Close").click()
    await expect(way_back).to_be_hidden()


async def test_in_a_narrow_window_the_sections_are_behind_a_button(
    development_server: str, tab: Page
) -> None:
    await tab.set_viewport_size({"width": 390, "height": 800})
    await tab.goto(development_server + REVIEW)
    sections = tab.get_by_role("navigation", name="Sections")
    await expect(sections).to_be_hidden()
    await tab.get_by_role("button", name="Menu").click()

    await expect(sections.get_by_role("link", name="Articles")).to_be_visible()
    await expect(tab.get_by_role("button", name="Apply", exact=True)).to_be_in_viewport()

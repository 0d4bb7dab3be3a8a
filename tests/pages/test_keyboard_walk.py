"""The Tab key reaches every usable element of every page, in the order of the text, and then leaves it."""

from dataclasses import dataclass

import pytest
from playwright.async_api import Page, expect

from tests.support.visit import Visit

pytestmark = pytest.mark.people

# All elements in order; those of a shadow tree follow the element that hosts it.
ELEMENTS = """
    const elements = (root) => [...root.querySelectorAll("*")].flatMap(
        (element) => element.shadowRoot ? [element, ...elements(element.shadowRoot)] : [element])
    const all = elements(document)
"""
# The focused element, preceded by the hosts of the shadow trees around it.
FOCUS = """
    const focus = []
    for (let root = document; root?.activeElement; root = root.activeElement.shadowRoot) {
        focus.push(root.activeElement)
    }
"""
COUNT = f"() => {{{ELEMENTS} return all.length }}"
STOP = f"""
() => {{{ELEMENTS} {FOCUS}
    const element = focus.at(-1)
    if (element === document.body) return null
    const is_marked = (style) =>
        style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0 || style.boxShadow !== "none"
    const box = element.getBoundingClientRect()
    // An editor draws and drops lines as it scrolls, so places count only as they are at this moment.
    const place = all.indexOf(element), last = all.indexOf(window.walked?.at(-1))
    // Day, month, year and the calendar of a date field are stops of their own, which the browser marks.
    const is_next_part = place === last && element.type === "date"
    window.walked = [...window.walked ?? [], element]
    return {{
        is_onward: place > last || is_next_part,
        html: element.outerHTML.slice(0, 120),
        is_marked: is_next_part || focus.some((marked) => is_marked(getComputedStyle(marked))),
        is_in_view: box.width > 0 && box.height > 0
            && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
    }}
}}
"""
# In a table of the editor Tab goes to the next cell; after Escape it leaves the text, as the page says.
TAKES_TAB = f"() => {{{FOCUS} return focus.at(-1)?.isContentEditable }}"
# Usable elements that the walk missed; if a dialog is open, only those inside it. A group of radio buttons is
# one stop, the checked one; so are the buttons of a toolbar and the tabs of a list, which arrow keys reach.
# Arrow keys also choose a list's option while its field keeps the focus.
MISSED = f"""
() => {{{ELEMENTS}
    const usable = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']"
    const dialog = document.querySelector("dialog:modal")
    return all.filter((element) => !window.walked.includes(element))
        .filter((element) => !dialog || dialog.contains(element))
        .filter((element) => element.matches(usable) && !element.disabled && element.checkVisibility())
        .filter((element) => element.type !== "radio" || element.checked)
        .filter((element) => element.role !== "option")
        .filter((element) => !element.matches(":is([role=toolbar], [role=tablist]) > [tabindex='-1']"))
        .map((element) => element.outerHTML.slice(0, 120))
}}
"""


@dataclass(frozen=True, slots=True)
class Stop:
    # True if it comes after the previous stop.
    is_onward: bool
    html: str
    is_marked: bool
    is_in_view: bool


async def test_tab_leads_through_the_whole_page(visit: Visit) -> None:
    page = visit.page
    await draw_diagrams(page)
    if await page.evaluate(STOP):
        # A field focused on load would start the walk in the middle of the page.
        await walk(page)
    for width in (390, 1024):
        await page.set_viewport_size({"width": width, "height": 800})

        stops = await walk(page)

        assert [stop.html for stop in stops if not stop.is_onward] == []
        assert await page.evaluate(MISSED) == []
        assert [stop.html for stop in stops if not stop.is_marked] == []
        assert [stop.html for stop in stops if not stop.is_in_view] == []


async def draw_diagrams(page: Page) -> None:
    """Diagrams are drawn when scrolled into view, and wide ones are stops only after that."""
    for place in await page.locator(".diagram").all():
        await place.scroll_into_view_if_needed()
        await expect(place.locator("iframe[height]")).to_be_attached()
    await page.evaluate("scrollTo(0, 0)")


async def walk(page: Page) -> list[Stop]:
    """Press Tab until the focus leaves the page; fails if it never does."""
    stops: list[Stop] = []
    await page.evaluate("window.walked = []")
    for _ in range(await page.evaluate(COUNT)):
        if await page.evaluate(TAKES_TAB):
            await page.keyboard.press("Escape")
        await page.keyboard.press("Tab")
        values = await page.evaluate(STOP)
        if values is None:
            return stops
        stops.append(Stop(**values))
    pytest.fail(f"The focus never left the page; it came last to {stops[-3:]}.")

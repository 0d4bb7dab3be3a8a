"""No page scrolls sideways at a width of 320 pixels or with text twice as large (WCAG 2.2, reflow)."""

import pytest

from tests.support.visit import Visit

pytestmark = pytest.mark.people


async def test_no_page_is_wider_than_its_window(visit: Visit) -> None:
    for width, font_size in ((320, "100%"), (640, "200%")):
        await visit.page.set_viewport_size({"width": width, "height": 800})
        await visit.page.evaluate("size => { document.documentElement.style.fontSize = size }", font_size)
        assert await visit.page.evaluate("document.documentElement.scrollWidth") <= width

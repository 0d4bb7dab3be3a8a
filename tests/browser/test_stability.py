"""Visible text does not move when fonts or pictures load (Core Web Vitals' CLS)."""

import re
from pathlib import Path

import pytest
from playwright.async_api import Page

from scripts.check_assets import SOURCES
from tests.support.cast import Cast, Client
from tests.support.site_pages import publish
from tests.support.source_code import REPOSITORY

FONTS = [SOURCES / "src" / "shared" / name for name in ("fonts.css", "further-fonts.css")]
# On a busy machine, a late code font may still move a row by a fraction of a pixel; 0.1 is a good score.
MAX_LAYOUT_SHIFT = 0.005
SHIFTS = """
new Promise(done => {
    const seen = [];
    const observer = new PerformanceObserver(list => seen.push(...list.getEntries()));
    observer.observe({type: "layout-shift", buffered: true});
    document.fonts.ready.then(() => requestAnimationFrame(() => requestAnimationFrame(
        () => done(seen.reduce((sum, shift) => sum + shift.value, 0)))));
})
"""


@pytest.mark.parametrize("width", [390, 1600])
async def test_an_article_stays_where_it_is(
    server: str, writer: Client, cast: Cast, page: Page, width: int
) -> None:
    text = (REPOSITORY / "docs" / "help" / "02-run-it" / "01-settings.md").read_text()
    await publish(writer, "Settings", text.split("---\n", 2)[2])
    await page.set_viewport_size({"width": width, "height": 800})
    await page.goto(f"{server}/help/{cast.acme.slug}/articles/settings")

    assert await page.evaluate(SHIFTS) <= MAX_LAYOUT_SHIFT


def test_a_font_that_comes_late_changes_no_line() -> None:
    """Late text fonts are used on the next page only, and the code font has a fallback of the same width."""
    faces = re.findall(r"@font-face \{(.*?)\}", "".join(map(Path.read_text, FONTS)), re.S)
    of_words = [face for face in faces if '"Atkinson Next"' in face]
    [placeholder] = [face for face in faces if '"Atkinson Mono fallback"' in face]

    assert len(of_words) == 4
    assert all("font-display: optional" in face for face in of_words)
    assert "size-adjust" in placeholder

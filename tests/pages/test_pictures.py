"""Screenshots of every page and state, and a contact sheet of all of them, in the folder `pictures`."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont
from playwright.async_api import Browser, Page

from tests.pages.catalogue import PAGES
from tests.support.stage import Stage
from tests.support.visit import SCHEMES, WIDTHS, visiting

pytestmark = pytest.mark.pictures
FOLDER = Path(__file__).parents[2] / "pictures"
# In pixels; taller pages are cut.
MAX_HEIGHT = 2_400
THUMBNAIL_WIDTH, THUMBNAIL_HEIGHT, GAP = 300, 450, 24


@dataclass(frozen=True, slots=True)
class View:
    """A window and its visitor's preferences."""

    name: str
    width: int
    media: dict[str, Any]


VIEWS = [
    *(View(f"{width} {scheme}", width, {"color_scheme": scheme}) for width in WIDTHS for scheme in SCHEMES),
    View("1024 forced colours", 1024, {"forced_colors": "active"}),
    View("1024 reduced motion", 1024, {"reduced_motion": "reduce"}),
    View("1024 print", 1024, {"media": "print"}),
]
# Each view starts from a visitor without preferences.
NO_PREFERENCES = {
    "media": "screen",
    "color_scheme": "light",
    "forced_colors": "none",
    "reduced_motion": "no-preference",
}


async def test_every_page_and_state_is_pictured(chromium: Browser, stage: Stage) -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir()
    for page_state in PAGES:
        async with visiting(chromium, stage, page_state) as visit:
            for view in VIEWS:
                await take_picture(visit.page, view, picture_file(page_state.slug, view))

    draw_contact_sheet(FOLDER / "contact-sheet.png")
    assert len(list(FOLDER.glob("*.png"))) == len(PAGES) * len(VIEWS) + 1


def picture_file(slug: str, view: View) -> Path:
    return FOLDER / f"{slug}--{view.name.replace(' ', '-')}.png"


async def take_picture(page: Page, view: View, file: Path) -> None:
    await page.set_viewport_size({"width": view.width, "height": 800})
    await page.emulate_media(**NO_PREFERENCES | view.media)
    height = min(await page.evaluate("document.documentElement.scrollHeight"), MAX_HEIGHT)
    clip: Any = {"x": 0, "y": 0, "width": view.width, "height": height}
    await page.screenshot(path=file, full_page=True, clip=clip, animations="disabled")


def draw_contact_sheet(file: Path) -> None:
    """Draw a row per page state and a column per view; every picture has its label above."""
    width, height = THUMBNAIL_WIDTH + GAP, THUMBNAIL_HEIGHT + 2 * GAP
    sheet = Image.new("RGB", (GAP + width * len(VIEWS), GAP + height * len(PAGES)), "#888")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(size=14)
    for row, page_state in enumerate(PAGES):
        for column, view in enumerate(VIEWS):
            left, top = GAP + width * column, GAP + height * row
            pen.text((left, top), f"{page_state.name} · {view.name}", "white", font)
            sheet.paste(thumbnail(picture_file(page_state.slug, view)), (left, top + GAP))
    sheet.save(file)


def thumbnail(file: Path) -> Image.Image:
    """The upper part of a picture."""
    with Image.open(file) as image:
        scaled_height = max(1, image.height * THUMBNAIL_WIDTH // image.width)
        scaled = image.convert("RGB").resize((THUMBNAIL_WIDTH, scaled_height), Image.Resampling.LANCZOS)
    return scaled.crop((0, 0, THUMBNAIL_WIDTH, min(scaled_height, THUMBNAIL_HEIGHT)))

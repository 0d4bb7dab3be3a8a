"""Every kind of email in every language: light and dark pictures, on a phone too, and its plain text."""

import shutil
from pathlib import Path

import pytest
from playwright.async_api import Browser

from instep.platform.core.config import settings
from instep.platform.email.letters import render
from instep.platform.web.catalogues import LANGUAGES, catalogue_of
from tests.pages.letters import LETTERS
from tests.support.visit import SCHEMES

pytestmark = pytest.mark.pictures
FOLDER = Path(__file__).parents[2] / "pictures" / "emails"
WIDTHS = (320, 390, 1_024)
# In pixels; no email is taller, so there are no scrollbars.
HEIGHT = 1_600


async def test_every_email_is_pictured_and_fits_a_phone(chromium: Browser) -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    page = await chromium.new_page()
    for name, letter_in in LETTERS.items():
        for locale in LANGUAGES:
            letter, catalogue = letter_in(locale), catalogue_of(locale)
            file = FOLDER / f"{name}--{locale}"
            file.with_suffix(".txt").write_text(render(settings(), "email.txt", letter, catalogue))
            await page.set_content(render(settings(), "email.html", letter, catalogue))
            for width in WIDTHS:
                await page.set_viewport_size({"width": width, "height": HEIGHT})
                assert await page.evaluate("document.documentElement.scrollWidth") <= width, file.name
                for scheme in SCHEMES:
                    await page.emulate_media(color_scheme=scheme)
                    await page.locator("body").screenshot(path=f"{file}--{width}-{scheme}.png")
    await page.close()

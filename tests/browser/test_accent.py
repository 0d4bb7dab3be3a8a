"""A bot's accent color in a real browser: everything in this color is readable, whichever one was chosen."""

from typing import Any, Literal

import pytest
from coloraide import Color
from playwright.async_api import Page

from instep.platform.core.colours import readable_accent
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast
from tests.support.chromium import Complaints
from tests.support.host_pages import HostPage, HostSite
from tests.support.site_pages import publish
from tests.support.widget_pages import Widget, open_panel

Scheme = Literal["light", "dark"]
PALE_YELLOW, DARK_NAVY = "#fff5b8", "#0a1440"
PROBE = """
    () => {
        const link = document.querySelector('.prose a[href*="example"]');
        const ground = document.createElement('p');
        ground.style.background = 'var(--blue-bg)';
        document.body.append(ground);
        return [getComputedStyle(link).color, getComputedStyle(document.body).backgroundColor,
            getComputedStyle(ground).backgroundColor];
    }
"""
LAUNCHER = "document.querySelector('[data-mode]').shadowRoot.querySelector('.launcher')"


@pytest.mark.parametrize("chosen", [PALE_YELLOW, DARK_NAVY])
@pytest.mark.parametrize(("scheme", "min_contrast"), [("light", 4.5), ("dark", 7)])
async def test_links_in_the_accent_colour_are_readable(
    server: str,
    page: Page,
    complaints: Complaints,
    api: Api,
    cast: Cast,
    owner: Tx,
    chosen: str,
    scheme: Scheme,
    min_contrast: float,
) -> None:
    await publish(api(cast.acme.write_key), "Colours", "A [link](https://example.com/).")
    accent = readable_accent(chosen)
    await set_accent(owner, cast, chosen, accent.light, accent.dark)

    await page.emulate_media(color_scheme=scheme)
    await page.goto(f"{server}/help/{cast.acme.slug}/articles/colours")
    link, *grounds = [Color(colour) for colour in await page.evaluate(PROBE)]

    assert link.convert("srgb").to_string(hex=True) == getattr(accent, scheme)
    for ground in grounds:
        assert link.contrast(ground, method="wcag21") >= min_contrast
    assert complaints.lines == []


async def set_accent(owner: Tx, cast: Cast, *colours: Any) -> None:
    await owner.execute(
        "update bots set (accent, accent_light, accent_dark) = (%(chosen)s, %(light)s, %(dark)s)"
        " where id = %(id)s",
        id=cast.acme.bot_id,
        **dict(zip(("chosen", "light", "dark"), colours, strict=True)),
    )


async def test_the_button_of_the_widget_has_the_accent_of_its_line_and_then_that_of_the_help_center(
    page: Page, hosts: HostSite, widget: Widget, owner: Tx, cast: Cast
) -> None:
    color = f"getComputedStyle({LAUNCHER}).backgroundColor"
    accent = readable_accent(PALE_YELLOW)
    await set_accent(owner, cast, PALE_YELLOW, accent.light, accent.dark)

    for tag, before in ((widget.tag(accent="#006644 #33dd99"), "rgb(0, 102, 68)"), (widget.tag(), None)):
        await page.goto(hosts.add(HostPage(tag)))
        button = page.get_by_role("button", name="Help")
        await button.wait_for()
        if before:
            assert await page.evaluate(color) == before
        await open_panel(page)
        await page.mouse.move(0, 0)
        assert Color(await page.evaluate(color)).convert("srgb").to_string(hex=True) == accent.light

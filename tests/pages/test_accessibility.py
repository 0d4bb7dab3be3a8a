"""Every page passes every axe-core rule at every width, in light and dark mode (WCAG 2.2 AA)."""

import pytest

from tests.pages.axe import Axe
from tests.support.visit import SCHEMES, WIDTHS, Visit

pytestmark = pytest.mark.people


async def test_no_rule_of_accessibility_is_broken(visit: Visit) -> None:
    axe = await Axe.on(visit.page)
    violations: list[str] = []
    for width in WIDTHS:
        await visit.page.set_viewport_size({"width": width, "height": 800})
        for scheme in SCHEMES:
            await visit.page.emulate_media(color_scheme=scheme)
            violations += [f"{width} {scheme}: {violation}" for violation in await axe.violations()]

    assert violations == []

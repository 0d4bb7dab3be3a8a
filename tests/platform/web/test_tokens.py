"""Color tokens are readable in both schemes wherever components combine them."""

import re

import pytest
from coloraide import Color

from scripts.check_assets import SOURCES

TOKENS = {
    name: (light, dark)
    for name, light, dark in re.findall(
        r"--([\w-]+): light-dark\((oklch\(.+?\)), (oklch\(.+?\))\);",
        (SOURCES / "src" / "shared" / "tokens.css").read_text(),
    )
}
GROUNDS = ("paper", "sheet", "tint")
INKS = ("ink", "ink-2", "ink-3", "blue", "red", "amber", "green")
# Text on each background, and then on the backgrounds that carry a meaning.
TEXT_PAIRS = [
    *((ink, ground) for ink in INKS for ground in GROUNDS),
    *(("ink", ground) for ground in ("blue-bg", "ins-bg", "del-bg", "marker", "ins-mark", "del-mark")),
    *((ink, "blue-bg") for ink in ("ink-2", "blue", "red", "amber")),
    *((ink, "marker") for ink in ("ink-2", "blue")),
    *(("ins-ink", "ins-mark"), ("ins-ink", "tint"), ("del-ink", "del-mark"), ("del-ink", "tint")),
    *(("red", "del-bg"), ("blue", "ins-bg"), ("blue", "del-bg"), ("paper", "ink"), ("sheet", "blue")),
]
# Borders of controls, and marks that carry meaning without words.
BORDER_PAIRS = [("edge", ground) for ground in GROUNDS] + [("blue", ground) for ground in GROUNDS]
SCHEMES = pytest.mark.parametrize("scheme", [0, 1], ids=["light", "dark"])


def contrast(front: str, back: str, scheme: int) -> float:
    return Color(TOKENS[front][scheme]).contrast(TOKENS[back][scheme], method="wcag21")


@SCHEMES
def test_all_text_is_readable(scheme: int) -> None:
    contrasts = {pair: contrast(*pair, scheme) for pair in TEXT_PAIRS}

    assert {pair: value for pair, value in contrasts.items() if value < 4.5} == {}
    assert min(contrast("ink", ground, scheme) for ground in GROUNDS) >= 7


@SCHEMES
def test_the_borders_of_controls_are_seen(scheme: int) -> None:
    assert {pair for pair in BORDER_PAIRS if contrast(*pair, scheme) < 3} == set()


@SCHEMES
def test_every_colour_is_shown_by_every_screen(scheme: int) -> None:
    assert len(TOKENS) >= 20
    assert [name for name, colours in TOKENS.items() if not Color(colours[scheme]).in_gamut("srgb")] == []

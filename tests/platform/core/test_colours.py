"""Any accent color becomes readable in both schemes and stays as close to the original as possible."""

import re

import pytest
from coloraide import Color
from hypothesis import given, settings
from hypothesis import strategies as st

from instep.platform.core import colours
from instep.platform.core.colours import InvalidColour, readable_accent
from scripts.check_assets import SOURCES

CHANNEL = st.integers(0, 255)
# Below this chroma, a color's hue is noise of its 8 bits.
MIN_CHROMA_OF_A_HUE = 0.04
# The degrees that 8 bits and the limits of sRGB may shift a hue.
HUE_TOLERANCE = 4.0


def contrasts(colour: str, grounds: tuple[str, ...]) -> list[float]:
    return [Color(colour).contrast(ground, method="wcag21") for ground in grounds]


@settings(max_examples=60, deadline=None)
@given(CHANNEL, CHANNEL, CHANNEL)
def test_every_colour_becomes_readable_in_both_schemes(red: int, green: int, blue: int) -> None:
    accent = readable_accent(f"rgb({red} {green} {blue})")

    assert min(contrasts(accent.light, colours.LIGHT_GROUNDS)) >= 4.5
    assert min(contrasts(accent.dark, colours.DARK_GROUNDS)) >= 7
    for corrected in (accent.light, accent.dark):
        assert re.fullmatch(r"#[0-9a-f]{6}", corrected)


@settings(max_examples=40, deadline=None)
@given(CHANNEL, CHANNEL, CHANNEL)
def test_the_hue_stays(red: int, green: int, blue: int) -> None:
    chosen = Color(f"rgb({red} {green} {blue})").convert("oklch")
    accent = readable_accent(chosen.to_string())

    for corrected in (Color(accent.light).convert("oklch"), Color(accent.dark).convert("oklch")):
        if min(chosen["chroma"], corrected["chroma"]) > MIN_CHROMA_OF_A_HUE:
            difference = abs(chosen["hue"] - corrected["hue"]) % 360
            assert min(difference, 360 - difference) < HUE_TOLERANCE


def test_readable_colors_stay_and_others_change_as_little_as_possible() -> None:
    assert readable_accent("#0b5cad").light == "#0b5cad"
    assert readable_accent("#8abef6").dark == "#8abef6"
    yellow = readable_accent("gold").light
    assert 4.5 <= min(contrasts(yellow, colours.LIGHT_GROUNDS)) < 4.6
    assert readable_accent(yellow).light == yellow


@pytest.mark.parametrize(
    "text", ["#fff", "black", "oklch(none none none)", "color(display-p3 1 0 0)", "lab(50 80 0)"]
)
def test_the_borders_of_colour_spaces_are_readable_too(text: str) -> None:
    accent = readable_accent(text)

    assert min(contrasts(accent.light, colours.LIGHT_GROUNDS)) >= 4.5
    assert min(contrasts(accent.dark, colours.DARK_GROUNDS)) >= 7


@pytest.mark.parametrize(
    "text",
    [
        "",
        "blueish",
        "#0b5cad80",
        "transparent",
        "oklch(1e308 1e308 1)",
        "red; background: url(x)",
        "var(--a)",
    ],
)
def test_invalid_colors_are_refused_with_one_sentence(text: str) -> None:
    with pytest.raises(InvalidColour, match=r"such as #0b5cad"):
        readable_accent(text)


def test_the_grounds_are_those_of_the_style_sheet() -> None:
    tokens = (SOURCES / "src" / "shared" / "tokens.css").read_text()
    grounds = [re.search(rf"--{name}: light-dark\((.+?\)), (.+?\))\)", tokens) for name in ("sheet", "tint")]
    light, dark = zip(*(match.groups() for match in grounds if match), strict=True)

    assert [Color(colour) for colour in light] == [Color(colour) for colour in colours.LIGHT_GROUNDS]
    assert [Color(colour) for colour in dark] == [Color(colour) for colour in colours.DARK_GROUNDS]

"""Makes customers' colors readable on our pages: WCAG 2.2 contrast, with a search in OKLCH."""

from collections.abc import Sequence
from dataclasses import dataclass

from coloraide import Color

# The light-mode color of a help center without an accent color.
PRODUCT_BLUE = "#005f9e"
# Backgrounds of links and highlights in the accent color: `--sheet`, `--tint` of `tokens.css` in `frontend`.
LIGHT_GROUNDS = ("oklch(1 0 0)", "oklch(0.962 0.007 230)")
DARK_GROUNDS = ("oklch(0.222 0.014 250)", "oklch(0.262 0.016 250)")
# WCAG 2.2 success criteria 1.4.3 for light backgrounds, and 1.4.6 for dark ones, where text looks thinner.
MIN_LIGHT_CONTRAST = 4.5
MIN_DARK_CONTRAST = 7.0
# The number of halvings of the lightness range: finer than the steps of 8-bit colors.
SEARCH_STEPS = 12


class InvalidColour(ValueError):
    """The text is not one opaque CSS color."""


@dataclass(frozen=True, slots=True)
class Accent:
    """An accent color for each color scheme, as `#rrggbb`."""

    light: str
    dark: str


def readable_accent(css_colour: str) -> Accent:
    """The color with its hue, made as light or dark as the contrast in each scheme requires.

    A readable color is not changed. Raises `InvalidColour` with a sentence for the person who chose it.
    """
    colour = parse_colour(css_colour)
    return Accent(
        nearest_readable(colour, LIGHT_GROUNDS, MIN_LIGHT_CONTRAST, readable_lightness=0.0),
        nearest_readable(colour, DARK_GROUNDS, MIN_DARK_CONTRAST, readable_lightness=1.0),
    )


def parse_colour(css_colour: str) -> Color:
    """An opaque CSS color in OKLCH, within the sRGB gamut."""
    try:
        colour = Color(css_colour)
        fitted = fit_to_srgb(colour.convert("oklch"))
    except (ValueError, OverflowError):
        fitted = None
    if fitted is None or colour.alpha(nans=False) != 1:
        raise InvalidColour("A color must be an opaque CSS color, such as #0b5cad or oklch(49% 0.11 242).")
    return fitted


def nearest_readable(
    colour: Color, grounds: Sequence[str], min_contrast: float, readable_lightness: float
) -> str:
    """The color with the nearest readable lightness; `readable_lightness` (0 or 1) is always readable."""
    if has_contrast(colour, grounds, min_contrast):
        return as_hex(colour)
    readable, unreadable = readable_lightness, colour.get("lightness", nans=False)
    for _ in range(SEARCH_STEPS):
        middle = (readable + unreadable) / 2
        if has_contrast(with_lightness(colour, middle), grounds, min_contrast):
            readable = middle
        else:
            unreadable = middle
    return as_hex(with_lightness(colour, readable))


def with_lightness(colour: Color, lightness: float) -> Color:
    """The same hue with this lightness, and as much of the chroma as sRGB can show."""
    return fit_to_srgb(colour.clone().set("lightness", lightness))


def fit_to_srgb(colour: Color) -> Color:
    """Reduce the chroma until sRGB can show the color; without a tolerance, so that the hue stays."""
    return colour.fit("srgb", method="oklch-chroma", jnd=0)


def has_contrast(colour: Color, grounds: Sequence[str], min_contrast: float) -> bool:
    """True if the color as shown by browsers, in 8 bits per channel, has the contrast on every background."""
    rounded_colour = Color(as_hex(colour))
    return all(rounded_colour.contrast(ground, method="wcag21") >= min_contrast for ground in grounds)


def as_hex(colour: Color) -> str:
    return colour.convert("srgb").to_string(hex=True, fit=True)

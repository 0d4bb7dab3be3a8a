"""The width at which a source shows a picture, from its attributes."""

import re

# The width of the text of an article (`--measure` in frontend/src/shared/tokens.css). A wider picture is as
# wide as the text anyway.
TEXT_WIDTH_PIXELS = 672
_PIXELS = {"": 1.0, "px": 1.0, "em": 16.0, "rem": 16.0, "%": TEXT_WIDTH_PIXELS / 100}
_LENGTH = re.compile(r"\s*(\d{1,5}(?:\.\d{1,5})?)(px|r?em|%|)\s*", re.IGNORECASE)
_STYLE = re.compile(r"(?<![\w-])(?:max-?)?width\s*:\s*([^;,\s]+)", re.IGNORECASE)


def picture_width(width: str, style: str = "") -> int | None:
    """The width in pixels from an attribute or a style; None if the picture is as wide as the text."""
    declared = [width, *_STYLE.findall(style)]
    lengths = [length for text in declared if (length := _LENGTH.fullmatch(text))]
    pixels = [round(float(length[1]) * _PIXELS[length[2].lower()]) for length in lengths]
    return next((each for each in pixels if 0 < each < TEXT_WIDTH_PIXELS), None)

"""The style of a bot's accent color, which is put inside its pages."""

from functools import lru_cache

from instep.platform.core import limits
from instep.platform.web.assets import InlineStyle

# The accent replaces Instep blue in `tokens.css` of `frontend`. The backgrounds of notes get its
# hue; they are a little further from it than `--tint` is, so that it is as readable on them.
STYLE = """\
:root {{
  --blue: light-dark({light}, {dark});
  --blue-bg: light-dark(oklch(from {light} 0.97 min(c, 0.02) h), oklch(from {dark} 0.25 min(c, 0.04) h));
}}
"""


@lru_cache(limits.MAX_CACHED_ACCENTS)
def style_of_accent(light: str, dark: str) -> InlineStyle:
    """The style for these two colors, each `#rrggbb` as the table of bots has it."""
    return InlineStyle.of(STYLE.format(light=light, dark=dark))

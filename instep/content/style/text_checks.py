"""Checks of texts in server processes, which do long work in another process."""

from collections.abc import Sequence

from instep.content.style.schemas import Style
from instep.content.style.style_checks import Violation, check_style
from instep.platform.core import limits
from instep.platform.core.sandbox import TimeLimitExceeded, run_bounded


async def find_violations(text: str, style: Style, locale: str) -> Sequence[Violation]:
    """The violations of the style in a text; none if the check takes too long."""
    is_small = len(text) <= limits.MAX_INLINE_STYLE_CHARACTERS
    seconds = limits.MAX_STYLE_CHECK_SECONDS
    try:
        return await run_bounded(check_style, text, style, locale, seconds=seconds, is_small=is_small)
    except TimeLimitExceeded:
        return ()

"""Where a text is mentioned as itself, and not as a part of a longer name."""

import re
from functools import lru_cache

from instep.core.identifiers import mention as mention


@lru_cache(maxsize=1_024)
def emphasised(text: str) -> re.Pattern[str]:
    """Matches `text` only where an article sets it off, as it does for what a button says."""
    words = r"\s+".join(re.escape(word) for word in text.split())
    return re.compile(
        rf"(?<=\*\*){words}(?=\*\*)"
        rf"|(?<=[`\"\u201c\u2018\[]){words}(?=[`\"\u201d\u2019\]])"
        rf"|(?<=[ (]['*_]){words}(?=['*_])"
    )

"""Where a text is mentioned as itself, and not as a part of a longer name."""

import re
from functools import lru_cache


@lru_cache(maxsize=4_096)
def mention(text: str) -> re.Pattern[str]:
    """Matches `text` where no letter, digit, underscore or joining hyphen touches it."""
    before = r"(?<![\w-])" if text[:1].isalnum() or text[:1] in "_-" else ""
    before += r"(?<!\w\.)" if re.fullmatch(r"[\d.]+", text) else ""
    after = r"(?!\w|-\w)" if text[-1:].isalnum() or text[-1:] == "_" else ""
    after += r"(?!/\w)" if text[:1] == "/" else ""
    after += r"(?!\.\d)" if text[-1:].isdigit() else ""
    return re.compile(before + r"\s+".join(re.escape(word) for word in text.split()) + after)


@lru_cache(maxsize=1_024)
def emphasised(text: str) -> re.Pattern[str]:
    """Matches `text` only where an article sets it off, as it does for what a button says."""
    words = r"\s+".join(re.escape(word) for word in text.split())
    return re.compile(
        rf"(?<=\*\*){words}(?=\*\*)"
        rf"|(?<=[`\"\u201c\u2018\[]){words}(?=[`\"\u201d\u2019\]])"
        rf"|(?<=[ (]['*_]){words}(?=['*_])"
    )

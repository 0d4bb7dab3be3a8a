"""Identifiers of code in texts: spellings that only names have, and mentions of a name in a text."""

import re
from functools import lru_cache

_DISTINCT = re.compile(
    r"\w_[^\W_]"  # snake_case, UPPER_CASE
    r"|[a-z]\d*[A-Z]|[A-Z]{2}[a-z]{2}"  # camelCase, PascalCase, HTTPServer
    r"|^--[a-z][\w-]+$"  # a flag
    r"|^(?i:Ctrl|Control|Cmd|Command|Alt|Option|Meta|Shift|Mod)\+\S+$"  # a key combination
    r"|^_[a-z]{3}"  # _leading
    r"|\w-\w+-\w"  # X-Request-Id
    r"|^(/[\w{}:.-]+){2,}|\w/[\w{}:.-]+/\w"  # /v1/jobs, a/b/c
    r"|\w/[\w.-]+\.[a-z]\w{0,4}$"  # config/app.yml
    r"|\w\.\w+\.\w|\w-\w[\w-]*\.\w|\w\.\w[\w.]*-\w"
)
_COMPOUND = re.compile(r"[A-Za-z][^\W_]*+(?:[_-][^\W_]++)++")
_NUMBER = re.compile(r"v?[\d._]+(?:-?(?:alpha|beta|rc|pre|dev|snapshot|[ab])[.\d-]*)?(?:\+[\w.-]+)?")


def is_distinct(name: str) -> bool:
    """True if the spelling alone identifies a name: no word, number or version is spelled like this."""
    return len(name) >= 4 and bool(_DISTINCT.search(name)) and not _NUMBER.fullmatch(name)


@lru_cache(maxsize=4_096)
def mention(text: str, *, may_be_flag: bool = False) -> re.Pattern[str]:
    """A pattern for `text` without an adjacent letter, digit, underscore or joining hyphen.

    With `may_be_flag`, two dashes may precede a compound name: libraries define flags without them.
    """
    before = r"(?<![\w-])" if text[:1].isalnum() or text[:1] in "_-" else ""
    if may_be_flag and _COMPOUND.fullmatch(text):
        before = rf"(?:{before}|(?<={before}--))"
    before += r"(?<!\w\.)" if re.fullmatch(r"[\d.]+", text) else ""
    before += r"(?<!\d[,\u00a0\u2009\u202f])" if text[:1].isdigit() else ""
    after = r"(?!\w|-\w)" if text[-1:].isalnum() or text[-1:] == "_" else ""
    after += r"(?!/\w)" if text[:1] == "/" else ""
    # A longer number continues after a point, a comma or the narrow space between its thousands.
    after += r"(?![.,\u00a0\u2009\u202f]\d)" if text[-1:].isdigit() else ""
    return re.compile(before + r"\s+".join(re.escape(word) for word in text.split()) + after)

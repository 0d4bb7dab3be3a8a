"""Identifiers of code as texts spell them: what only a name looks like, and where a text mentions one."""

import re
from functools import lru_cache

_DISTINCT = re.compile(
    r"\w_[^\W_]"  # snake_case, UPPER_CASE
    r"|[a-z]\d*[A-Z]|[A-Z]{2}[a-z]{2}"  # camelCase, PascalCase, HTTPServer
    r"|^--[a-z][\w-]+$"  # a flag
    r"|^_[a-z]{3}"  # _leading
    r"|\w-\w+-\w"  # X-Request-Id
    r"|^(/[\w{}:.-]+){2,}|\w/[\w{}:.-]+/\w"  # /v1/jobs, a/b/c
    r"|\w/[\w.-]+\.[a-z]\w{0,4}$"  # config/app.yml
    r"|\w\.\w+\.\w|\w-\w[\w-]*\.\w|\w\.\w[\w.]*-\w"
)


def is_distinct(name: str) -> bool:
    """Whether the spelling alone shows a name: no ordinary word is spelled like this."""
    return len(name) >= 4 and bool(_DISTINCT.search(name)) and not name.replace(".", "").isdigit()


@lru_cache(maxsize=4_096)
def mention(text: str) -> re.Pattern[str]:
    """Matches `text` where no letter, digit, underscore or joining hyphen touches it."""
    before = r"(?<![\w-])" if text[:1].isalnum() or text[:1] in "_-" else ""
    before += r"(?<!\w\.)" if re.fullmatch(r"[\d.]+", text) else ""
    after = r"(?!\w|-\w)" if text[-1:].isalnum() or text[-1:] == "_" else ""
    after += r"(?!/\w)" if text[:1] == "/" else ""
    after += r"(?!\.\d)" if text[-1:].isdigit() else ""
    return re.compile(before + r"\s+".join(re.escape(word) for word in text.split()) + after)

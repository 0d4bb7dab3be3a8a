"""Prose in the markup of an article: names in double backticks where it is reStructuredText."""

import re
from functools import lru_cache

_DIRECTIVE = re.compile(r"(?m)^\.\. [\w-]+::|^\.\. _|``\w")
_MARKDOWN = re.compile(r"(?m)^#{1,6} |^```|\]\(")
_SINGLE = re.compile(r"(?<!`)`([^`\n]+)`(?![`_])")


@lru_cache(maxsize=512)
def is_restructured(text: str) -> bool:
    return len(_DIRECTIVE.findall(text)) > len(_MARKDOWN.findall(text))


def in_markup_of(article: str, prose: str) -> str:
    return _SINGLE.sub(r"``\1``", prose) if is_restructured(article) else prose

"""The facts in a text that a model must not invent: numbers, names and all code except comments."""

import re
from collections.abc import Iterator

from instep.platform.core.name_matching import is_distinct

# Groups: fence, fenced code; backticks, inline code.
CODE = re.compile(r"(?ms)^[ \t]*+(`{3,}+|~{3,}+)[^\n]*+\n(.*?)^[ \t]*\1|(?<!`)(`++)([^`\n]++)\3")
COMMENT_IN_CODE = re.compile(r"(?m)(?:^|\s)(?:#|//|--)\s.*$")
LIST_NUMBER = re.compile(r"(?m)^[ \t]*\d+[.)][ \t]")
CODE_TOKEN = re.compile(r"--?[A-Za-z][\w-]*|[A-Za-z_][\w-]*\w|[A-Za-z_]|\d+(?:[.,]\d+)*")
NAME = re.compile(r"--?[A-Za-z][\w-]*\w|(?<![@$/{}.:-])(?:[@$/{}.:-]*+\w)++")
_NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*")
_LINK_TARGET = re.compile(r"\]\([^()\s]*\)|\b[a-z][a-z0-9+.-]{1,20}://\S+")
# Keywords of programming languages are not facts.
_KEYWORD_TEXT = """
    as async await class const def echo else env export for from function if import in let new none
    null return set true false var with
"""
_KEYWORDS = frozenset(_KEYWORD_TEXT.split())


def stated_facts(text: str, is_code: bool) -> Iterator[str]:
    """Numbers and names in prose, and all tokens of code except comments and keywords."""
    codes = [text] if is_code else [match[2] or match[4] or "" for match in CODE.finditer(text)]
    for code in codes:
        yield from (
            token for token in CODE_TOKEN.findall(COMMENT_IN_CODE.sub("", code)) if token not in _KEYWORDS
        )
    if is_code:
        return
    # The guard checks the targets of links.
    prose = LIST_NUMBER.sub("", _LINK_TARGET.sub(" ", CODE.sub(" ", text)))
    yield from _NUMBER.findall(prose)
    yield from (name for name in NAME.findall(prose) if is_distinct(name))

"""The names that entries of an article open with, and when two spellings are one name."""

import re
from functools import lru_cache

from instep.writer.words.tokens import parts_of

_OPENING = re.compile(r"(?:<[^<>]*>|\*\*|__|\[|\*|_(?=\w)|\"|(?<!\w):(?:\w++:)++(?=`)|await )*")
_CODE = re.compile(r"(`+)([^`]+)\1")
_NAME = re.compile(r"\.?(--?[\w-]+|/[\w./{}:<>-]+|[\w@$.-]*\w)")
_PHRASE = re.compile(r"[^*_\]<|:(\n]+")
_SECOND_WORD = re.compile(r"\s+[^\W\d_]")
_LONGEST = 60


@lru_cache(maxsize=50_000)
def key_of(name: str) -> str:
    """`page_size`, `pageSize` and `--page-size` are one name."""
    return " ".join(parts_of(name)) or name


def label_of(text: str) -> str:
    """The name that a cell, item, term or heading opens with: its code, emphasis or first few words."""
    rest = _OPENING.sub("", text, count=1)
    code = _CODE.match(rest)
    if code:
        name = _NAME.match(code[2].strip().removeprefix("await "))
        return name[0] if name else ""
    name = _NAME.match(rest)
    # With a second word behind it the first one is no name but the start of a phrase.
    if name and not _SECOND_WORD.match(rest, name.end()):
        return name[0]
    phrase = _PHRASE.match(rest)
    words = phrase[0].split(" - ")[0].strip() if phrase else ""
    return words if len(words) <= _LONGEST else ""

"""Spellings of identifiers in code and in articles: their parts, kinds and other spellings."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from instep.platform.core.name_matching import is_distinct

# A version, decimal or grouped number is one token, as is a name with underscores; each punctuation character
# is its own token.
TOKEN = re.compile(r"v?\d+(?:\.\d+)+|(?<![\d,])[1-9]\d{0,2}(?:,\d{3})+(?![\d,])|\w+|[^\w\s]")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z]+|[a-z]+|\d+|[^\W\da-zA-Z_]+")
_JOINERS = ("_", "_-", "_-.", "_-./:@{}")
_MAX_NAME_CHARACTERS = 200
_ONE_NAME = re.compile(r"[\w@{}$.:/#-]+")
_TITLE_CASE = re.compile(
    r"[A-Z][\w'\u2019.&/-]*(?: (?:[A-Z(&][\w'\u2019.&/)-]*|of|and|the|for|to|in|on|a|an|or|with))*"
)
_CAPTION = re.compile(r"[A-Z][\w'\u2019-]*(?: [\w'\u2019&-]+){0,5}(?:\u2026|\.\.\.)?")
_HYPHENATED = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_EDGES = "-./:@{}"
_MAX_LABEL_CHARACTERS = 60
_OPENING_MARKUP = re.compile(r"(?:<[^<>]*>|\*\*|__|\[|\*|_(?=\w)|\"|(?<!\w):(?:\w++:)++(?=`)|await )*")
_CODE = re.compile(r"(`+)([^`]+)\1")
_NAME = re.compile(r"\.?(--?[\w-]+|/[\w./{}:<>-]+|[\w@$.-]*\w)")
_PHRASE = re.compile(r"[^*_\]<|:(\n]+")
_MENU_STEP = r"[>\u203a\u00bb\u2192]"
_SECOND_WORD = re.compile(r"\s+[^\W\d_]")


class Token(NamedTuple):
    """A token and its span, in characters."""

    text: str
    start: int
    end: int


def tokens_of(text: str) -> list[Token]:
    return [Token(match[0], match.start(), match.end()) for match in TOKEN.finditer(text)]


def parts_of(name: str) -> list[str]:
    """The words a name is made of: `pageSize`, `PAGE_SIZE` and `page-size` are all page, size."""
    return [part.lower() for part in _PARTS.findall(name)]


@lru_cache(maxsize=1_024)
def emphasised(text: str) -> re.Pattern[str]:
    """A pattern for `text` that an article emphasizes or quotes, like the label of a button."""
    words = r"\s+".join(re.escape(word) for word in text.split())
    return re.compile(
        rf"(?<=\*\*){words}(?=\*\*)"
        rf"|(?<=[`\"\u201c\u2018\[]){words}(?=[`\"\u201d\u2019\]])"
        rf"|(?<=[ (]['*_]){words}(?=['*_])"
        # A step of a path through menus: **Settings > Members**.
        rf"|(?<=\*\*){words}(?= {_MENU_STEP} )|(?<= {_MENU_STEP} ){words}(?=\*\*| {_MENU_STEP} )"
    )


def wider(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span extended to the word around it, then to the hyphenated, the dotted and the path-like name."""
    for joiners in _JOINERS:
        first, last = start, end
        while first > max(0, start - _MAX_NAME_CHARACTERS) and _joins(text[first - 1], joiners):
            first -= 1
        while last < min(len(text), end + _MAX_NAME_CHARACTERS) and _joins(text[last], joiners):
            last += 1
        yield _trimmed(text, (first, last), (start, end))


def _joins(char: str, joiners: str) -> bool:
    return char.isalnum() or char in joiners


def _trimmed(text: str, span: tuple[int, int], core: tuple[int, int]) -> tuple[int, int]:
    """The span without punctuation at its edges, except what begins a flag or a path."""
    first, last = span
    while last > core[1] and text[last - 1] in _EDGES and "{" not in text[first:last]:
        last -= 1
    while first < core[0] and text[first] in _EDGES and text[first] not in "/-":
        first += 1
    return first, last


def is_label(text: str) -> bool:
    """True if a text is in Title Case, as on buttons and menus, and in proper names."""
    return len(text) <= _MAX_LABEL_CHARACTERS and bool(_TITLE_CASE.fullmatch(text))


def are_alike(old: str, new: str) -> bool:
    """True if `new` can be a new name for `old`: of the same kind, and not just made private."""
    if not _ONE_NAME.fullmatch(new):
        return is_label(old) and is_label(new)
    if new.lstrip("_") == old.lstrip("_") or old.startswith("-") != new.startswith("-"):
        return False
    if re.fullmatch(r"\w+", old):
        return bool(re.fullmatch(r"\w+", new)) and (is_distinct(new) or _share_a_word(old, new))
    return old.startswith("-") or _share_a_word(old, new)


def is_caption(text: str) -> bool:
    """True if a text looks like an interface caption: a few words, one capital, no full stop."""
    return bool(_CAPTION.fullmatch(text)) and len(text) <= _MAX_LABEL_CHARACTERS


def is_hyphenated(text: str) -> bool:
    return bool(_HYPHENATED.fullmatch(text))


def _share_a_word(old: str, new: str) -> bool:
    return not set(parts_of(old)).isdisjoint(parts_of(new))


@lru_cache(maxsize=50_000)
def key_of(name: str) -> str:
    """A key for all spellings of a name: the same for `page_size`, `pageSize` and `--page-size`."""
    return " ".join(parts_of(name)) or name


def label_of(text: str) -> str:
    """The name that a cell, item, term or heading begins with: its code, emphasis or first few words."""
    rest = _OPENING_MARKUP.sub("", text, count=1)
    code = _CODE.match(rest)
    if code:
        name = _NAME.match(code[2].strip().removeprefix("await "))
        return name[0] if name else ""
    name = _NAME.match(rest)
    # The first of two words is the start of a phrase, not a name.
    if name and not _SECOND_WORD.match(rest, name.end()):
        return name[0]
    phrase = _PHRASE.match(rest)
    words = phrase[0].split(" - ")[0].strip() if phrase else ""
    return words if len(words) <= _MAX_LABEL_CHARACTERS else ""

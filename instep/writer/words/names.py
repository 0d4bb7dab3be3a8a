"""Names as code and articles spell them: how far one reaches, and whether its spelling tells it apart."""

import re
from collections.abc import Iterator

from instep.core.identifiers import is_distinct as is_distinct
from instep.writer.words.tokens import parts_of

_JOINERS = ("_", "_-", "_-.", "_-./:@{}")
_LONGEST = 200
_ONE_NAME = re.compile(r"[\w@{}$.:/#-]+")
_TITLED = re.compile(
    r"[A-Z][\w'\u2019.&/-]*(?: (?:[A-Z(&][\w'\u2019.&/)-]*|of|and|the|for|to|in|on|a|an|or|with))*"
)
_CAPTION = re.compile(r"[A-Z][\w'\u2019-]*(?: [\w'\u2019&-]+){0,5}(?:\u2026|\.\.\.)?")
_HYPHENED = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_EDGES = "-./:@{}"
_LONGEST_LABEL = 60


def wider(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The span grown to the word around it, then to the hyphened, the dotted and the path-like name."""
    for joiners in _JOINERS:
        first, last = start, end
        while first > max(0, start - _LONGEST) and _joins(text[first - 1], joiners):
            first -= 1
        while last < min(len(text), end + _LONGEST) and _joins(text[last], joiners):
            last += 1
        yield _trimmed(text, (first, last), (start, end))


def _joins(sign: str, joiners: str) -> bool:
    return sign.isalnum() or sign in joiners


def _trimmed(text: str, span: tuple[int, int], core: tuple[int, int]) -> tuple[int, int]:
    """Punctuation at the edges belongs to the sentence, except what opens a flag or a path."""
    first, last = span
    while last > core[1] and text[last - 1] in _EDGES:
        last -= 1
    while first < core[0] and text[first] in _EDGES and text[first] not in "/-":
        first += 1
    return first, last


def is_label(text: str) -> bool:
    """Title Case, as on buttons, menus and headings, and for proper names."""
    return len(text) <= _LONGEST_LABEL and bool(_TITLED.fullmatch(text))


def are_alike(old: str, new: str) -> bool:
    """Whether `new` can be the new name of the thing called `old`: the same kind of name, no mere hiding."""
    if not _ONE_NAME.fullmatch(new):
        return is_label(old) and is_label(new)
    if new.lstrip("_") == old.lstrip("_") or old.startswith("-") != new.startswith("-"):
        return False
    if re.fullmatch(r"\w+", old):
        return bool(re.fullmatch(r"\w+", new)) and (is_distinct(new) or _share_a_word(old, new))
    return old.startswith("-") or _share_a_word(old, new)


def is_caption(text: str) -> bool:
    """A few words as interfaces show them: one capital, no full stop."""
    return bool(_CAPTION.fullmatch(text)) and len(text) <= _LONGEST_LABEL


def is_hyphened(text: str) -> bool:
    return bool(_HYPHENED.fullmatch(text))


def _share_a_word(old: str, new: str) -> bool:
    return not set(parts_of(old)).isdisjoint(parts_of(new))

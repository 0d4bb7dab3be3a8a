"""Whether a word of many meanings is the renamed name in an article: among the same words as in the code."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from instep.core.name_matching import is_distinct, mention
from instep.writer.articles.passages import is_in_url
from instep.writer.facts.renames import Rename
from instep.writer.words.identifiers import TOKEN

_WORD = re.compile(r"\w")
_NOT_IN_ADDRESS = re.compile(r"[^\w./-]")
_SEGMENT = re.compile(r"/[\w.-]*")
_MEMBER = ". "
_MAX_NEIGHBOUR_CHARACTERS = 120


class _Neighbours(NamedTuple):
    """The two tokens before a name and the one after it, in its line; empty at the ends of the line."""

    earlier: str
    before: str
    after: str


def is_in_context(fact: Rename, text: str, start: int, end: int) -> bool:
    """Whether the tokens or the address around a mention are those around the name in the change."""
    if is_in_url(text, start):
        before = text[max(0, start - _MAX_NEIGHBOUR_CHARACTERS) : start]
        if before.endswith("://"):
            return _path_below(text, end) in _paths_below(fact)
        address = _NOT_IN_ADDRESS.split(before)[-1].strip("/")
        return bool(address) and any(f"{address}/{fact.new}" in source.text for source in fact.sources)
    here = _neighbours(text, start, end)
    if here.after == "(" and is_distinct(fact.new):
        return any(there.after == "(" for there in _contexts(fact))
    becomes_word = is_distinct(fact.old) and not is_distinct(fact.new)
    return any(_are_alike(here, there, becomes_word) for there in _contexts(fact))


def _are_alike(here: _Neighbours, there: _Neighbours, becomes_word: bool) -> bool:
    """Whether the same tokens are on both sides, or the same two before; one of them is a word.

    Around a name that becomes a word, marks tell as much: `.name =`. A function of that name may be local.
    """
    if here.before != there.before:
        return False
    is_telling = bool(_WORD.search(here.before + here.after))
    if becomes_word:
        is_telling = here.after != "(" or here.before == _MEMBER
    is_after_same = here.after == there.after and is_telling
    is_before_same = here.earlier == there.earlier and bool(_WORD.search(here.earlier + here.before))
    return is_after_same or (is_before_same and here.before != _MEMBER)


@lru_cache(maxsize=256)
def _paths_below(fact: Rename) -> frozenset[str]:
    """The first segments of the paths that the change puts below a new host."""
    return frozenset(
        _path_below(source.text, match.end())
        for source in fact.sources
        for match in mention(fact.new).finditer(source.text)
    )


def _path_below(text: str, end: int) -> str:
    segment = _SEGMENT.match(text, end)
    return segment[0] if segment else ""


@lru_cache(maxsize=256)
def _contexts(fact: Rename) -> frozenset[_Neighbours]:
    return frozenset(_contexts_in_sources(fact))


def _contexts_in_sources(fact: Rename) -> Iterator[_Neighbours]:
    for source in fact.sources:
        for match in mention(fact.new).finditer(source.text):
            yield _neighbours(source.text, *match.span())


def _neighbours(text: str, start: int, end: int) -> _Neighbours:
    first = max(text.rfind("\n", 0, start) + 1, start - _MAX_NEIGHBOUR_CHARACTERS)
    stop = text.find("\n", end)
    last = min(stop if stop >= 0 else len(text), end + _MAX_NEIGHBOUR_CHARACTERS)
    before, after = TOKEN.findall(text[first:start]), TOKEN.findall(text[end:last])
    earlier, nearest = ["", "", *before][-2:]
    # Any object may have a member of that name.
    nearest = _MEMBER if text[first:start].endswith(".") else nearest
    return _Neighbours(earlier, nearest, after[0] if after else "")

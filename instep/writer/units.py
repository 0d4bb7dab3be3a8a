"""Pieces of a changed line that an article may repeat: a name, a label, a literal, the whole line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from instep.writer.files import WEIGHTS
from instep.writer.names import are_alike, is_caption, is_distinct, is_hyphened, is_label, wider
from instep.writer.pairs import Pair
from instep.writer.swaps import Swap
from instep.writer.tokens import Token

Level = Literal["name", "label", "caption", "command", "definition", "literal", "line"]

_QUOTED = re.compile(r"""(["'`])((?:\\.|(?!\1)[^\\])+)\1|>([^<>{}=]+)</""")
_DEFINED = re.compile(r"\s*(?:[a-z]+\s+){0,3}(?:def|function|func|fn|fun)\s+([a-zA-Z]\w{3,})\s*[(<]")
_TEXT_LINE = re.compile(r"^[\s*#/]*([A-Z][^<>{}=;|]*?)[\s*/]*$")
_VERSION = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Source:
    """A line of the code that speaks for a fact."""

    file: str
    line: int
    text: str
    weight: float


@dataclass(frozen=True, slots=True)
class Unit:
    level: Level
    old: str
    new: str
    source: Source


def source_of(swap: Swap) -> Source:
    return Source(swap.file, swap.pair.new.new, swap.pair.new.text, swap.weight)


def units_of(swap: Swap) -> Iterator[Unit]:
    """What of a swap could stand word for word in an article, smallest first."""
    source = source_of(swap)
    name = _name(swap)
    if name:
        yield Unit("name", *name, source)
    defined = _definition(swap)
    if defined:
        yield Unit("definition", *defined, source)
    for old, new in _literals(swap):
        yield Unit(_level(old, new, swap.weight), old, new, source)


def _level(old: str, new: str, weight: float) -> Level:
    if is_label(old) and is_label(new):
        return "label"
    if is_caption(old) and is_caption(new) and weight >= WEIGHTS["interface"]:
        return "caption"
    return "command" if is_hyphened(old) and is_hyphened(new) else "literal"


def _name(swap: Swap) -> tuple[str, str] | None:
    old, new = swap.pair.old.text, swap.pair.new.text
    spans = zip(
        wider(old, swap.old_start, swap.old_end), wider(new, swap.new_start, swap.new_end), strict=True
    )
    for (start, end), (new_start, new_end) in spans:
        before, after = old[start:end], new[new_start:new_end]
        if is_distinct(before):
            if "://" in before:
                before, after = _cut_url(before, after, swap.old_start - start, swap.old_end - start)
            return (before, after) if before != after and are_alike(before, after) else None
    return None


def _definition(swap: Swap) -> tuple[str, str] | None:
    """The name of a function that is an ordinary word, where its definition gets another."""
    old, new = _DEFINED.match(swap.pair.old.text), _DEFINED.match(swap.pair.new.text)
    if (
        old
        and new
        and old[1] != new[1]
        and old.start(1) <= swap.old_start < old.end(1)
        and not is_distinct(old[1])
    ):
        return old[1], new[1]
    return None


def _cut_url(old: str, new: str, start: int, end: int) -> tuple[str, str]:
    """What of a changed URL other URLs share: up to its version, or the changed segment and the next."""
    stop = old.find("/", end)
    rest = old[stop:] if stop > 0 else ""
    if not rest or not new.endswith(rest):
        return old, new
    if _VERSION.search(old[:stop].rsplit("/", 1)[-1]):
        return old.removesuffix(rest), new.removesuffix(rest)
    first, more = (
        old.rfind("/", 0, start) + 1,
        len(rest) - (rest.find("/", 1) if "/" in rest[1:] else len(rest)),
    )
    if first <= old.index("//") + 2:
        return old, new
    return old[first : len(old) - more], new[first : len(new) - more]


def _literals(swap: Swap) -> Iterator[tuple[str, str]]:
    old = literal_around(swap.pair.old.text, swap.old_start, swap.old_end)
    new = literal_around(swap.pair.new.text, swap.new_start, swap.new_end)
    if old and new and old.text != new.text:
        yield old.text, new.text


def literal_around(line: str, start: int, end: int) -> Token | None:
    """The quoted string, the text between tags or the bare line of text that holds a span."""
    for found in _QUOTED.finditer(line):
        group = 2 if found[2] is not None else 3
        if found.start(group) <= start and end <= found.end(group):
            return Token(found[group].strip(), found.start(), found.end())
    bare = _TEXT_LINE.match(line)
    if bare and bare.start(1) <= start and end <= bare.end(1):
        return Token(bare[1], bare.start(1), bare.end(1))
    return None


def line_unit(pair: Pair, file: str, weight: float) -> Unit:
    """The whole line, without the signs that make it a comment or a list item."""
    old, new = _bare(pair.old.text), _bare(pair.new.text)
    return Unit("line", old, new, Source(file, pair.new.new, pair.new.text, weight))


def _bare(text: str) -> str:
    return re.sub(r"^\s*(?:#+|//+|/?\*+|-|--)?\s+|\s+(?:\*/)?$", "", f" {text}")

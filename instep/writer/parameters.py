"""Parameters that a change adds to a list in brackets on one line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from instep.writer.pairs import Pair

_CALL = re.compile(r"([A-Za-z_]\w*)\??(?::\s*)?\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_BRACKETS = re.compile(r"\[[^\[\]]*\]|\{[^{}]*\}|<[^<>]*>|\([^()]*\)")
_NAME = re.compile(r"\s*(?:\*{1,2}|\.\.\.)?([A-Za-z_]\w*)\??\s*(?::[^=]*)?(?:=\s*(.*))?$", re.DOTALL)
_ITSELF = frozenset(("self", "cls", "this"))
_DEFINES = re.compile(r"\b(?:def|func|function|fn|fun)\s+\w+\s*\(|=>|\)\s*(?::|->|\{)\s*$|\w\??:\s*\(")
_CALLS = re.compile(r"\s*(?:for|if|elif|while|with|return|await|yield|async (?:for|with)|\w+\s*=)\b")


@dataclass(frozen=True, slots=True)
class Grown:
    """The parameters of `name` before and after, as `(name, default)`; only additions differ."""

    name: str
    old: tuple[tuple[str, str], ...]
    new: tuple[tuple[str, str], ...]
    pair: Pair

    @property
    def added(self) -> list[str]:
        known = {name for name, _ in self.old}
        return [name for name, _ in self.new if name not in known]


def grown_in(pair: Pair) -> Iterator[Grown]:
    """Definitions of functions that take more than before."""
    if not _DEFINES.search(pair.new.text) or _CALLS.match(pair.new.text):
        return
    before = {found[1]: found[2] for found in _CALL.finditer(pair.old.text)}
    for found in _CALL.finditer(pair.new.text):
        if found[1] in before and before[found[1]] != found[2]:
            old, new = _parameters(before[found[1]]), _parameters(found[2])
            if old is not None and new is not None and _is_within(old, new):
                yield Grown(found[1], old, new, pair)


def _parameters(inside: str) -> tuple[tuple[str, str], ...] | None:
    """Names and defaults; None where a part is no plain parameter."""
    flat, before = inside, ""
    while flat != before:
        before = flat
        flat = _BRACKETS.sub(lambda found: re.sub(r"[^\n]", "·", found[0]), flat)
    parts, at = list[tuple[str, str]](), 0
    for piece in flat.split(","):
        whole = inside[at : at + len(piece)]
        at += len(piece) + 1
        if not piece.strip():
            continue
        named = _NAME.match(whole)
        if named is None:
            return None
        if named[1] not in _ITSELF:
            parts.append((named[1], (named[2] or "").strip()))
    return tuple(parts)


def _is_within(old: tuple[tuple[str, str], ...], new: tuple[tuple[str, str], ...]) -> bool:
    """All old names are still there, in their order, and there are more."""
    rest = iter([name for name, _ in new])
    return len(new) > len(old) and all(name in rest for name, _ in old)

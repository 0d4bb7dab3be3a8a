"""Sentences, examples and messages of the code that were reworded: an article may quote them in full."""

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from instep.writer.facts.changed_texts import ChangedText, SourceLine

_WORD = re.compile(r"\w{2,}")
_IMPORT = re.compile(r"\W*(import|from|export|use|using|require|#include|package)\b")
_GAP = re.compile(r"(\s+)")
_FEWEST_WORDS = 4
_STAYS = 0.6
_FEWEST = 0.5


@dataclass(frozen=True, slots=True)
class Rewording:
    old: str
    new: str
    sources: tuple[SourceLine, ...]


def find_rewordings(texts: Sequence[ChangedText]) -> list[Rewording]:
    """Reworded lines and literals, longest first, so that a line wins over the literal in it."""
    groups: dict[tuple[str, str], list[SourceLine]] = defaultdict(list)
    for text in texts:
        if text.level in {"literal", "caption", "line"} and _is_quotable(text):
            groups[text.old, text.new].append(text.source)
    rewordings: dict[str, set[str]] = defaultdict(set)
    for old, new in groups:
        rewordings[old].add(new)
    found = [Rewording(old, new, tuple(s)) for (old, new), s in groups.items() if len(rewordings[old]) == 1]
    return sorted(found, key=lambda wording: -len(wording.old))


def wrapped_like(shown: str, new: str) -> str:
    """The new text with the line breaks that the old one is shown with."""
    if "\n" not in shown or not new.strip():
        return new
    parts, words = _GAP.split(shown), new.split()
    old, between, gaps = parts[::2], [*parts[1::2], " "], dict[int, str]()
    for _, a, b, c, d in SequenceMatcher(None, old, words, autojunk=False).get_opcodes():
        gaps.update(zip(range(d - 1, c - 1, -1), reversed(between[a:b]), strict=False))
    return "".join(word + gaps.get(at, " ") for at, word in enumerate(words[:-1])) + words[-1]


def _is_quotable(text: ChangedText) -> bool:
    return (
        text.source.weight >= _FEWEST
        and len(set(_WORD.findall(text.old))) >= _FEWEST_WORDS
        and not _IMPORT.match(text.old)
        and _is_rewording(text.old, text.new)
    )


def _is_rewording(old: str, new: str) -> bool:
    """Most words stay. What only adds to a text, or changes its capitals, leaves it as true as before."""
    before, after = Counter(_WORD.findall(old)), Counter(_WORD.findall(new))
    shared = (before & after).total()
    return (
        2 * shared >= _STAYS * (before.total() + after.total())
        and old not in new
        and old.casefold() != new.casefold()
    )

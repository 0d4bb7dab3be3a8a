"""What an article says of its entries with one word exchanged, said of a new one."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from instep.writer.articles.entries import EntryList

_PART = re.compile(r"[^_\W]+")
_FEWEST = 2
_LONGEST = 1_500


def by_analogy(label: str, group: EntryList, text: str, spellings: "Counter[str]") -> str | None:
    """For `ZULIP_ENABLED` the entry that others like `SLACK_ENABLED` agree on, with their word exchanged."""
    frames: Counter[str] = Counter()
    word = ""
    for entry in group.entries:
        for own, other in _differing(label, entry.label):
            frame = _frame(text[entry.start : entry.end], other)
            if frame:
                frames[frame] += 1
                word = own
    best = frames.most_common(1)
    if not best or best[0][1] < _FEWEST:
        return None
    return best[0][0].format_map(_Spelled(word, spellings))


def _differing(label: str, other: str) -> Iterator[tuple[str, str]]:
    """The one part in which two names of equal build differ."""
    ours, theirs = _PART.findall(label), _PART.findall(other)
    apart = [(a, b) for a, b in zip(ours, theirs, strict=False) if a != b]
    if len(ours) == len(theirs) > 1 and len(apart) == 1:
        yield apart[0]


def _frame(entry: str, word: str) -> str | None:
    """The text with a hole for each spelling of the word."""
    if len(entry) > _LONGEST or "{" in entry.replace("{:", "").replace("{ #", ""):
        return None
    closed = entry.replace("{", "{{").replace("}", "}}")
    framed = re.sub(rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])", _hole, closed, flags=re.IGNORECASE)
    return framed if "{Word}" in framed else None


def _hole(found: re.Match[str]) -> str:
    if found[0].isupper():
        return "{WORD}"
    return "{word}" if found[0].islower() else "{Word}"


class _Spelled(dict[str, str]):
    """The word in the spelling that the change uses for prose: `PagerTree`, not `Pagertree`."""

    def __init__(self, word: str, spellings: "Counter[str]") -> None:
        known = [name for name, _ in spellings.most_common() if name.casefold() == word.casefold()]
        mixed = next((name for name in known if not name.isupper() and not name.islower()), word.capitalize())
        super().__init__(WORD=word.upper(), word=word.lower(), Word=mixed)


def spellings_of(texts: Iterable[str]) -> "Counter[str]":
    found: Counter[str] = Counter()
    for text in texts:
        found.update(_PART.findall(text))
    return found

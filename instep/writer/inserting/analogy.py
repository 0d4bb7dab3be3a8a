"""New entries by analogy: the text of similar entries with one word exchanged."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from instep.writer.articles.entries import EntryList

_PART = re.compile(r"[^_\W]+")
_MIN_ENTRIES = 2
_MAX_ENTRY_CHARACTERS = 1_500


def by_analogy(label: str, entry_list: EntryList, text: str, spellings: "Counter[str]") -> str | None:
    """For `ZULIP_ENABLED` the text that entries like `SLACK_ENABLED` share, with their word exchanged."""
    templates: Counter[str] = Counter()
    word = ""
    for entry in entry_list.entries:
        for part, other in _differing(label, entry.label):
            template = _template(text[entry.start : entry.end], other)
            if template:
                templates[template] += 1
                word = part
    best = templates.most_common(1)
    if not best or best[0][1] < _MIN_ENTRIES:
        return None
    return best[0][0].format_map(_Spellings(word, spellings))


def _differing(label: str, other: str) -> Iterator[tuple[str, str]]:
    """The one part in which two names with the same number of parts differ."""
    parts, other_parts = _PART.findall(label), _PART.findall(other)
    differences = [(a, b) for a, b in zip(parts, other_parts, strict=False) if a != b]
    if len(parts) == len(other_parts) > 1 and len(differences) == 1:
        yield differences[0]


def _template(entry: str, word: str) -> str | None:
    """The text as a template with a placeholder for each spelling of the word."""
    if len(entry) > _MAX_ENTRY_CHARACTERS or "{" in entry.replace("{:", "").replace("{ #", ""):
        return None
    escaped = entry.replace("{", "{{").replace("}", "}}")
    template = re.sub(
        rf"(?<![A-Za-z]){re.escape(word)}(?![A-Za-z])", _placeholder, escaped, flags=re.IGNORECASE
    )
    return template if "{Word}" in template else None


def _placeholder(match: re.Match[str]) -> str:
    if match[0].isupper():
        return "{WORD}"
    return "{word}" if match[0].islower() else "{Word}"


class _Spellings(dict[str, str]):
    """The word in the spelling that the change uses for prose: `PagerTree`, not `Pagertree`."""

    def __init__(self, word: str, spellings: "Counter[str]") -> None:
        names = [name for name, _ in spellings.most_common() if name.casefold() == word.casefold()]
        mixed_case = next(
            (name for name in names if not name.isupper() and not name.islower()), word.capitalize()
        )
        super().__init__(WORD=word.upper(), word=word.lower(), Word=mixed_case)


def spellings_of(texts: Iterable[str]) -> "Counter[str]":
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(_PART.findall(text))
    return counts

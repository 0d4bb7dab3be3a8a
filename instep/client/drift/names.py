"""Finds names in lines of code, many thousands of names at once."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator

WORD = re.compile(r"\w+")
# A name with its joints: `max-size`, `app.port`.
JOINED = re.compile(r"(?<!\w)\w++(?:[-.]\w++)+")
_SEPARATORS = re.compile(r"[\W_]+")


def bare(name: str) -> str:
    """A name without the dashes of a flag, which many libraries add to the name that code gives."""
    return name.lstrip("-")


def spelling_key(name: str) -> str:
    """The same key for all spellings of a name: `--max-size`, `max_size`, `MaxSize`."""
    return _SEPARATORS.sub("", name).lower()


def keys_in(line: str) -> set[str]:
    """The keys of the names that a line of code has."""
    return {spelling_key(name) for pattern in (WORD, JOINED) for name in pattern.findall(line)}


class NameFinder:
    """Finds which of many names a line has, exactly as they are spelled."""

    def __init__(self, names: Iterable[str]) -> None:
        self._by_word: dict[str, list[tuple[str, str, re.Pattern[str] | None]]] = defaultdict(list)
        words_by_name = {name: WORD.findall(name) for name in names}
        counts = Counter(word for words in words_by_name.values() for word in set(words))
        for name, words in words_by_name.items():
            if words:
                pattern = None if words == [bare(name)] else _pattern(bare(name))
                rarest = min(words, key=lambda word: (counts[word], -len(word)))
                self._by_word[rarest].append((name, bare(name), pattern))

    def find(self, line: str) -> Iterator[str]:
        for word in self._by_word.keys() & set(WORD.findall(line)):
            for name, text, pattern in self._by_word[word]:
                if pattern is None or (text in line and pattern.search(line)):
                    yield name


def _pattern(name: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if name[:1].isalnum() or name[:1] == "_" else ""
    after = r"(?!\w)" if name[-1:].isalnum() or name[-1:] == "_" else ""
    return re.compile(before + re.escape(name) + after)

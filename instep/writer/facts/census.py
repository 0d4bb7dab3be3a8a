"""How often a text stands in the removed, added and kept lines of a diff."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable

from instep.writer.diffs.patch import FilePatch
from instep.writer.words.matching import mention

_WORD = re.compile(r"\w+")


class OccurrenceCounts:
    def __init__(self, texts: Iterable[str], files: Iterable[FilePatch]) -> None:
        self.removed: Counter[str] = Counter()
        self.added: Counter[str] = Counter()
        self.kept: Counter[str] = Counter()
        by_word = _by_longest_word(texts)
        counts = {"-": self.removed, "+": self.added, " ": self.kept}
        for file in files:
            for line in file.lines():
                for word in by_word.keys() & set(_WORD.findall(line.text)):
                    for text, pattern in by_word[word]:
                        counts[line.mark][text] += len(pattern.findall(line.text))


def _by_longest_word(texts: Iterable[str]) -> "dict[str, list[tuple[str, re.Pattern[str]]]]":
    """One look-up of a line's words finds the few texts that may stand in it."""
    found = defaultdict(list)
    for text in sorted(set(texts)):
        words = _WORD.findall(text)
        if words:
            found[max(words, key=len)].append((text, mention(text)))
    return found

"""What the articles say already: a text that only says it again was not asked for."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from instep.writer.llm.grounding import content_terms, pieces

_FEWEST_TERMS, _FEWEST_WORDS = 4, 3
_SAME = 0.8


class DuplicateDetector:
    """The sentences of articles. Those that stand there several times may stand there once more."""

    def __init__(self, texts: Iterable[str]) -> None:
        counted = Counter(_plain(piece) for text in texts for piece in pieces(text))
        self._sentences = [sentence for sentence, count in counted.items() if count == 1]
        self._terms = [frozenset(content_terms(sentence)) for sentence in self._sentences]
        self._holders: dict[str, list[int]] = defaultdict(list)
        for at, terms in enumerate(self._terms):
            for term in terms:
                self._holders[term].append(at)

    def is_repeated(self, old: str, new: str, added: Sequence[str]) -> bool:
        """Whether a text that replaces another one repeats a sentence, word by word or nearly so."""
        before, after = _plain(old), _plain(new)
        return any(
            after.count(sentence) > before.count(sentence)
            for sentence in self._sentences
            if sentence.count(" ") >= _FEWEST_WORDS - 1
        ) or any(self._has(piece, before) for piece in added)

    def _has(self, piece: str, before: str) -> bool:
        terms = content_terms(_plain(piece))
        shared: Counter[int] = Counter()
        for term in terms:
            shared.update(self._holders.get(term, ()))
        return any(
            count >= max(_FEWEST_TERMS, _SAME * (len(terms) + len(self._terms[at]) - count))
            and self._sentences[at] not in before
            for at, count in shared.items()
        )


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))

"""Sentences that the articles have already: an edit that only repeats one of them is not wanted."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from instep.writer.llm.grounding import content_terms, sentences_of_prose

_MIN_WORDS = 3
_MIN_SHARED_TERMS = 4
# The Jaccard similarity of the terms of two sentences (0..1) from which they say the same.
_MIN_SIMILARITY = 0.8


class DuplicateDetector:
    """The sentences of some articles. Sentences that occur several times already may be repeated again."""

    def __init__(self, texts: Iterable[str]) -> None:
        counts = Counter(_plain(sentence) for text in texts for sentence in sentences_of_prose(text))
        self._sentences = [sentence for sentence, count in counts.items() if count == 1]
        self._terms = [frozenset(content_terms(sentence)) for sentence in self._sentences]
        # The indices of the sentences that have a term.
        self._postings: dict[str, list[int]] = defaultdict(list)
        for index, terms in enumerate(self._terms):
            for term in terms:
                self._postings[term].append(index)

    def is_repeated(self, old: str, new: str, added_sentences: Sequence[str]) -> bool:
        """Whether `new`, which replaces `old`, repeats a sentence word by word or nearly so."""
        before, after = _plain(old), _plain(new)
        return any(
            after.count(sentence) > before.count(sentence)
            for sentence in self._sentences
            if sentence.count(" ") >= _MIN_WORDS - 1
        ) or any(self._has_similar(sentence, before) for sentence in added_sentences)

    def _has_similar(self, sentence: str, before: str) -> bool:
        terms = content_terms(_plain(sentence))
        shared: Counter[int] = Counter()
        for term in terms:
            shared.update(self._postings.get(term, ()))
        return any(
            count >= max(_MIN_SHARED_TERMS, _MIN_SIMILARITY * (len(terms) + len(self._terms[index]) - count))
            and self._sentences[index] not in before
            for index, count in shared.items()
        )


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))

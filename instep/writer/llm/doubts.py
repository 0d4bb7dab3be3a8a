"""What a reviewer should look at in an edit: what it repeats, removes or denies, and what it is not about."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

from instep.core.polarity import is_negated
from instep.text.sentences import split_sentences
from instep.text.terms import ordered_terms, terms_of
from instep.writer.llm.findings import Fault

_MIN_TERMS = 4
_MAX_SHARE_OF_TITLE = 0.8
_HEADING = re.compile(r"(?m)^#{1,6} |^[^\n]+\n(?:={3,}|-{3,}|~{3,}|\^{3,})$")
_MARKS = re.compile(r"[`*_>#|\[\]()]+")


class Doubts:
    def __init__(self, title: str, change: Sequence[str], removed: str, added: str) -> None:
        self._title_terms = terms_of(title)
        self._change = change
        self._removed, self._added = removed, added

    @cached_property
    def _change_terms(self) -> frozenset[str]:
        return frozenset(term for text in self._change for term in ordered_terms(text))

    @cached_property
    def _removed_terms(self) -> frozenset[str]:
        return frozenset(ordered_terms(self._removed)) - frozenset(ordered_terms(self._added))

    @cached_property
    def _denied_terms(self) -> frozenset[str]:
        """Terms of the change's sentences and lines that deny something."""
        lines = (line for text in self._change for line in split_sentences(text, at_line_breaks=True))
        return frozenset(term for line in lines if is_negated(line) for term in ordered_terms(line))

    def faults(self, article: str, old: str, new: str) -> Iterator[Fault]:
        before, after = _sentences(old), _sentences(new)
        added, removed = after - before, before - after
        if removed and not added:
            yield from self._removal(old, new)
        for sentence in added:
            terms = terms_of(sentence)
            if len(terms) < _MIN_TERMS:
                continue
            if len(terms & self._title_terms) >= _MAX_SHARE_OF_TITLE * len(terms):
                yield Fault("it repeats the title of the change", False)
            if sentence in _sentences(article) and sentence not in before:
                yield Fault("it repeats what the article says already", False)
        yield from self._relevance(added, old)
        yield from self._polarity(list(added), list(removed))

    def _removal(self, old: str, new: str) -> Iterator[Fault]:
        if len(_HEADING.findall(old)) > len(_HEADING.findall(new)):
            yield Fault("it removes a section", False)
        elif not terms_of(old) & self._removed_terms:
            yield Fault("it removes text, and the change removes nothing that the text speaks of", False)

    def _relevance(self, added: "Counter[str]", old: str) -> Iterator[Fault]:
        terms = frozenset(term for sentence in added for term in terms_of(sentence))
        if len(terms) >= _MIN_TERMS and not (terms - terms_of(old)) & self._change_terms:
            yield Fault("it shares no word with the change", False)

    def _polarity(self, added: Sequence[str], removed: Sequence[str]) -> Iterator[Fault]:
        for sentence in added:
            denies, terms = is_negated(sentence), terms_of(sentence)
            twin = max(removed, key=lambda other: len(terms & terms_of(other)), default="")
            is_near = len(terms & terms_of(twin)) >= 0.6 * max(1, len(terms))
            if (is_near and denies != is_negated(twin)) or (
                not is_near and denies and not terms & self._denied_terms
            ):
                yield Fault(
                    "it says that something is not so, or no longer; the change may say otherwise", False
                )


def _sentences(text: str) -> "Counter[str]":
    sentences = (
        " ".join(_MARKS.sub(" ", sentence).split()).casefold()
        for paragraph in re.split(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+|#]|\d+[.)]))", text)
        for sentence in split_sentences(" ".join(paragraph.split()))
    )
    return Counter(sentence for sentence in sentences if sentence)

"""Warnings about an edit: it repeats, removes or denies something, or is about something else."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache

from instep.drafting.writer.llm.findings import Fault
from instep.drafting.writer.llm.relatedness import Relatedness
from instep.platform.core.polarity import is_negated
from instep.platform.text.sentences import split_sentences
from instep.platform.text.terms import ordered_terms, terms_of

_MIN_TERMS, _MIN_TERMS_TO_REPEAT = 4, 8
_MAX_TITLE_SHARE, _MIN_TWIN_SHARE = 0.8, 0.6
# An edit that is less related to the change than this (0 to 1) speaks of other things.
_MIN_RELATEDNESS = 0.045
_HEADING = re.compile(r"(?m)^#{1,6} |^[^\n]+\n(?:={3,}|-{3,}|~{3,}|\^{3,})$")
_MARKS = re.compile(r"[`*>#|\[\]()]+")


class Doubts:
    def __init__(
        self, title: str, change: Sequence[str], removed: str, added: str, relatedness: Relatedness
    ) -> None:
        self._title_terms = terms_of(title)
        self._change = change
        self._removed, self._added = removed, added
        self._relatedness = relatedness

    @cached_property
    def _removed_terms(self) -> frozenset[str]:
        return frozenset(ordered_terms(self._removed)) - frozenset(ordered_terms(self._added))

    @cached_property
    def _lines_by_term(self) -> dict[str, list[tuple[int, bool]]]:
        """The lines and sentences of the change that have a term, each with whether it denies something."""
        lines: dict[str, list[tuple[int, bool]]] = defaultdict(list)
        sentences = (line for text in self._change for line in split_sentences(text, at_line_breaks=True))
        for index, sentence in enumerate(sentences):
            denies = is_negated(sentence)
            for term in terms_of(sentence):
                lines[term].append((index, denies))
        return lines

    def faults(self, article: str, moved: frozenset[str], old: str, new: str) -> Iterator[Fault]:
        """Doubts about lines that become others; `moved` are sentences that another edit takes elsewhere."""
        before, after = _sentences(old), _sentences(new)
        added = [sentence for sentence in after - before if sentence not in moved]
        removed = [sentence for sentence in before - after if sentence not in moved]
        if removed and not added:
            yield from self._removal(old, new)
        for sentence in added:
            terms = terms_of(sentence)
            if len(terms) >= _MIN_TERMS and len(terms & self._title_terms) >= _MAX_TITLE_SHARE * len(terms):
                yield Fault("it repeats the title of the change", False)
            is_long = len(terms) >= _MIN_TERMS_TO_REPEAT
            if is_long and sentence not in before and sentence in _sentences(article):
                yield Fault("it repeats what the article says already", False)
            if self._is_turned(sentence, removed):
                yield Fault("it denies something, and the change may say otherwise", False)
        if self._is_unrelated(added, removed):
            yield Fault("it speaks of other things than the change", False)

    def _removal(self, old: str, new: str) -> Iterator[Fault]:
        if len(_HEADING.findall(old)) > len(_HEADING.findall(new)):
            yield Fault("it removes a section", False)
        elif not terms_of(old) & self._removed_terms:
            yield Fault("it removes text, and the change removes nothing that the text speaks of", False)

    def _is_unrelated(self, added: Sequence[str], removed: Sequence[str]) -> bool:
        new, old = " ".join(added), " ".join(removed)
        terms, related = terms_of(new), self._relatedness.of(f"{old} {new}")
        if not removed and 1 < len(terms) < _MIN_TERMS:
            return not related
        return len(terms) >= _MIN_TERMS and not terms <= terms_of(old) and related < _MIN_RELATEDNESS

    def _is_turned(self, sentence: str, removed: Sequence[str]) -> bool:
        """Whether a sentence denies what it said before, or what the change does not deny."""
        denies, terms = is_negated(sentence), terms_of(sentence)
        twin = max(removed, key=lambda other: len(terms & terms_of(other)), default="")
        if len(terms & terms_of(twin)) >= _MIN_TWIN_SHARE * max(1, len(terms)):
            return denies != is_negated(twin)
        return denies and len(terms) > 1 and not self._is_denied(terms)

    def _is_denied(self, terms: frozenset[str]) -> bool:
        """Whether a line of the change that denies something is as close to the terms as any other one."""
        shared: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
        for term in terms:
            for line, denies in self._lines_by_term.get(term, ()):
                shared[denies][line] += 1
        closest = {denies: max(counts.values(), default=0) for denies, counts in shared.items()}
        return closest[True] >= max(1, closest[False])


def moved_sentences(lines: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The sentences that one edit removes and another one adds."""
    removed, added = set[str](), set[str]()
    for old, new in lines:
        before, after = _sentences(old), _sentences(new)
        removed.update(before - after)
        added.update(after - before)
    return frozenset(removed & added)


@lru_cache(maxsize=64)
def _sentences(text: str) -> "Counter[str]":
    sentences = (
        " ".join(_MARKS.sub(" ", sentence).split())
        for paragraph in re.split(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+|#]|\d+[.)]))", text)
        for sentence in split_sentences(" ".join(paragraph.split()))
    )
    return Counter(sentence for sentence in sentences if sentence)

"""Warnings about an edit: it is copied, removes or denies something, or is unrelated."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from math import log, sqrt

from instep.drafting.writer.llm.located_edit import Fault
from instep.drafting.writer.shapes import Change
from instep.drafting.writer.words.change_terms import change_terms
from instep.platform.core import limits
from instep.platform.core.polarity import is_negated, negation_count
from instep.platform.text.sentences import split_sentences
from instep.platform.text.terms import ordered_terms, terms_of

UNRELATED = "it speaks of other things than the change"
_MIN_TWIN_SHARE = 0.5
# A new text whose relatedness (0 to 1) to the change is below this is about other things; less is enough
# for a text that replaces a similar one, or that is removed.
_MIN_RELATEDNESS, _MIN_RELATEDNESS_OF_REMOVED = 0.075, 0.05
_TITLE_WEIGHT = 3
_PATH = re.compile(r"(?m)^(?:diff --git a/|\+\+\+ b/|rename to )(\S+)")
_HEADING = re.compile(r"(?m)^#{1,6} |^[^\n]+\n(?:={3,}|-{3,}|~{3,}|\^{3,})$")
_MARKS = re.compile(r"[`*>#\[\]()]+")
# Anyone can plant a comment or an issue for a model. Shorter sentences may be equal by chance.
_COMMENT = re.compile(r"\+(?:.*?\s)??(?:#+|//+|/?\*+|--|;+|%+|<!--)!?\s++(\S.*)")
_MIN_COPIED_WORDS = 5
# A condition denies nothing: “If you do not pass a message, …”. Nor does a cell of a table with a “No”.
_CLAUSE_END = re.compile(r"[;()|]|\b(?:[Ii]f|[Ww]hen|[Uu]nless|[Uu]ntil)\b[^,;()]{0,200},")
# The words of strings are values.
_STRING = re.compile(r'"[^"]{0,80}"')
# An absence belongs to what a text states: “without a restart”, “no limit”, “non-empty”.
_ABSENCE = re.compile(r"\b(?:no|non|none|without)\b", re.IGNORECASE)


class Doubts:
    """Finds doubts about edits for one change; `articles` are the texts of the help center."""

    def __init__(self, change: Change, articles: Sequence[str]) -> None:
        lines = change.diff.splitlines()
        self._removed, self._added = (
            "\n".join(line[1:] for line in lines if line.startswith(mark) and not line.startswith(3 * mark))
            for mark in "-+"
        )
        self.paths = _PATH.findall(change.diff)
        self.removes_something = bool(self._removed.strip())
        self._change, self._articles = change, articles

    @cached_property
    def _article_frequency(self) -> Mapping[str, int]:
        frequency: Counter[str] = Counter()
        for text in self._articles:
            frequency.update(_distinct_terms(text))
        return frequency

    @cached_property
    def _weights(self) -> Mapping[str, float]:
        """The weight of each term of the change; title terms, rare terms and repeated terms weigh more."""
        counts = change_terms("\n".join((self._change.body or "", self._removed, self._added)))
        title = " ".join((self._change.title, *self.paths))
        for term, count in change_terms(title).items():
            counts[term] += _TITLE_WEIGHT * count
        weights = {term: sqrt(count) * self._rarity(term) for term, count in counts.items()}
        length = sqrt(sum(weight * weight for weight in weights.values())) or 1.0
        return {term: weight / length for term, weight in weights.items()}

    def _rarity(self, term: str) -> float:
        return max(0.0, log((len(self._articles) + 1) / (self._article_frequency.get(term, 0) + 0.5)))

    def _relatedness(self, text: str) -> float:
        """The cosine (0 to 1) between the weighted terms of a text and of the change."""
        rarities = {term: self._rarity(term) for term in change_terms(text)}
        length = sqrt(sum(rarity * rarity for rarity in rarities.values()))
        product = sum(rarity * self._weights.get(term, 0.0) for term, rarity in rarities.items())
        return product / length if length else 0.0

    @cached_property
    def _removed_terms(self) -> frozenset[str]:
        """The terms that the change removes more often than it adds them."""
        return frozenset(Counter(ordered_terms(self._removed)) - Counter(ordered_terms(self._added)))

    @cached_property
    def _comments(self) -> dict[str, str]:
        """The words of the comments that the change adds and of its issues, by their names."""
        comments: dict[str, str] = defaultdict(str)
        comments["an issue"] = _words("\n".join(issue.text for issue in self._change.context.issues))
        path = ""
        for line in self._change.diff.splitlines():
            if line.startswith("+++ "):
                path = line[4:].removeprefix("b/")
            elif line.startswith("+") and (comment := _COMMENT.match(line)):
                comments[f"a comment in `{path[:80]}`"] += f"{_words(comment[1])} "
        return comments

    @cached_property
    def _added_code(self) -> str:
        """The words of the added lines that are no comments, such as the texts that the program shows."""
        return _words("\n".join(line for line in self._added.splitlines() if not _COMMENT.match(f"+{line}")))

    @cached_property
    def _lines_by_term(self) -> dict[str, list[tuple[int, bool]]]:
        """The lines and sentences of the change by term, each with whether it contains a negation."""
        lines: dict[str, list[tuple[int, bool]]] = defaultdict(list)
        texts = (self._change.title, self._change.body or "", self._change.diff)
        sentences = (line for text in texts for line in split_sentences(text, at_line_breaks=True))
        for index, sentence in enumerate(sentences):
            denies = is_negated(sentence)
            for term in terms_of(sentence):
                lines[term].append((index, denies))
        return lines

    def faults(self, moved: frozenset[str], old: str, new: str) -> Iterator[Fault]:
        """Doubts about replaced lines; `moved` are sentences that another edit moves elsewhere."""
        before, after = _sentences(old), _sentences(new)
        added = [sentence for sentence in after - before if sentence not in moved]
        removed = [sentence for sentence in before - after if sentence not in moved]
        if removed and not added:
            yield from self._removal(old, new)
        for sentence in added:
            yield from self._sentence_faults(sentence, removed)
        if self._is_unrelated(added, removed):
            yield Fault(UNRELATED, False)

    def _sentence_faults(self, sentence: str, removed: Sequence[str]) -> Iterator[Fault]:
        if self._denies(sentence, removed):
            yield Fault("it denies something, and the change may say otherwise", False)
        words = _words(sentence).rstrip(".!?:")
        sources = [name for name, comments in self._comments.items() if words in comments]
        if sources and len(words.split()) >= _MIN_COPIED_WORDS and words not in self._added_code:
            yield Fault(f"it says word for word what {sources[0]} says", False)

    def _removal(self, old: str, new: str) -> Iterator[Fault]:
        if len(_HEADING.findall(old)) > len(_HEADING.findall(new)):
            yield Fault("it removes a section", False)
        elif not terms_of(old) & self._removed_terms or self._relatedness(old) < _MIN_RELATEDNESS_OF_REMOVED:
            yield Fault("it removes text, and the change removes nothing that the text speaks of", False)

    def _is_unrelated(self, added: Sequence[str], removed: Sequence[str]) -> bool:
        new, old = " ".join(added), " ".join(removed)
        terms = terms_of(new)
        share = len(terms - terms_of(old)) / max(1, len(terms))
        return len(terms) > 1 and self._relatedness(f"{old} {new}") < _MIN_RELATEDNESS * share**2

    def _denies(self, sentence: str, removed: Sequence[str]) -> bool:
        """True if a sentence denies more than the one that it replaces, or what the change states."""
        terms = terms_of(sentence)
        twin = max(removed, key=lambda other: len(terms & terms_of(other)), default="")
        if removed and len(terms & terms_of(twin)) >= _MIN_TWIN_SHARE * len(terms):
            return negation_count(_STRING.sub(" ", sentence)) > negation_count(_STRING.sub(" ", twin))
        clauses = (clause for clause in _CLAUSE_END.split(sentence) if is_negated(_ABSENCE.sub(" ", clause)))
        return any(self._is_stated(terms_of(clause)) for clause in clauses)

    def _is_stated(self, terms: frozenset[str]) -> bool:
        """True if a line of the change without a negation is closest to the terms and shares two of them."""
        shared: dict[bool, Counter[int]] = {True: Counter(), False: Counter()}
        for term in terms:
            for line, denies in self._lines_by_term.get(term, ()):
                shared[denies][line] += 1
        closest = {denies: max(counts.values(), default=0) for denies, counts in shared.items()}
        return closest[False] > max(1, closest[True])


def moved_sentences(lines: Iterable[tuple[str, str]]) -> frozenset[str]:
    """The sentences that one edit removes and another one adds."""
    removed, added = set[str](), set[str]()
    for old, new in lines:
        before, after = _sentences(old), _sentences(new)
        removed.update(before - after)
        added.update(after - before)
    return frozenset(removed & added)


def _words(text: str) -> str:
    return " ".join(_MARKS.sub(" ", text).replace("|", " ").casefold().split())


@lru_cache(maxsize=64)
def _sentences(text: str) -> "Counter[str]":
    sentences = (
        " ".join(_MARKS.sub(" ", sentence).split())
        for paragraph in re.split(r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+|#]|\d+[.)]))", text)
        for sentence in split_sentences(" ".join(paragraph.split()))
    )
    return Counter(sentence for sentence in sentences if sentence)


@lru_cache(maxsize=limits.MAX_WRITER_ARTICLES)
def _distinct_terms(text: str) -> frozenset[str]:
    return frozenset(change_terms(text))

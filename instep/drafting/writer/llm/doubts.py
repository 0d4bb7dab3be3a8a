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
_MIN_TERMS = 4
_MAX_TITLE_SHARE, _MIN_TWIN_SHARE = 0.8, 0.6
# An edit whose relatedness (0 to 1) to the change is below this is about other things.
_MIN_RELATEDNESS = 0.045
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
_DENIES = "it denies something, and the change may say otherwise"
_DENIES_NO_LONGER = "it no longer denies something, and the change may still do so"


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
        self._title_terms = terms_of(change.title)

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
        return frozenset(ordered_terms(self._removed)) - frozenset(ordered_terms(self._added))

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
        terms = terms_of(sentence)
        if len(terms) >= _MIN_TERMS and len(terms & self._title_terms) >= _MAX_TITLE_SHARE * len(terms):
            yield Fault("it repeats the title of the change", False)
        if turn := self._turn_of(sentence, removed):
            yield Fault(turn, False)
        words = _words(sentence).rstrip(".!?:")
        sources = [name for name, comments in self._comments.items() if words in comments]
        if sources and len(words.split()) >= _MIN_COPIED_WORDS and words not in self._added_code:
            yield Fault(f"it says word for word what {sources[0]} says", False)

    def _removal(self, old: str, new: str) -> Iterator[Fault]:
        if len(_HEADING.findall(old)) > len(_HEADING.findall(new)):
            yield Fault("it removes a section", False)
        elif not terms_of(old) & self._removed_terms:
            yield Fault("it removes text, and the change removes nothing that the text speaks of", False)

    def _is_unrelated(self, added: Sequence[str], removed: Sequence[str]) -> bool:
        new, old = " ".join(added), " ".join(removed)
        terms, related = terms_of(new), self._relatedness(f"{old} {new}")
        if not removed and 1 < len(terms) < _MIN_TERMS:
            return not related
        return len(terms) >= _MIN_TERMS and not terms <= terms_of(old) and related < _MIN_RELATEDNESS

    def _turn_of(self, sentence: str, removed: Sequence[str]) -> str:
        """The doubt about a sentence that negates more or less than before, or than the change; or empty."""
        terms = terms_of(sentence)
        twin = max(removed, key=lambda other: len(terms & terms_of(other)), default="")
        if len(terms & terms_of(twin)) >= _MIN_TWIN_SHARE * max(1, len(terms)):
            surplus = negation_count(_STRING.sub(" ", sentence)) - negation_count(_STRING.sub(" ", twin))
            return _DENIES if surplus > 0 else _DENIES_NO_LONGER if surplus else ""
        clauses = (terms_of(clause) for clause in _CLAUSE_END.split(sentence) if is_negated(clause))
        return _DENIES if any(len(row) > 1 and not self._is_denied(row) for row in clauses) else ""

    def _is_denied(self, terms: frozenset[str]) -> bool:
        """True if a line of the change with a negation is as close to the terms as any other line."""
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

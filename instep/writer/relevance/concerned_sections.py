"""Where an article that a change concerns should say more: the section, and the lines of code behind it."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import islice
from math import log

from instep.text.file_kinds import LONG_LINE
from instep.writer.articles.corpus import Corpus
from instep.writer.articles.headings import ArticleSection, sections_of
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.shapes import Article, Change
from instep.writer.words.change_terms import change_terms

_CLOSING_SECTION = re.compile(
    r"(?:recap|summary|conclusion|see also|more info\w*|next steps?|further reading|what'?s next|references?"
    r"|technical details|feedback|troubleshooting|faq)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_MAX_LINES = 3
_MAX_READ_LINES = 5_000
# A term of the title counts as much as one that the lines of the change have some twenty times.
_TITLE_WEIGHT = 3.0
# A section may have this many different terms before its length counts against it.
_LENGTH_NORM = 50


@dataclass(frozen=True, slots=True)
class ConcernedPlace:
    """A section of an article by its heading and offset, and the lines of the change behind it.

    `heading` is empty, and the offset 0, for an article without sections that share anything with the change.
    """

    article_id: str
    heading: str
    start: int
    sources: tuple[SourceLine, ...]


def concerned_place(
    article: Article, change: Change, change_set: ChangeSet, corpus: Corpus
) -> ConcernedPlace | None:
    """The place that shares most with the change; None if the change has no line that concerns users."""
    lines = list(user_facing_lines(change_set))
    if not lines:
        return None
    section = _best_section(sections_of(article.text), change, lines)
    text = section.text if section else article.text
    sources = _telling_lines(lines, text, _old_words(change_set), corpus)
    return ConcernedPlace(
        article.id, section.title if section else "", section.start if section else 0, sources
    )


def user_facing_lines(change_set: ChangeSet) -> Iterator[SourceLine]:
    """The lines that the change adds to a file, or takes out if it adds none, user-facing files first.

    A line that is only indented or aligned anew is neither.
    """
    for file in change_set.files:
        if file.kind in {"test", "internal"}:
            continue
        lines = [
            line
            for line in file.patch.lines()
            if line.mark != " " and 0 < len(line.text.strip()) <= LONG_LINE
        ]
        removed_texts = {" ".join(line.text.split()) for line in lines if line.mark == "-"}
        added = [
            line for line in lines if line.mark == "+" and " ".join(line.text.split()) not in removed_texts
        ]
        for line in added or lines:
            number = line.new if line.mark == "+" else line.old
            yield SourceLine(file.patch.path, number, line.text, file.weight)


def _best_section(
    sections: Sequence[ArticleSection], change: Change, lines: Sequence[SourceLine]
) -> ArticleSection | None:
    """The section whose text and heading share most with the change, in terms that few sections have."""
    changed_text = "\n".join(line.text for line in lines[:_MAX_READ_LINES])
    weights: dict[str, float] = {term: log(1 + n) for term, n in change_terms(changed_text).items()}
    weights |= dict.fromkeys(change_terms(change.title), _TITLE_WEIGHT)
    terms = [change_terms(section.text) for section in sections]
    frequency = Counter(term for section_terms in terms for term in section_terms)
    idf = {term: log(1 + len(sections) / count) for term, count in frequency.items()}

    def score(index: int) -> float:
        shared = terms[index].keys() & weights.keys()
        in_heading = change_terms(sections[index].title).keys() & shared
        total = sum(weights[term] * idf[term] for term in shared) + sum(idf[term] for term in in_heading)
        return float(total / (_LENGTH_NORM + len(terms[index])) ** 0.5)

    candidates = [n for n, section in enumerate(sections) if not _CLOSING_SECTION.match(section.title)]
    best = max(candidates, key=score, default=None)
    return sections[best] if best is not None and score(best) else None


def _old_words(change_set: ChangeSet) -> set[str]:
    """The words of all lines that the change takes out or leaves."""
    lines = islice((line for file in change_set.files for line in file.patch.lines()), _MAX_READ_LINES)
    return {word for line in lines if line.mark != "+" for word in _WORD.findall(line.text.lower())}


def _telling_lines(
    lines: Sequence[SourceLine], text: str, old_words: set[str], corpus: Corpus
) -> tuple[SourceLine, ...]:
    """The lines that share the rarest words with a text, those with a new word first; else the first line."""
    words = set(_WORD.findall(text.lower()))
    scores: dict[int, tuple[bool, float]] = {}
    for index, line in enumerate(lines[:_MAX_READ_LINES]):
        own_words = set(_WORD.findall(line.text.lower()))
        if own_words & words:
            weight = line.weight * corpus.total_idf(" ".join(own_words & words))
            scores[index] = (bool(own_words - old_words), weight)
    best = nlargest(_MAX_LINES, scores, key=lambda index: scores[index])
    return tuple(lines[index] for index in sorted(best)) or tuple(lines[:1])

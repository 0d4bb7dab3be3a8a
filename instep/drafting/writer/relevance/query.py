"""A change as a query for the ranking: the terms, names and bigrams of its parts."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import log

from instep.drafting.writer.diffs.change_set import ChangeSet
from instep.drafting.writer.relevance.article_features import names_in
from instep.drafting.writer.shapes import Change
from instep.drafting.writer.words.change_terms import change_terms, sequence_of
from instep.platform.text.file_kinds import LONG_LINE

_MAX_TERMS = 60
_MAX_NAMES = 200
# Prose in code: strings, comments, text between tags, lines of prose.
_PROSE = re.compile(
    r"""["'`]([^"'`\n]{3,})["'`]|(?:^|\s)(?:#|//|\*|--)\s+(.+)|>([^<>{}]{3,})<|"{3}(.*)"""
    r"""|^(\s*[A-Z][a-z]+ [a-z]+.*)$"""
)
_BREAKING = re.compile(r"\W*\w+(?:\([^)]*\))?!:|.*\bbreaking\b", re.IGNORECASE | re.DOTALL)

Terms = Mapping[str, float]


@dataclass(frozen=True, slots=True)
class ChangeQuery:
    """Weighted terms by part of the change.

    `names` are the distinct names of unchanged lines, `pairs` the bigrams of the title, joined by a space.
    """

    parts: Mapping[str, Terms]
    names: Terms
    pairs: tuple[str, ...]
    is_breaking: bool


def change_query(change: Change, change_set: ChangeSet, idf: Terms) -> ChangeQuery:
    counts: dict[str, dict[str, float]] = defaultdict(lambda: defaultdict(float))
    names: dict[str, float] = defaultdict(float)
    paths: dict[str, float] = {}
    for file in change_set.files:
        for term in change_terms(file.patch.path):
            paths[term] = max(file.weight, paths.get(term, 0.0))
        lines = [line for line in file.patch.lines() if len(line.text) <= LONG_LINE]
        changed = [line.text for line in lines if line.mark != " "]
        context = [line.text for line in lines if line.mark == " "]
        _add(counts["lines"], changed, file.weight)
        _add(counts["context"], context, file.weight)
        _add(counts["removed"], (line.text for line in lines if line.mark == "-"), file.weight)
        if file.kind != "test":
            _add(counts["prose"], (prose for text in changed for prose in _prose(text)), file.weight)
        for name in names_in("\n".join(context)):
            names[name] += file.weight
    return ChangeQuery(
        {
            "title": {term: float(n) for term, n in change_terms(change.title).items() if term in idf},
            "body": _top_terms(change_terms(change.body or ""), idf),
            "path": {term: weight for term, weight in paths.items() if term in idf},
            **{part: _top_terms(counts[part], idf) for part in ("lines", "context", "removed", "prose")},
        },
        {name: log(1 + names[name]) for name in sorted(names, key=lambda name: -names[name])[:_MAX_NAMES]},
        tuple(sorted({f" {first} {second} " for first, second in pairwise(sequence_of(change.title))})),
        bool(_BREAKING.match(change.title)),
    )


def _add(counts: dict[str, float], texts: Iterable[str], weight: float) -> None:
    for term, count in change_terms("\n".join(texts)).items():
        counts[term] += count * weight


def _prose(line: str) -> Iterator[str]:
    for match in _PROSE.finditer(line):
        yield from filter(None, match.groups())


def _top_terms(counts: Terms, idf: Terms) -> dict[str, float]:
    """The terms with the greatest weight: rare among the articles, frequent in the change."""
    weights = {term: log(1 + count) for term, count in counts.items() if term in idf}
    terms = sorted(weights, key=lambda term: (-weights[term] * idf[term], term))
    return {term: weights[term] for term in terms[:_MAX_TERMS]}

"""Finds the sections of articles that say what a model looks for: its words as they are, or most of them."""

from collections import defaultdict
from collections.abc import Iterator
from heapq import nlargest
from itertools import islice
from math import log

from instep.drafting.writer.articles.corpus import corpus_of
from instep.drafting.writer.llm.article_contents import Contents, SectionReference, section_spans
from instep.drafting.writer.relevance.article_features import article_features
from instep.drafting.writer.words.change_terms import change_terms

_MAX_FOUND = 3
# The share (0 to 1) of the weight of a query that a section must have.
_MIN_SHARE = 0.7


def found_sections(contents: Contents, query: str) -> list[SectionReference]:
    """At most three sections, best first."""
    exact = list(islice(_with_text(contents, query), _MAX_FOUND))
    return exact or _with_terms(contents, query)


def _with_text(contents: Contents, query: str) -> Iterator[SectionReference]:
    """The sections with a line that has the query, in the order of the articles."""
    target = " ".join(query.casefold().split())
    for article in corpus_of(contents.articles).articles_with(query):
        index = contents.index_by_id[article.id]
        lines = article.text.casefold().split("\n")
        for span in section_spans(article.text):
            if target and any(target in line for line in lines[span.first - 1 : span.last]):
                yield SectionReference(index, span.number)


def _with_terms(contents: Contents, query: str) -> list[SectionReference]:
    """The sections with most of the terms, each weighed by its inverse document frequency."""
    scores: dict[tuple[int, int], float] = defaultdict(float)
    total = 0.0
    for term in change_terms(query):
        matches = {
            index: features.passages[term]
            for index, article in enumerate(contents.articles)
            if term in (features := article_features(article.title, article.text)).passages
        }
        weight = log(1 + len(contents.articles) / len(matches)) if matches else 0.0
        total += weight
        for index, passages in matches.items():
            for passage, _ in passages:
                scores[index, passage] += weight
    best = nlargest(_MAX_FOUND, scores, key=lambda key: (scores[key], -key[0]))
    return [
        SectionReference(index, _section_of(contents.articles[index].text, passage))
        for index, passage in best
        if scores[index, passage] >= _MIN_SHARE * total
    ]


def _section_of(text: str, passage: int) -> int:
    """The number of the section of a passage: passages are the sections that are not blank."""
    lines = text.split("\n")
    filled = [
        span.number for span in section_spans(text) if "".join(lines[span.first - 1 : span.last]).strip()
    ]
    return filled[min(passage, len(filled) - 1)]

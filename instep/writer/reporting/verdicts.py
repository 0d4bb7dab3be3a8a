"""Why each article that was considered got a draft, or none."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from instep.writer.articles.corpus import Corpus
from instep.writer.editing.edits import Edit
from instep.writer.facts.collect import Facts
from instep.writer.facts.removals import Removal
from instep.writer.facts.renames import Rename
from instep.writer.facts.values import Value
from instep.writer.relevance.ranking import Ranking
from instep.writer.reporting.reasons import (
    reason_for_doubt,
    reason_for_edit,
    reason_for_remaining_name,
    reason_for_removal,
    reason_for_removed_name,
    reason_for_similarity,
    reason_for_value,
)
from instep.writer.shapes import Article, StaleMention, Verdict
from instep.writer.words.identifiers import is_distinct, mention

_NEAREST = 10
_MOST = 30


def stale_mentions(facts: Facts, corpus: Corpus) -> tuple[StaleMention, ...]:
    return tuple(
        StaleMention(article.id, gone.name)
        for gone in facts.removed_names
        for article in _articles_mentioning(gone.name, corpus)
    )


def review(
    ranking: Ranking,
    found: Mapping[str, Sequence[Edit]],
    facts: Facts,
    removals: Sequence[Removal],
    absences: Iterable[StaleMention],
    corpus: Corpus,
) -> tuple[Verdict, ...]:
    """Drafted articles, then those that mention a fact, then the nearest ones, each best first."""
    mentions = _mentions(facts, removals, absences, corpus)
    near = set(ranking.order[:_NEAREST])
    considered = [i for i in ranking.order if i in found]
    considered += [i for i in ranking.order if i not in found and i in mentions][
        : max(0, _MOST - len(considered))
    ]
    considered += [i for i in ranking.order if i in near and i not in found and i not in mentions]
    return tuple(
        Verdict(i, "edit", reason_for_edit(found[i]))
        if i in found
        else Verdict(i, "no_edit", mentions.get(i) or reason_for_similarity(ranking.shared_terms.get(i, ())))
        for i in considered
    )


def _mentions(
    facts: Facts, removals: Sequence[Removal], absences: Iterable[StaleMention], corpus: Corpus
) -> dict[str, str]:
    """The first, weightiest reason for every article that mentions something and got no edit for it."""
    said: dict[str, str] = {}
    for article_id, reason in _all_mentions(facts, removals, absences, corpus):
        said.setdefault(article_id, reason)
    return said


def _all_mentions(
    facts: Facts, removals: Sequence[Removal], absences: Iterable[StaleMention], corpus: Corpus
) -> Iterator[tuple[str, str]]:
    for removal in removals:
        yield from _holding(removal.old, reason_for_removal(removal), corpus)
    for rename in facts.doubtful_renames:
        yield from _holding(rename.old, reason_for_doubt(rename), corpus)
    for fact in facts.certain:
        if isinstance(fact, Rename):
            yield from _holding(fact.old, reason_for_remaining_name(fact), corpus)
    gone = {one.name: one for one in facts.removed_names}
    for absence in absences:
        yield absence.article_id, reason_for_removed_name(gone[absence.name])
    for value in _values(facts):
        yield from _holding(value.names[0], reason_for_value(value), corpus)


def _values(facts: Facts) -> Iterable[Value]:
    return (fact for fact in facts.certain if isinstance(fact, Value) and is_distinct(fact.names[0]))


def _holding(text: str, reason: str, corpus: Corpus) -> Iterator[tuple[str, str]]:
    return ((article.id, reason) for article in _articles_mentioning(text, corpus))


def _articles_mentioning(text: str, corpus: Corpus) -> Iterator[Article]:
    pattern = mention(text)
    return (article for article in corpus.articles_with(text) if pattern.search(article.text))

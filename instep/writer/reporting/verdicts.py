"""Why each article that was considered got a draft, or got none."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from instep.core.name_matching import is_distinct, mention
from instep.writer.articles.corpus import Corpus
from instep.writer.editing.edits import EditsByArticle
from instep.writer.facts.collect import Facts
from instep.writer.facts.removals import Removal
from instep.writer.facts.renames import Rename
from instep.writer.facts.values import Value
from instep.writer.relevance.concerned_sections import ConcernedPlace
from instep.writer.relevance.ranking import ArticleRanking
from instep.writer.reporting.concerned import verdict_of_concern
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
from instep.writer.words.change_terms import words_for

_MAX_NEAREST = 10
_MAX_MENTIONS = 30


def stale_mentions(facts: Facts, corpus: Corpus) -> tuple[StaleMention, ...]:
    return tuple(
        StaleMention(article.id, removed.name)
        for removed in facts.removed_names
        for article in _articles_mentioning(removed.name, corpus)
    )


def review(
    ranking: ArticleRanking,
    edits: EditsByArticle,
    places: Mapping[str, ConcernedPlace],
    facts: Facts,
    removals: Sequence[Removal],
    stale: Iterable[StaleMention],
    corpus: Corpus,
) -> tuple[Verdict, ...]:
    """Verdicts on articles with a draft, then where to write, with a mention of a fact, and the nearest.

    Each group is in the order of the ranking.
    """
    mentions = _mentions(facts, removals, stale, corpus)
    drafted = [article_id for article_id in ranking.order if article_id in edits]
    concerned = [article for article in corpus.articles if article.id in places]
    concerned.sort(key=lambda article: ranking.order.index(article.id))
    others = [
        article_id for article_id in ranking.order if article_id not in edits and article_id not in places
    ]
    mentioning = [article_id for article_id in others if article_id in mentions]
    texts = {article.id: f"{article.title}\n{article.text}" for article in corpus.articles}
    nearest = set(ranking.order[:_MAX_NEAREST]).difference(mentions)
    return (
        *(Verdict(article_id, "edit", reason_for_edit(edits[article_id])) for article_id in drafted),
        *(verdict_of_concern(places[article.id], article, mentions.get(article.id)) for article in concerned),
        *(
            Verdict(article_id, "no_edit", mentions[article_id])
            for article_id in mentioning[: max(0, _MAX_MENTIONS - len(drafted))]
        ),
        *(
            Verdict(article_id, "no_edit", reason_for_similarity(_shared_words(ranking, article_id, texts)))
            for article_id in others
            if article_id in nearest
        ),
    )


def _shared_words(ranking: ArticleRanking, article_id: str, texts: Mapping[str, str]) -> Sequence[str]:
    """The words of an article, as it writes them, for the stems that it shares with the change."""
    return words_for(ranking.shared_terms.get(article_id, ()), texts[article_id])


def _mentions(
    facts: Facts, removals: Sequence[Removal], stale: Iterable[StaleMention], corpus: Corpus
) -> dict[str, str]:
    """The first and so most important reason per article that mentions something without an edit for it."""
    reasons: dict[str, str] = {}
    for article_id, reason in _all_mentions(facts, removals, stale, corpus):
        reasons.setdefault(article_id, reason)
    return reasons


def _all_mentions(
    facts: Facts, removals: Sequence[Removal], stale: Iterable[StaleMention], corpus: Corpus
) -> Iterator[tuple[str, str]]:
    for removal in removals:
        yield from _with_reason(removal.old, reason_for_removal(removal), corpus)
    for rename in facts.doubtful_renames:
        yield from _with_reason(rename.old, reason_for_doubt(rename), corpus)
    for fact in facts.certain:
        if isinstance(fact, Rename):
            yield from _with_reason(fact.old, reason_for_remaining_name(fact), corpus)
    removed_names = {removed.name: removed for removed in facts.removed_names}
    for stale_mention in stale:
        yield stale_mention.article_id, reason_for_removed_name(removed_names[stale_mention.name])
    for value in _values(facts):
        yield from _with_reason(value.names[0], reason_for_value(value), corpus)


def _values(facts: Facts) -> Iterable[Value]:
    return (fact for fact in facts.certain if isinstance(fact, Value) and is_distinct(fact.names[0]))


def _with_reason(text: str, reason: str, corpus: Corpus) -> Iterator[tuple[str, str]]:
    return ((article.id, reason) for article in _articles_mentioning(text, corpus))


def _articles_mentioning(text: str, corpus: Corpus) -> Iterator[Article]:
    pattern = mention(text)
    return (article for article in corpus.articles_with(text) if pattern.search(article.text))

"""The writer: one pure function from a change and the articles to a report."""

from collections.abc import Sequence

from instep.writer.articles.corpus import Corpus, corpus_of
from instep.writer.diffs.change_set import reviewed_files, summary_of_skipped
from instep.writer.diffs.parser import read_diff
from instep.writer.editing.apply import add_example_edits, apply, evidence_for, find_edits, new_title
from instep.writer.editing.edits import Edit
from instep.writer.editing.examples import example_edits
from instep.writer.editing.likely import likely_edits
from instep.writer.editing.removing import add_removals
from instep.writer.facts.additions import additions_of
from instep.writer.facts.collect import facts_of
from instep.writer.facts.removals import Removal, find_removals
from instep.writer.facts.renames import variables_of
from instep.writer.inserting.notes import Note
from instep.writer.new_articles.missing_articles import new_article_for
from instep.writer.relevance.mentions import mentions_of
from instep.writer.relevance.need import doc_need_probability
from instep.writer.relevance.ranking import Ranked, rank
from instep.writer.reporting.reasons import reason_for_edit, summary_of
from instep.writer.reporting.verdicts import review, stale_mentions
from instep.writer.reporting.warnings import warnings_for
from instep.writer.shapes import Article, Change, Proposal, Report

_SURE = 0.8


def write(change: Change, articles: Sequence[Article], *, with_likely: bool = True) -> Report:
    """Which articles a change concerns, the edits that it makes certain and, if wanted, the likely ones."""
    scope = reviewed_files(read_diff(change.diff))
    library = corpus_of(tuple(articles))
    facts = facts_of(change, scope)
    certain = (*facts.certain, *variables_of(facts.renames, scope, library.articles))
    mentions = mentions_of(facts, library)
    additions = additions_of(scope)
    ranked = rank(change, scope, library.articles, additions, mentions.count)
    need = doc_need_probability(change, scope, ranked, library)
    found = find_edits(certain, library)
    add_example_edits(found, example_edits(scope, library), library)
    removals = find_removals(scope, facts, library)
    add_removals(found, removals, library)
    newcomer = None
    if with_likely:
        additions = additions_of(scope)
        found = likely_edits(found, change, scope, additions, mentions, ranked, need, library)
        newcomer = new_article_for(change, scope, additions, ranked, need, library)
    proposals = [
        _proposal(article, found[article.id], removals, library)
        for article in articles
        if article.id in found
    ]
    proposals += [newcomer] if newcomer else []
    absences = stale_mentions(facts, library)
    grounds = [place.fact for places in found.values() for place in places]
    return Report(
        ranking=_edited_first(ranked, found),
        need=need + (1 - need) * _SURE if proposals else need,
        proposals=tuple(proposals),
        reviewed=review(ranked, found, facts, removals, absences, library),
        summary=summary_of([*certain, *grounds], found, summary_of_skipped(scope)),
        absences=absences,
    )


def _proposal(
    article: Article, places: Sequence[Edit], removals: Sequence[Removal], library: Corpus
) -> Proposal:
    text = apply(places, article.text)
    return Proposal(
        type="edit",
        article_id=article.id,
        title=new_title(article, places, library),
        text=text,
        reason=reason_for_edit(places),
        evidence=evidence_for(places, article.text),
        warnings=warnings_for(places, removals, text),
    )


def _edited_first(ranked: Ranked, found: dict[str, list[Edit]]) -> tuple[str, ...]:
    """A note says only that an article is near, which its rank says already."""
    edited = {i for i, places in found.items() if not all(isinstance(place.fact, Note) for place in places)}
    return tuple(sorted(ranked.order, key=lambda article_id: article_id not in edited))

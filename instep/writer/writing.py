"""The writer: one pure function from a change and the articles to a report."""

from collections.abc import Sequence

from instep.writer.articles.library import Library, library_of
from instep.writer.diffs.reading import read_diff
from instep.writer.diffs.scope import said_of, scope_of
from instep.writer.editing.drafting import add_copies, apply, evidence_for, find_places, new_title
from instep.writer.editing.drafts import likely_places
from instep.writer.editing.examples import copies_of
from instep.writer.editing.places import Place
from instep.writer.editing.removing import add_removals
from instep.writer.facts.additions import additions_of
from instep.writer.facts.gathering import facts_of
from instep.writer.facts.removals import Removal, find_removals
from instep.writer.facts.variables import variables_of
from instep.writer.inserting.notes import Note
from instep.writer.locating.mentions import mentions_of
from instep.writer.locating.need import need_of
from instep.writer.locating.ranking import Ranked, rank
from instep.writer.new_articles.newcomers import new_article_for
from instep.writer.reporting.cautions import warnings_for
from instep.writer.reporting.reasons import reason_for_edit, summary_of
from instep.writer.reporting.verdicts import absences_of, review
from instep.writer.shapes import Article, Change, Proposal, Report

_SURE = 0.8


def write(change: Change, articles: Sequence[Article], *, with_likely: bool = True) -> Report:
    """Which articles a change concerns, the edits that it makes certain and, if wanted, the likely ones."""
    scope = scope_of(read_diff(change.diff))
    library = library_of(tuple(articles))
    facts = facts_of(change, scope)
    certain = (*facts.certain, *variables_of(facts.renames, scope, library.articles))
    mentions = mentions_of(facts, library)
    additions = additions_of(scope)
    ranked = rank(change, scope, library.articles, additions, mentions.count)
    need = need_of(change, scope, ranked, library)
    found = find_places(certain, library)
    add_copies(found, copies_of(scope, library), library)
    removals = find_removals(scope, facts, library)
    add_removals(found, removals, library)
    newcomer = None
    if with_likely:
        additions = additions_of(scope)
        found = likely_places(found, change, scope, additions, mentions, ranked, need, library)
        newcomer = new_article_for(change, scope, additions, ranked, need, library)
    proposals = [
        _proposal(article, found[article.id], removals, library)
        for article in articles
        if article.id in found
    ]
    proposals += [newcomer] if newcomer else []
    absences = absences_of(facts, library)
    grounds = [place.fact for places in found.values() for place in places]
    return Report(
        ranking=_edited_first(ranked, found),
        need=need + (1 - need) * _SURE if proposals else need,
        proposals=tuple(proposals),
        reviewed=review(ranked, found, facts, removals, absences, library),
        summary=summary_of([*certain, *grounds], found, said_of(scope)),
        absences=absences,
    )


def _proposal(
    article: Article, places: Sequence[Place], removals: Sequence[Removal], library: Library
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


def _edited_first(ranked: Ranked, found: dict[str, list[Place]]) -> tuple[str, ...]:
    """A note says only that an article is near, which its rank says already."""
    edited = {i for i, places in found.items() if not all(isinstance(place.fact, Note) for place in places)}
    return tuple(sorted(ranked.order, key=lambda article_id: article_id not in edited))

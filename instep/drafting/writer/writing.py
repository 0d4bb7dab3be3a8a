"""The writer: one pure function from a change and the articles to a report."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType

from instep.drafting.writer.articles.corpus import Corpus, corpus_of
from instep.drafting.writer.diffs.change_set import ChangeSet, reviewed_files, summary_of_skipped
from instep.drafting.writer.editing.apply import (
    MIN_CERTAIN,
    FoundEdits,
    evidence_for,
    find_edits,
    new_title,
    with_ported,
)
from instep.drafting.writer.editing.edits import Edit, apply
from instep.drafting.writer.facts.additions import Addition, additions_of
from instep.drafting.writer.facts.became import find_became
from instep.drafting.writer.facts.removed_names import (
    RemovedMentions,
    RemovedName,
    find_removed_names,
    removed_mentions,
)
from instep.drafting.writer.fitted import FITTED
from instep.drafting.writer.models import Models
from instep.drafting.writer.porting.port import port_documentation
from instep.drafting.writer.porting.ported_text import PortedDocumentation
from instep.drafting.writer.relevance.need_signs import need_signs
from instep.drafting.writer.relevance.ranking import ArticleRanking, rank
from instep.drafting.writer.relevance.selection import (
    MAX_CONCERNED,
    candidates_of,
    concerned_articles,
    nearest_articles,
)
from instep.drafting.writer.reporting.places_to_write import (
    listing_articles,
    places_for,
    without_suppressed_places,
)
from instep.drafting.writer.reporting.reasons import reason_for_edit, sentence_about
from instep.drafting.writer.reporting.statements import (
    article_statement,
    is_certain,
    statements_of,
    suppression_notices,
    without_suppressed,
)
from instep.drafting.writer.reporting.verdicts import review, stale_mentions, with_notices
from instep.drafting.writer.reporting.warnings import warnings_for
from instep.drafting.writer.shapes import Article, Change, Place, Proposal, Report, Suppressed
from instep.platform.text.patch_parser import parse_diff

# A draft is evidence of a need: the need grows by this share of its distance to 1.
_NEED_GROWTH_BY_DRAFT = 0.8


# By default, no statement is suppressed.
NOTHING_SUPPRESSED: Suppressed = MappingProxyType({})


def write(
    change: Change,
    articles: Sequence[Article],
    suppressed: Suppressed = NOTHING_SUPPRESSED,
    models: Models = FITTED,
) -> Report:
    """Rank the articles that a change concerns, draft the edits that it proves, and say where to write.

    Edits and places that only make `suppressed` statements are left out.
    """
    reading = _read(change, articles, models)
    ported, ranking, need = reading.ported, reading.ranking, reading.need
    every_edit = with_ported(reading.edits.likely, ported.texts)
    held_back = suppression_notices(every_edit, suppressed)
    edits = without_suppressed(every_edit, suppressed)
    missing = [place for place in _places(reading, models) if place.article_id not in every_edit]
    places = without_suppressed_places(missing, suppressed)
    proposals = [
        _proposal(article, edits[article.id], reading.mentions.get(article.id, ()))
        for article in articles
        if article.id in edits
    ]
    proposals += _with_statements(ported.new_pages, suppressed)
    verdicts = review(ranking, edits, places, reading.mentions)
    return Report(
        ranking=tuple(sorted(ranking.order, key=lambda article_id: article_id not in edits)),
        need=need + (1 - need) * _NEED_GROWTH_BY_DRAFT if proposals else need,
        proposals=tuple(proposals),
        reviewed=with_notices(verdicts, {**ported.notices, **held_back}),
        edit_sentence=sentence_about(edits),
        stale_mentions=stale_mentions(reading.mentions, every_edit),
        places=places,
        notes=tuple(summary_of_skipped(reading.change_set)),
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    """The facts of a change and of the articles, before any decision."""

    change: Change
    change_set: ChangeSet
    corpus: Corpus
    ported: PortedDocumentation
    mentions: RemovedMentions
    additions: Sequence[Addition]
    ranking: ArticleRanking
    need: float
    edits: FoundEdits


def _read(change: Change, articles: Sequence[Article], models: Models) -> _Reading:
    change_set = reviewed_files(parse_diff(change.diff), change.locales)
    code, corpus = change_set.code, corpus_of(tuple(articles))
    mentions, additions = removed_mentions(find_removed_names(code), corpus), additions_of(code)
    ranking = rank(change, change_set, corpus.articles, additions, mentions)
    return _Reading(
        change,
        change_set,
        corpus,
        port_documentation(change_set, corpus),
        mentions,
        additions,
        ranking,
        models.need.probability(need_signs(change, change_set, ranking)),
        find_edits(find_became(change, code), corpus, models),
    )


def _places(reading: _Reading, models: Models) -> Iterator[Place]:
    """The places to write at; none if the change documents itself."""
    if reading.ported.is_documented:
        return iter(())
    nearest = nearest_articles(reading.ranking, reading.mentions, reading.corpus)
    candidates = candidates_of(nearest, models.article)
    by_id = {article.id: article for article in reading.corpus.articles}
    concerned = [article.id for article in concerned_articles(candidates, reading.need, reading.change)]
    listing = islice(listing_articles(reading.additions, reading.corpus), MAX_CONCERNED)
    ids = dict.fromkeys([*reading.edits.surely_replaced, *listing, *concerned])
    return places_for(
        [by_id[article_id] for article_id in ids if article_id not in reading.edits.updated][:MAX_CONCERNED],
        reading.edits.doubtful,
        reading.mentions,
        reading.additions,
        reading.change,
        reading.change_set.code,
        reading.corpus,
    )


def _proposal(article: Article, edits: Sequence[Edit], removals: Sequence[RemovedName]) -> Proposal:
    text = apply(edits, article.text)
    return Proposal(
        type="edit",
        article_id=article.id,
        title=new_title(article, edits),
        text=text,
        reason=reason_for_edit(edits),
        evidence=evidence_for(edits, article.text),
        warnings=warnings_for(edits, text, removals),
        is_certain=is_certain(edits),
        is_doubtful=any(edit.probability < MIN_CERTAIN for edit in edits),
        statements=statements_of(edits),
    )


def _with_statements(new_articles: Sequence[Proposal], suppressed: Suppressed) -> list[Proposal]:
    """The drafts of new articles with their statements, without suppressed ones."""
    proposals = [
        replace(proposal, statements=(article_statement(proposal.title),)) for proposal in new_articles
    ]
    keys = suppressed.get("", ())
    return [proposal for proposal in proposals if proposal.statements[0].key not in keys]

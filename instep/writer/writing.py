"""The writer: one pure function from a change and the articles to a report."""

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from instep.text.patch_parser import parse_diff
from instep.writer.articles.corpus import Corpus, corpus_of
from instep.writer.diffs.change_set import reviewed_files, summary_of_skipped
from instep.writer.editing.apply import (
    add_example_edits,
    add_heading_links,
    apply,
    evidence_for,
    find_edits,
    new_title,
    with_ported,
)
from instep.writer.editing.edits import Edit
from instep.writer.editing.entitled_subjects import add_entitled_subjects
from instep.writer.editing.entitlement_cells import add_entitlements
from instep.writer.editing.example_edits import example_edits, in_likely_articles, likely_article_ids
from instep.writer.editing.likely import (
    edit_sentence_lists,
    likely_edits,
    nearest_articles,
)
from instep.writer.editing.likely_values import add_unnamed_values
from instep.writer.editing.near_quotes import add_near_quotes
from instep.writer.editing.removing import add_lost_members, add_removals
from instep.writer.editing.stated_switches import add_switches
from instep.writer.facts.additions import additions_of
from instep.writer.facts.collect import collect_facts
from instep.writer.facts.moved_files import find_moved_files
from instep.writer.facts.removals import Removal, find_removals
from instep.writer.facts.variable_renames import variable_renames
from instep.writer.new_articles.missing_articles import find_missing_article, outline_of, summary_of_missing
from instep.writer.porting.port import port_documentation
from instep.writer.porting.reviewer_notices import page_proposals, with_notices
from instep.writer.relevance.concerned_sections import ConcernedPlace
from instep.writer.relevance.mentions import mentions_of
from instep.writer.relevance.need import need_probability
from instep.writer.relevance.ranking import rank
from instep.writer.relevance.selection import draft_candidates
from instep.writer.reporting.concerned import concerned_places, places_of, summary_of_concerned
from instep.writer.reporting.reasons import reason_for_edit, summary_of
from instep.writer.reporting.statements import (
    article_statement,
    is_certain,
    statements_of,
    suppression_notices,
    without_suppressed,
)
from instep.writer.reporting.verdicts import review, stale_mentions
from instep.writer.reporting.warnings import warnings_for
from instep.writer.shapes import Article, Change, Proposal, Report, Suppressed

# A draft is evidence of a need: the need grows by this share of its distance to 1.
_NEED_GROWTH_BY_DRAFT = 0.8


# Nothing that has been dismissed is left out.
NOTHING_SUPPRESSED: Suppressed = MappingProxyType({})


def write(change: Change, articles: Sequence[Article], suppressed: Suppressed = NOTHING_SUPPRESSED) -> Report:
    """Rank the articles that a change concerns, and draft the edits that it makes certain or likely.

    Edits that only say what is `suppressed` are left out.
    """
    diff = parse_diff(change.diff)
    change_set = reviewed_files(diff)
    corpus = corpus_of(tuple(articles))
    code, ported = change_set.code, port_documentation(change_set, corpus)
    facts = collect_facts(change, code)
    certain = (
        *facts.certain,
        *variable_renames(facts.renames, code, corpus.articles),
        *find_moved_files(diff),
    )
    mentions = mentions_of(facts, corpus)
    additions = additions_of(code)
    ranking = rank(change, change_set, corpus.articles, additions, mentions.count)
    need = need_probability(change, change_set, ranking)
    candidates = draft_candidates(nearest_articles(ranking, corpus), mentions, need, corpus)
    edits = find_edits(certain, corpus, likely_article_ids(candidates))
    add_example_edits(edits, in_likely_articles(example_edits(code, corpus), candidates), corpus)
    removals = find_removals(code, facts, corpus, change.title)
    add_removals(edits, removals, corpus)
    add_heading_links(edits, corpus)
    edits = with_ported(edits, ported.texts)
    new_articles = page_proposals(ported.new_pages)
    places: dict[str, ConcernedPlace] = {}
    missing = None
    # What the change documents itself needs no second wording.
    if not ported.is_documented:
        add_unnamed_values(edits, facts.values, candidates, change.title)
        add_switches(edits, facts.values, candidates, code)
        add_entitlements(edits, facts.entitlements, candidates)
        add_entitled_subjects(edits, facts.entitlements, candidates, change.title)
        edits = likely_edits(edits, change, additions, candidates, need, corpus)
        add_lost_members(edits, facts.member_changes, candidates)
        edit_sentence_lists(edits, facts.member_changes, candidates, change.title)
        add_near_quotes(edits, facts.rewordings, candidates)
        places = concerned_places(candidates, edits, mentions, additions, change, change_set, corpus)
        missing = find_missing_article(change, change_set, additions, ranking, need, corpus)
        new_articles += [outline] if missing and (outline := outline_of(missing)) else []
    held_back = suppression_notices(edits, suppressed)
    edits = without_suppressed(edits, suppressed)
    proposals = [
        _proposal(article, edits[article.id], removals, corpus) for article in articles if article.id in edits
    ]
    proposals += _with_statements(new_articles, suppressed)
    stale = stale_mentions(facts, corpus)
    sentences = [
        *summary_of_concerned(places),
        *summary_of_missing(missing),
        *summary_of_skipped(change_set),
    ]
    reasons = [edit.fact for article_edits in edits.values() for edit in article_edits]
    verdicts = with_notices(
        review(ranking, edits, places, facts, removals, stale, corpus), {**ported.notices, **held_back}
    )
    return Report(
        ranking=tuple(sorted(ranking.order, key=lambda article_id: article_id not in edits)),
        need=need + (1 - need) * _NEED_GROWTH_BY_DRAFT if proposals else need,
        proposals=tuple(proposals),
        reviewed=verdicts,
        summary=summary_of([*certain, *reasons], edits, sentences),
        stale_mentions=stale,
        places=places_of(verdicts, suppressed),
    )


def _proposal(
    article: Article, edits: Sequence[Edit], removals: Sequence[Removal], corpus: Corpus
) -> Proposal:
    text = apply(edits, article.text)
    return Proposal(
        type="edit",
        article_id=article.id,
        title=new_title(article, edits, corpus),
        text=text,
        reason=reason_for_edit(edits),
        evidence=evidence_for(edits, article.text),
        warnings=warnings_for(edits, removals, text),
        is_certain=is_certain(edits),
        statements=statements_of(edits),
    )


def _with_statements(new_articles: Sequence[Proposal], suppressed: Suppressed) -> list[Proposal]:
    """The drafts of new articles with what they say, without those that are suppressed."""
    proposals = [
        replace(proposal, statements=(article_statement(proposal.title),)) for proposal in new_articles
    ]
    keys = suppressed.get("", ())
    return [proposal for proposal in proposals if proposal.statements[0].key not in keys]

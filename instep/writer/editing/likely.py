"""Edits that a change makes likely: new entries next to their siblings, else a note where it may belong."""

from collections.abc import Iterator, Sequence
from itertools import islice

from instep.writer.articles.corpus import Corpus
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.editing.apply import add_edit, is_record
from instep.writer.editing.edits import Edit, EditsByArticle
from instep.writer.facts.additions import Addition
from instep.writer.facts.renames import Rename
from instep.writer.inserting.insertions import (
    Insertion,
    ScoredInsertion,
    choose_insertions,
    scored_insertions,
)
from instep.writer.inserting.notes import Note, note_for
from instep.writer.inserting.siblings import is_listed
from instep.writer.relevance.mentions import Mentions
from instep.writer.relevance.ranking import ArticleRanking
from instep.writer.relevance.selection import DraftCandidate, select_drafts
from instep.writer.shapes import Article, Change

# How many of the nearest articles may get a likely edit.
_MAX_CANDIDATES = 4


def likely_edits(
    certain: EditsByArticle,
    change: Change,
    change_set: ChangeSet,
    additions: Sequence[Addition],
    mentions: Mentions,
    ranking: ArticleRanking,
    need: float,
    corpus: Corpus,
) -> EditsByArticle:
    """The certain edits, and the likely ones of the selected articles among the nearest."""
    nearest = list(islice(_nearest(ranking, corpus), _MAX_CANDIDATES))
    new_names = _new_names(certain)
    additions = [addition for addition in additions if not _is_any_of(addition.name, new_names)]
    insertions = {
        article.id: scored_insertions(article, additions, change, rank, need)
        for rank, (article, _) in enumerate(nearest)
    }
    candidates = []
    for rank, (article, gap) in enumerate(nearest):
        probabilities = (insertion.probability for insertion in insertions[article.id])
        candidates.append(DraftCandidate(article, rank, gap, max(probabilities, default=0.0)))
    edits = dict(certain)
    for candidate in select_drafts(candidates, change, additions, mentions, need, corpus, bool(certain)):
        article = candidate.article
        article_edits = list(certain.get(article.id, ()))
        is_updated = bool(article_edits) or article.id in mentions.updated
        for reason in _reasons(article, insertions[article.id], additions, change, change_set, is_updated):
            add_edit(article_edits, Edit(reason.place, reason.place, reason.new, reason))
        if article_edits:
            edits[article.id] = article_edits
    return edits


def _new_names(edits: EditsByArticle) -> set[str]:
    """New names that replace old ones, and so need no entry next to them."""
    facts = (edit.fact for article_edits in edits.values() for edit in article_edits)
    return {fact.new for fact in facts if isinstance(fact, Rename)}


def _is_any_of(name: str, new_names: set[str]) -> bool:
    """Whether a name is one of these, also as the environment variable that is derived from it."""
    return name in new_names or any(new.lower().endswith(f"_{name.lower()}") for new in new_names)


def _nearest(ranking: ArticleRanking, corpus: Corpus) -> Iterator[tuple[Article, float]]:
    """Articles with their gap to the first, best first, without records of past versions."""
    by_id = {article.id: article for article in corpus.articles}
    for article_id, gap in zip(ranking.order, ranking.gaps, strict=True):
        if not is_record(by_id[article_id]):
            yield by_id[article_id], gap


def _reasons(
    article: Article,
    insertions: Sequence[ScoredInsertion],
    additions: Sequence[Addition],
    change: Change,
    change_set: ChangeSet,
    is_updated: bool,
) -> Iterator[Insertion | Note]:
    """New entries; a note only where the article does not mention the change yet."""
    entries = choose_insertions(insertions, additions, change, article)
    yield from entries
    if (
        not entries
        and not is_updated
        and not any(is_listed(addition, article.text) for addition in additions)
    ):
        note = note_for(article.text, change, additions, change_set)
        if note:
            yield note

"""Edits that a change makes likely: new entries beside their siblings, else a note where it may belong."""

from collections.abc import Iterator, Sequence
from itertools import islice

from instep.writer.articles.corpus import Corpus
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.editing.apply import add_edit, is_record
from instep.writer.editing.edits import Edit
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
from instep.writer.relevance.ranking import Ranking
from instep.writer.relevance.selection import Candidate, select_drafts
from instep.writer.shapes import Article, Change

_NEAREST = 4

Found = dict[str, list[Edit]]


def likely_edits(
    found: Found,
    change: Change,
    change_set: ChangeSet,
    additions: Sequence[Addition],
    mentions: Mentions,
    ranking: Ranking,
    need: float,
    corpus: Corpus,
) -> Found:
    """The places found, and those that are likely in the articles that come first."""
    nearest = list(islice(_nearest(ranking, corpus), _NEAREST))
    renamed = _renamed(found)
    additions = [addition for addition in additions if addition.name not in renamed]
    spotted = {
        article.id: scored_insertions(article, additions, change, at, need)
        for at, (article, _) in enumerate(nearest)
    }
    candidates = [
        Candidate(article, at, behind, max((one.chance for one in spotted[article.id]), default=0.0))
        for at, (article, behind) in enumerate(nearest)
    ]
    likely = select_drafts(candidates, change, additions, mentions, need, corpus, bool(found))
    both = dict(found)
    for candidate in likely:
        article = candidate.article
        places = list(found.get(article.id, ()))
        is_done = bool(places) or article.id in mentions.updated
        for made in _grounds(article, spotted[article.id], additions, change, change_set, is_done):
            add_edit(places, Edit(made.place, made.place, made.new, made))
        if places:
            both[article.id] = places
    return both


def _renamed(found: Found) -> set[str]:
    """New names that take the place of old ones, and so need no entry beside them."""
    facts = (place.fact for places in found.values() for place in places)
    return {fact.new for fact in facts if isinstance(fact, Rename)}


def _nearest(ranking: Ranking, corpus: Corpus) -> Iterator[tuple[Article, float]]:
    by_id = {article.id: article for article in corpus.articles}
    for article_id, behind in zip(ranking.order, ranking.behind, strict=True):
        if not is_record(by_id[article_id]):
            yield by_id[article_id], behind


def _grounds(
    article: Article,
    spotted: Sequence[ScoredInsertion],
    additions: Sequence[Addition],
    change: Change,
    change_set: ChangeSet,
    is_done: bool,
) -> Iterator[Insertion | Note]:
    """New entries; a note only where the article says nothing of the change yet."""
    insertions = choose_insertions(spotted, additions, change, article)
    yield from insertions
    if not insertions and not is_done and not any(is_listed(one, article.text) for one in additions):
        note = note_for(article.text, change, additions, change_set)
        if note:
            yield note

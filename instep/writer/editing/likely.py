"""Edits that a change makes likely: new entries beside the siblings that an article lists, in any form."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from instep.core.name_matching import mention
from instep.writer.articles.corpus import Corpus
from instep.writer.articles.passages import sentence_around
from instep.writer.editing.apply import add_edit, apply, is_record
from instep.writer.editing.edits import Edit, EditsByArticle
from instep.writer.editing.example_edits import likely_article_ids
from instep.writer.facts.additions import Addition
from instep.writer.facts.renames import Rename
from instep.writer.facts.set_members import MemberChange
from instep.writer.facts.written_names import name_form_of
from instep.writer.inserting.insertions import Insertion, choose_insertions, scored_insertions
from instep.writer.inserting.probability import has_name_of_its_own
from instep.writer.inserting.sentence_lists import SentenceListEdit, sentence_list_edits
from instep.writer.inserting.uniform_lists import longest_list_article
from instep.writer.relevance.ranking import ArticleRanking
from instep.writer.relevance.selection import DraftCandidate, gets_entries
from instep.writer.shapes import Article, Change
from instep.writer.words.change_terms import change_terms
from instep.writer.words.identifiers import key_of

# How many of the nearest articles may get a likely edit.
_MAX_CANDIDATES = 10
# The help that an article quotes is of a version: people renew it in articles that they edit for the change.
_MIN_PROBABILITY_OF_HELP = 0.5
# How many articles a change may edit when not each edit is certain.
_MAX_DRAFTS = 10


def nearest_articles(ranking: ArticleRanking, corpus: Corpus) -> list[tuple[Article, float]]:
    """The nearest articles with the gap of each score to the best, without records of past versions."""
    return list(islice(_candidates(ranking, corpus), _MAX_CANDIDATES))


def _candidates(ranking: ArticleRanking, corpus: Corpus) -> Iterator[tuple[Article, float]]:
    by_id = {article.id: article for article in corpus.articles}
    for article_id, gap in zip(ranking.order, ranking.gaps, strict=True):
        if not is_record(by_id[article_id]):
            yield by_id[article_id], gap


def edit_sentence_lists(
    edits: EditsByArticle, members: Sequence[MemberChange], candidates: Sequence[DraftCandidate], title: str
) -> None:
    """Puts new members into the sentences of sure candidates that list the others, and takes lost ones out.

    Where these are proper names or labels, it is enough that an article is likely. An article that gets an
    entry for a new member needs it in no sentence, which may speak of the others.
    """
    likely_ids = likely_article_ids(candidates)
    for candidate in candidates:
        if candidate.article.id not in likely_ids:
            continue
        article_edits, text = edits.get(candidate.article.id, []), candidate.article.text
        listings = [
            edit
            for each in members
            for edit in _on_topic(sentence_list_edits(each, text, title), text, title)
            if candidate.is_concerned or edit.has_names
        ]
        entries = {key_of(edit.fact.name) for edit in article_edits if isinstance(edit.fact, Insertion)}
        places = set[int]()
        # Several files may change a set: the one that spells its members as the article does comes first.
        for edit in sorted(listings, key=lambda edit: -edit.likeness):
            name = edit.fact.name if isinstance(edit.fact, Insertion) else edit.fact.old
            is_covered = any(
                other.start <= edit.start <= other.end and name in other.new for other in article_edits
            )
            if key_of(name) not in entries and edit.start not in places and not is_covered:
                add_edit(article_edits, Edit(edit.start, edit.end, edit.new, edit.fact))
                places.add(edit.start)
        if article_edits:
            edits[candidate.article.id] = article_edits


def _on_topic(listings: list[SentenceListEdit], text: str, title: str) -> list[SentenceListEdit]:
    """The edits of sentences that share a word with the title, if any does; else all of them."""
    words = change_terms(title).keys()
    on_topic = [
        edit
        for edit in listings
        if words & change_terms(_without(edit, *sentence_around(text, edit.start, edit.end), text)).keys()
    ]
    return on_topic or listings


def _without(edit: SentenceListEdit, first: int, last: int, text: str) -> str:
    return f"{text[first : edit.start]} {text[edit.end : last]}"


def likely_edits(
    certain: EditsByArticle,
    change: Change,
    additions: Sequence[Addition],
    candidates: Sequence[DraftCandidate],
    need: float,
    corpus: Corpus,
) -> EditsByArticle:
    """The certain edits, and the new entries of likely candidates, which are given best first.

    Articles that list variables or flags beside a new one get it, too, although they are no candidates.
    """
    new_names = _new_names(certain)
    additions = [addition for addition in additions if not _is_any_of(addition.name, new_names)]
    edits = dict(certain)
    expected = _expected_names(additions, change, corpus)
    others = _listing_articles(candidates, additions, expected, corpus)
    for rank, candidate in enumerate([*candidates, *others]):
        article = candidate.article
        if len(edits) >= _MAX_DRAFTS and article.id not in edits:
            continue
        certain_edits = certain.get(article.id, [])
        names = expected.get(article.id, ())
        entries = _entries(candidate, certain_edits, additions, change, rank, need, names)
        article_edits = list(certain_edits)
        for entry in entries:
            add_edit(article_edits, Edit(entry.place, entry.place, entry.new, entry))
        if article_edits:
            edits[article.id] = article_edits
    return edits


def _expected_names(
    additions: Sequence[Addition], change: Change, corpus: Corpus
) -> Mapping[str, Collection[str]]:
    """Variables that the code reads and the title names, by the article with the longest list of such."""
    names_by_article: dict[str, set[str]] = defaultdict(set)
    for addition in additions:
        is_variable = name_form_of(addition.name) == "variable" and has_name_of_its_own(addition)
        if is_variable and mention(addition.name).search(change.title):
            live = (article for article in corpus.articles if not is_record(article))
            article_id = longest_list_article(addition.name, live)
            if article_id is not None:
                names_by_article[article_id].add(addition.name)
    return names_by_article


def _listing_articles(
    candidates: Sequence[DraftCandidate],
    additions: Sequence[Addition],
    expected: Collection[str],
    corpus: Corpus,
) -> Iterator[DraftCandidate]:
    """Other articles that have names beside which the code puts a new variable or flag, or expect one."""
    nearest_ids = {candidate.article.id for candidate in candidates}
    articles = {
        article.id: article
        for addition in additions
        if has_name_of_its_own(addition)
        for sibling in (*addition.before, *addition.after)
        if not sibling.is_new
        for article in corpus.articles_with(sibling.name)
    }
    articles |= {article.id: article for article in corpus.articles if article.id in expected}
    for article_id, article in articles.items():
        if article_id not in nearest_ids and not is_record(article):
            yield DraftCandidate(article, probability=0.0)


def _new_names(edits: EditsByArticle) -> set[str]:
    """New names that replace old ones, and so need no entry next to them."""
    facts = (edit.fact for article_edits in edits.values() for edit in article_edits)
    return {fact.new for fact in facts if isinstance(fact, Rename)}


def _is_any_of(name: str, new_names: set[str]) -> bool:
    """Whether a name is one of these, also as the environment variable that is derived from it."""
    return name in new_names or any(new.lower().endswith(f"_{name.lower()}") for new in new_names)


def _entries(
    candidate: DraftCandidate,
    certain_edits: Sequence[Edit],
    additions: Sequence[Addition],
    change: Change,
    rank: int,
    need: float,
    expected: Collection[str],
) -> list[Insertion]:
    """New entries of an article for names that its certain edits do not bring in already."""
    article = candidate.article
    uncovered = _uncovered(additions, certain_edits, article)
    scored = scored_insertions(article, uncovered, change, rank, need, expected)
    if candidate.probability < _MIN_PROBABILITY_OF_HELP:
        scored = [insertion for insertion in scored if insertion.point.entry_list.kind != "option"]
    best = max((insertion.probability for insertion in scored), default=0.0)
    if not gets_entries(candidate, best):
        scored = [insertion for insertion in scored if insertion.is_beside_its_kind]
    return choose_insertions(scored, additions, change, article)


def _uncovered(
    additions: Sequence[Addition], certain_edits: Sequence[Edit], article: Article
) -> Sequence[Addition]:
    """Additions that the certain edits of an article do not mention."""
    if not certain_edits:
        return additions
    edited = apply(certain_edits, article.text)
    return [
        addition
        for addition in additions
        if addition.name in article.text or not mention(addition.name).search(edited)
    ]

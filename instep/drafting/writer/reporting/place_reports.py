"""The places of a change: articles that it concerns, and texts that it may have made untrue."""

from collections.abc import Iterator, Mapping, Sequence

from instep.drafting.writer.articles.corpus import Corpus
from instep.drafting.writer.articles.passages import line_of
from instep.drafting.writer.diffs.change_set import ChangeSet
from instep.drafting.writer.editing.apply import best_source
from instep.drafting.writer.editing.edits import Edit
from instep.drafting.writer.facts.additions import Addition
from instep.drafting.writer.facts.became import Became
from instep.drafting.writer.relevance.concerned_places import FoundPlace, concerned_place, place_at
from instep.drafting.writer.relevance.mentions import RemovedMentions
from instep.drafting.writer.reporting.reasons import reason_for_doubt
from instep.drafting.writer.reporting.statements import place_statement
from instep.drafting.writer.shapes import Article, Change, Evidence, Place, Suppressed, excerpt_of
from instep.platform.text.characters import in_one_line


def places_for(
    articles: Sequence[Article],
    doubtful: Mapping[str, Sequence[Edit]],
    mentions: RemovedMentions,
    additions: Sequence[Addition],
    change: Change,
    change_set: ChangeSet,
    corpus: Corpus,
) -> Iterator[Place]:
    """The place of each article, if it has one; a possibly untrue text has priority."""
    for article in articles:
        place = next(_doubts(article, doubtful.get(article.id, ())), None) or concerned_place(
            article, mentions.get(article.id, ()), additions, change, change_set, corpus
        )
        if place:
            yield _place_of(place, article)


def without_suppressed_places(places: Sequence[Place], suppressed: Suppressed) -> tuple[Place, ...]:
    """The places without those that a reviewer has dismissed for good."""
    return tuple(row for row in places if row.statement.key not in suppressed.get(row.article_id, ()))


def _doubts(article: Article, edits: Sequence[Edit]) -> Iterator[FoundPlace]:
    for edit in edits:
        if isinstance(edit.fact, Became):
            yield place_at(article, edit.start, reason_for_doubt(edit.fact), best_source(edit.fact))


def _place_of(place: FoundPlace, article: Article) -> Place:
    line = line_of(article.text, place.start)
    evidence = tuple(
        Evidence(source.file, source.line, source.line, excerpt_of(source.text), line)
        for source in place.sources
    )
    heading = place.heading or None
    return Place(
        article.id, heading, line, in_one_line(place.reason), evidence, place_statement(heading, evidence)
    )

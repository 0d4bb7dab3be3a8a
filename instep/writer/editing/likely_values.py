"""Which places that state a value without its name are edited: as sure as their articles are concerned."""

from collections.abc import Collection, Mapping, Sequence

from instep.writer.editing.apply import add_edit
from instep.writer.editing.edits import Edit, EditsByArticle
from instep.writer.editing.stated_amounts import unit_of
from instep.writer.editing.unnamed_values import StatedQuantity, says_unit, stated_quantities
from instep.writer.facts.values import Value
from instep.writer.relevance.selection import DraftCandidate

_Places = Mapping[str, Sequence[StatedQuantity]]


def add_unnamed_values(
    edits: EditsByArticle, values: Sequence[Value], candidates: Sequence[DraftCandidate], title: str
) -> None:
    """Adds values that articles state without their name: those that say it elsewhere, or sure candidates.

    An article that never names the value must state it once, as otherwise it may speak of several, unless the
    name says what the number counts. Several places must each be near what the name says, in all articles.
    """
    bound = {edit.fact for article_edits in edits.values() for edit in article_edits}
    for value in values:
        named = {
            article_id
            for article_id, article_edits in edits.items()
            if any(edit.fact == value for edit in article_edits)
        }
        # Addresses of other articles have the port that one of them names.
        is_of_others = value in bound and unit_of(value) != "port"
        meant = named | {row.article.id for row in candidates if row.is_concerned and not is_of_others}
        for article_id, places in _chosen(_places(value, candidates, meant, title), value, named).items():
            article_edits = edits.get(article_id, [])
            for place in places:
                add_edit(article_edits, Edit(place.start, place.end, place.fact.new, place.fact))
            if article_edits:
                edits[article_id] = article_edits


def _places(
    value: Value, candidates: Sequence[DraftCandidate], meant: Collection[str], title: str
) -> _Places:
    """The places of the articles that are meant, and the sure ones of the one other that has some.

    Two others may speak of different things.
    """
    places, sure = dict[str, Sequence[StatedQuantity]](), dict[str, Sequence[StatedQuantity]]()
    for article in (candidate.article for candidate in candidates):
        if article.id in meant:
            places[article.id] = stated_quantities(value, article, title)
        elif unit_of(value) is not None and (
            stated := [place for place in stated_quantities(value, article, title) if place.is_sure]
        ):
            sure[article.id] = stated
    return places | sure if len(sure) == 1 else places


def _chosen(places: _Places, value: Value, named: Collection[str]) -> _Places:
    """The places that are edited: all of an article, those near the topic, or none where it is not clear."""
    has_near = says_unit(value) and any(place.is_near_topic for each in places.values() for place in each)
    chosen = dict[str, Sequence[StatedQuantity]]()
    for article_id, stated in places.items():
        if article_id in named or has_near or (len(stated) > 1 and says_unit(value)):
            chosen[article_id] = [place for place in stated if place.is_near_topic]
        elif len(stated) <= 1:
            chosen[article_id] = stated
    return chosen

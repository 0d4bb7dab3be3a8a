"""New entries in the lists, tables and rows of sections of the articles that a change likely concerns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from instep.text.characters import has_hidden
from instep.writer.articles.entries import ListKind
from instep.writer.facts.additions import Addition
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.inserting.analogy import spellings_of
from instep.writer.inserting.items import entry_for, set_apart
from instep.writer.inserting.probability import InsertionContext, insertion_probability, matches_heading
from instep.writer.inserting.siblings import InsertionPoint, insertion_points
from instep.writer.shapes import Article, Change
from instep.writer.words.identifiers import parts_of
from instep.writer.words.prose import sentence_of

_MIN_PROBABILITY = 0.45
_MAX_INSERTIONS = 12


@dataclass(frozen=True, slots=True)
class Insertion:
    """A new entry for `name` next to the entry `neighbour`; `is_described` when the code says what it is."""

    name: str
    neighbour: str
    new: str
    place: int
    is_described: bool
    sources: tuple[SourceLine, ...]
    old: str = ""


@dataclass(frozen=True, slots=True)
class ScoredInsertion:
    """A point for an addition, and the probability (0 to 1) that people would insert it there."""

    addition: Addition
    point: InsertionPoint
    probability: float
    matches_heading: bool


def scored_insertions(
    article: Article, additions: Sequence[Addition], change: Change, rank: int, need: float
) -> list[ScoredInsertion]:
    """Every point of an article at which one of the additions could be inserted."""
    context = InsertionContext(article.text, rank, need, change.title)
    return [
        ScoredInsertion(
            addition,
            point,
            insertion_probability(addition, point, context),
            matches_heading(addition, point, article.text),
        )
        for addition in additions
        for point in insertion_points(addition, article.text)
    ]


def choose_insertions(
    candidates: Sequence[ScoredInsertion], additions: Sequence[Addition], change: Change, article: Article
) -> list[Insertion]:
    """New entries at the likely points, in their order."""
    descriptions = _descriptions(additions)
    spellings = spellings_of([change.title, *_texts_of(additions)])
    insertions: dict[tuple[int, str], Insertion] = {}
    for scored in _likeliest([scored for scored in candidates if scored.probability >= _MIN_PROBABILITY]):
        description = _description(scored, descriptions, change)
        new = entry_for(scored.addition, scored.point, description, article.text, spellings)
        if new and not has_hidden(scored.point.label):
            insertion = Insertion(
                scored.point.label,
                scored.point.neighbour.label,
                set_apart(new, scored.point, article.text),
                scored.point.place,
                bool(descriptions.get(scored.addition.name)),
                (scored.addition.source,),
            )
            insertions.setdefault((insertion.place, insertion.name), insertion)
    return list(insertions.values())[:_MAX_INSERTIONS]


def _texts_of(additions: Sequence[Addition]) -> Iterator[str]:
    for addition in additions:
        yield addition.source.text
        yield addition.doc


def _descriptions(additions: Sequence[Addition]) -> Mapping[str, str]:
    """The first description of each name in the code."""
    return {addition.name: addition.doc for addition in reversed(additions) if addition.doc}


def _description(scored: ScoredInsertion, descriptions: Mapping[str, str], change: Change) -> str:
    """The description in the code, else the title if it names the addition or the entry needs a text."""
    description = descriptions.get(scored.addition.name, "")
    if description:
        return description
    is_titled = set(parts_of(scored.addition.name)) <= set(parts_of(change.title))
    return sentence_of(change.title) if is_titled or scored.point.entry_list.kind != "row" else ""


def _likeliest(candidates: Sequence[ScoredInsertion]) -> list[ScoredInsertion]:
    """Per name and kind of list the likeliest point, and those under a heading about the same code."""
    best: dict[tuple[str, ListKind], ScoredInsertion] = {}
    for scored in candidates:
        key = scored.point.label, scored.point.entry_list.kind
        if key not in best or scored.probability > best[key].probability:
            best[key] = scored
    chosen = [
        scored
        for scored in candidates
        if scored.matches_heading or best[scored.point.label, scored.point.entry_list.kind] is scored
    ]
    return sorted(chosen, key=_order)


def _order(scored: ScoredInsertion) -> tuple[int, str, int]:
    """Sort key: by place, then by name in a sorted list, else by line of the code."""
    labels = [entry.label.casefold() for entry in scored.point.entry_list.entries]
    return (
        scored.point.place,
        scored.point.label if labels == sorted(labels) else "",
        scored.addition.source.line,
    )

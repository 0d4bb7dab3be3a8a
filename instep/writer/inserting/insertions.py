"""New entries in the lists, tables and runs of sections of articles that a change likely concerns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from instep.writer.articles.entries import ListKind
from instep.writer.facts.additions import Addition
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.inserting.analogy import spellings_of
from instep.writer.inserting.items import entry_for, set_apart
from instep.writer.inserting.probability import InsertionContext, insertion_probability, matches_heading
from instep.writer.inserting.siblings import InsertionPoint, insertion_points
from instep.writer.shapes import Article, Change
from instep.writer.words.identifiers import parts_of
from instep.writer.words.prose import has_hidden, sentence_of

_LIKELY = 0.45
_MOST_NAMES = 12


@dataclass(frozen=True, slots=True)
class Insertion:
    """A new entry for `name`, set beside the one for `beside`; `is_told` when the code says what it is."""

    name: str
    neighbour: str
    new: str
    place: int
    is_described: bool
    sources: tuple[SourceLine, ...]
    old: str = ""


@dataclass(frozen=True, slots=True)
class ScoredInsertion:
    """A spot for an addition, and how likely people would put it there."""

    addition: Addition
    point: InsertionPoint
    probability: float
    matches_heading: bool


def scored_insertions(
    article: Article, additions: Sequence[Addition], change: Change, rank: int, need: float
) -> list[ScoredInsertion]:
    """Every spot of an article at which one of the additions could stand."""
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
    """New entries at the likely spots, in their order."""
    told = _descriptions(additions)
    spellings = spellings_of([change.title, *_words_of(additions)])
    found: dict[tuple[int, str], Insertion] = {}
    for one in _chosen([one for one in candidates if one.probability >= _LIKELY]):
        said = _said(one, told, change)
        new = entry_for(one.addition, one.point, said, article.text, spellings)
        if new and not has_hidden(one.point.label):
            made = Insertion(
                one.point.label,
                one.point.neighbour.label,
                set_apart(new, one.point, article.text),
                one.point.place,
                bool(told.get(one.addition.name)),
                (one.addition.source,),
            )
            found.setdefault((made.place, made.name), made)
    return list(found.values())[:_MOST_NAMES]


def _words_of(additions: Sequence[Addition]) -> Iterator[str]:
    for addition in additions:
        yield addition.source.text
        yield addition.doc


def _descriptions(additions: Sequence[Addition]) -> Mapping[str, str]:
    """What the code says of a name wherever it defines it."""
    return {addition.name: addition.doc for addition in reversed(additions) if addition.doc}


def _said(one: ScoredInsertion, told: Mapping[str, str], change: Change) -> str:
    """The words of the code; those of the title where they speak of this name or the entry needs some."""
    doc = told.get(one.addition.name, "")
    if doc:
        return doc
    is_titled = set(parts_of(one.addition.name)) <= set(parts_of(change.title))
    return sentence_of(change.title) if is_titled or one.point.group.kind != "row" else ""


def _chosen(candidates: Sequence[ScoredInsertion]) -> list[ScoredInsertion]:
    """Per name and form the likeliest spot, and those under a heading that speaks of the same code."""
    best: dict[tuple[str, ListKind], ScoredInsertion] = {}
    for one in candidates:
        key = one.point.label, one.point.group.kind
        if key not in best or one.probability > best[key].probability:
            best[key] = one
    kept = [
        one for one in candidates if one.matches_heading or best[one.point.label, one.point.group.kind] is one
    ]
    return sorted(kept, key=_order)


def _order(one: ScoredInsertion) -> tuple[int, str, int]:
    """In a group that goes by the alphabet names follow it, elsewhere they follow the code."""
    labels = [entry.label.casefold() for entry in one.point.group.entries]
    return one.point.place, one.point.label if labels == sorted(labels) else "", one.addition.source.line

"""New entries in the lists, tables and rows of sections of the articles that a change likely concerns."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from instep.text.characters import has_hidden
from instep.writer.articles.entries import ListKind
from instep.writer.facts.additions import Addition
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.details import Details
from instep.writer.inserting.analogy import spellings_of
from instep.writer.inserting.items import entry_for, set_apart
from instep.writer.inserting.probability import InsertionContext, insertion_probability, matches_heading
from instep.writer.inserting.siblings import InsertionPoint, insertion_points
from instep.writer.inserting.skeleton import GAP
from instep.writer.shapes import Article, Change
from instep.writer.words.identifiers import key_of
from instep.writer.words.prose import is_safe

_MIN_PROBABILITY = 0.4
_MAX_INSERTIONS = 12
_SUBJECT = re.compile(r"`([^`]+)`")


@dataclass(frozen=True, slots=True)
class Insertion:
    """A new entry for `name` next to the entry `neighbour`; `is_complete` if it leaves no gap to fill."""

    name: str
    neighbour: str
    new: str
    place: int
    is_complete: bool
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
    details = _details_by_name(additions)
    spellings = spellings_of([change.title, *_texts_of(additions)])
    insertions: dict[tuple[int, str], Insertion] = {}
    for scored in _likeliest([scored for scored in candidates if scored.probability >= _MIN_PROBABILITY]):
        addition = replace(scored.addition, details=_safe(details[scored.addition.name]))
        new = entry_for(addition, scored.point, article.text, spellings)
        if new and not has_hidden(scored.point.label):
            insertion = Insertion(
                scored.point.label,
                scored.point.neighbour.label,
                set_apart(new, scored.point, article.text),
                scored.point.place,
                GAP not in new,
                (scored.addition.source,),
            )
            insertions.setdefault((insertion.place, insertion.name), insertion)
    return list(insertions.values())[:_MAX_INSERTIONS]


def _texts_of(additions: Sequence[Addition]) -> Iterator[str]:
    for addition in additions:
        yield addition.source.text
        yield addition.doc


def _details_by_name(additions: Sequence[Addition]) -> Mapping[str, Details]:
    """What all uses of a name in the code say together, the first one before the others."""
    details: dict[str, Details] = {}
    for addition in additions:
        addition_details = addition.details if _is_about(addition) else replace(addition.details, doc="")
        details[addition.name] = details.get(addition.name, Details()).completed_by(addition_details)
    return details


def _safe(details: Details) -> Details:
    """The details without a default that would bring a link or markup into the article."""
    return details if is_safe("", details.default) else replace(details, default="")


def _is_about(addition: Addition) -> bool:
    """Whether the description does not begin with another name."""
    subject = _SUBJECT.match(addition.doc)
    return subject is None or key_of(subject[1]) == key_of(addition.name)


def _likeliest(candidates: Sequence[ScoredInsertion]) -> list[ScoredInsertion]:
    """Per name and kind of list the likeliest point, and those under headings about the same code."""
    best: dict[tuple[str, ListKind], ScoredInsertion] = {}
    for scored in candidates:
        key = _key(scored)
        if key not in best or scored.probability > best[key].probability:
            best[key] = scored
    chosen = [
        scored
        for scored in candidates
        if best[_key(scored)] is scored or _is_as_good(scored, best[_key(scored)])
    ]
    return sorted(chosen, key=_order)


def _key(scored: ScoredInsertion) -> tuple[str, ListKind]:
    return key_of(scored.point.label), scored.point.entry_list.kind


def _is_as_good(scored: ScoredInsertion, best: ScoredInsertion) -> bool:
    """Whether another list takes the same name too: it knows as many siblings, under a heading that fits."""
    return (
        scored.matches_heading
        and scored.point.entry_list.kind != "section"
        and scored.point.label == best.point.label
        and scored.point.known_siblings >= best.point.known_siblings
    )


def _order(scored: ScoredInsertion) -> tuple[int, str, int]:
    """Sort key: by place, then by name in a sorted list, else by line of the code."""
    labels = [entry.label.casefold() for entry in scored.point.entry_list.entries]
    return (
        scored.point.place,
        scored.point.label if labels == sorted(labels) else "",
        scored.addition.source.line,
    )

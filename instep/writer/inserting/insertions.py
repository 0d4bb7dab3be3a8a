"""New entries in the lists, tables and runs of sections of articles that a change likely concerns."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from instep.writer.articles.entries import Form
from instep.writer.facts.additions import Addition
from instep.writer.facts.changed_texts import Source
from instep.writer.inserting.analogy import spellings_of
from instep.writer.inserting.items import entry_for, set_apart
from instep.writer.inserting.probability import InsertionFeatures, insertion_probability, is_headed
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
    beside: str
    new: str
    place: int
    is_told: bool
    sources: tuple[Source, ...]
    old: str = ""


@dataclass(frozen=True, slots=True)
class ScoredInsertion:
    """A spot for an addition, and how likely people would put it there."""

    addition: Addition
    spot: InsertionPoint
    chance: float
    is_headed: bool


def scored_insertions(
    article: Article, additions: Sequence[Addition], change: Change, rank: int, need: float
) -> list[ScoredInsertion]:
    """Every spot of an article at which one of the additions could stand."""
    setting = InsertionFeatures(article.text, rank, need, change.title)
    return [
        ScoredInsertion(
            addition,
            spot,
            insertion_probability(addition, spot, setting),
            is_headed(addition, spot, article.text),
        )
        for addition in additions
        for spot in insertion_points(addition, article.text)
    ]


def choose_insertions(
    spotted: Sequence[ScoredInsertion], additions: Sequence[Addition], change: Change, article: Article
) -> list[Insertion]:
    """New entries at the likely spots, in their order."""
    told = descriptions_of(additions)
    spellings = spellings_of([change.title, *_words_of(additions)])
    found: dict[tuple[int, str], Insertion] = {}
    for one in _chosen([one for one in spotted if one.chance >= _LIKELY]):
        said = _said(one, told, change)
        new = entry_for(one.addition, one.spot, said, article.text, spellings)
        if new and not has_hidden(one.spot.label):
            made = Insertion(
                one.spot.label,
                one.spot.beside.label,
                set_apart(new, one.spot, article.text),
                one.spot.place,
                bool(told.get(one.addition.name)),
                (one.addition.source,),
            )
            found.setdefault((made.place, made.name), made)
    return list(found.values())[:_MOST_NAMES]


def _words_of(additions: Sequence[Addition]) -> Iterator[str]:
    for addition in additions:
        yield addition.source.text
        yield addition.doc


def descriptions_of(additions: Sequence[Addition]) -> Mapping[str, str]:
    """What the code says of a name wherever it defines it."""
    return {addition.name: addition.doc for addition in reversed(additions) if addition.doc}


def _said(one: ScoredInsertion, told: Mapping[str, str], change: Change) -> str:
    """The words of the code; those of the title where they speak of this name or the entry needs some."""
    doc = told.get(one.addition.name, "")
    if doc:
        return doc
    is_titled = set(parts_of(one.addition.name)) <= set(parts_of(change.title))
    return sentence_of(change.title) if is_titled or one.spot.group.form != "row" else ""


def _chosen(candidates: Sequence[ScoredInsertion]) -> list[ScoredInsertion]:
    """Per name and form the likeliest spot, and those under a heading that speaks of the same code."""
    best: dict[tuple[str, Form], ScoredInsertion] = {}
    for one in candidates:
        key = one.spot.label, one.spot.group.form
        if key not in best or one.chance > best[key].chance:
            best[key] = one
    kept = [one for one in candidates if one.is_headed or best[one.spot.label, one.spot.group.form] is one]
    return sorted(kept, key=_order)


def _order(one: ScoredInsertion) -> tuple[int, str, int]:
    """In a group that goes by the alphabet names follow it, elsewhere they follow the code."""
    labels = [entry.label.casefold() for entry in one.spot.group.entries]
    return one.spot.place, one.spot.label if labels == sorted(labels) else "", one.addition.source.line

"""New entries in the lists, tables and rows of sections of the articles that a change likely concerns."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from instep.core.name_matching import is_distinct
from instep.text.characters import has_hidden
from instep.writer.articles.entries import ListKind
from instep.writer.facts.additions import Addition
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.details import Details
from instep.writer.inserting.analogy import spellings_of
from instep.writer.inserting.assigned_variables import variables_read
from instep.writer.inserting.items import entry_for, set_apart
from instep.writer.inserting.probability import (
    InsertionContext,
    insertion_probability,
    is_beside_its_kind,
    matches_heading,
)
from instep.writer.inserting.siblings import InsertionPoint, insertion_points
from instep.writer.inserting.skeleton import GAP, FilledText
from instep.writer.inserting.uniform_lists import common_parts
from instep.writer.shapes import Article, Change
from instep.writer.words.identifiers import key_of, parts_of
from instep.writer.words.prose import is_safe

_MIN_PROBABILITY = 0.4
# An entry of which the code says nothing but the name is worth a place only where that name surely belongs.
_MIN_PROBABILITY_OF_GAPS = 0.5
_MIN_PROBABILITY_OF_A_COMMON_WORD = 0.7
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
    """A point for an addition, and the probability (0 to 1) that people would insert it there.

    `is_beside_its_kind` says that this holds in any article.
    """

    addition: Addition
    point: InsertionPoint
    probability: float
    matches_heading: bool
    is_beside_its_kind: bool


def scored_insertions(
    article: Article,
    additions: Sequence[Addition],
    change: Change,
    rank: int,
    need: float,
    expected: Collection[str] = (),
) -> list[ScoredInsertion]:
    """Every point of an article at which one of the additions could be inserted.

    The `expected` names belong into its lists of names of their form.
    """
    context = InsertionContext(article.text, rank, need, change.title)
    return [
        _scored(addition, point, context, is_expected=addition.name in expected)
        for addition in additions
        for point in insertion_points(addition, article.text)
    ]


def _scored(
    addition: Addition, point: InsertionPoint, context: InsertionContext, *, is_expected: bool
) -> ScoredInsertion:
    is_beside = is_beside_its_kind(addition, point) or (is_expected and point.is_by_form)
    return ScoredInsertion(
        addition,
        point,
        insertion_probability(addition, point, context, is_certain=is_beside),
        matches_heading(addition, point, context.text),
        is_beside,
    )


def choose_insertions(
    candidates: Sequence[ScoredInsertion], additions: Sequence[Addition], change: Change, article: Article
) -> list[Insertion]:
    """New entries at the likely points, in their order."""
    variables = variables_read(additions)
    likely = [scored for scored in candidates if scored.probability >= _MIN_PROBABILITY]
    details = _details_by_name(additions, variables)
    spellings = spellings_of([change.title, *_texts_of(additions)])
    drafted = list[tuple[ScoredInsertion, FilledText]]()
    for scored in _likeliest(_without_doubles(likely, variables)):
        addition = replace(scored.addition, details=_safe(details[scored.addition.name]))
        entry = entry_for(addition, scored.point, article.text, spellings)
        if entry and not has_hidden(scored.point.label):
            drafted.append((scored, entry))
    insertions: dict[tuple[int, str], Insertion] = {}
    for scored, entry in _without_idle_gaps(drafted):
        insertion = Insertion(
            scored.point.label,
            scored.point.neighbour.label,
            set_apart(entry.text, scored.point, article.text),
            scored.point.place,
            GAP not in entry.text,
            (scored.addition.source,),
        )
        insertions.setdefault((insertion.place, insertion.name), insertion)
    return list(insertions.values())[:_MAX_INSERTIONS]


def _without_doubles(
    candidates: Sequence[ScoredInsertion], variables: Mapping[str, str]
) -> list[ScoredInsertion]:
    """Each list takes a variable or the name that it is assigned to: what is more like its labels."""
    pair_names = {*variables.keys(), *variables.values()}
    likeness = {
        (scored.point.entry_list, scored.addition.name): _likeness(scored.point)
        for scored in candidates
        if scored.addition.name in pair_names
    }
    doubles = {
        (entry_list, variable if count > likeness.get((entry_list, variable), count) else name)
        for (entry_list, name), count in likeness.items()
        if (variable := variables.get(name, ""))
        and ((entry_list, variable) in likeness or entry_list.entry_of(variable))
    }
    return [scored for scored in candidates if (scored.point.entry_list, scored.addition.name) not in doubles]


def _likeness(point: InsertionPoint) -> int:
    """How many of its first parts the label shares with the entry that is most like it."""
    parts = parts_of(point.label)
    return max(common_parts(parts, parts_of(entry.label)) for entry in point.entry_list.entries)


def _without_idle_gaps(
    drafted: Sequence[tuple[ScoredInsertion, FilledText]],
) -> Iterator[tuple[ScoredInsertion, FilledText]]:
    """The entries that say something, and those of gaps alone at the one sure place of their name.

    Where some entries say something, gaps elsewhere are mostly of names that only came along.
    """
    telling_lists = [scored.point.entry_list for scored, entry in drafted if entry.is_telling]
    best: dict[str, float] = {}
    for scored, _ in drafted:
        key = key_of(scored.point.label)
        best[key] = max(best.get(key, 0.0), scored.probability)
    for scored, entry in drafted:
        is_best = scored.probability == best[key_of(scored.point.label)]
        is_beside = not telling_lists or scored.point.entry_list in telling_lists
        if entry.is_telling or (_is_sure(scored) and is_best and is_beside):
            yield scored, entry


def _is_sure(scored: ScoredInsertion) -> bool:
    """Whether a name surely belongs there, as the code writes it or below the path of its siblings.

    The prefix of a variable is only guessed: not each constant of a file is read from the environment. A
    common word, the beginning of a path, and a name that prose in the code quotes may be anything.
    """
    name, label = scored.addition.name, scored.point.label
    is_written = key_of(label) == key_of(name) or label.endswith(f".{name}")
    is_clear = not name.endswith("/") and f"`{name}`" not in scored.addition.source.text
    least = _MIN_PROBABILITY_OF_GAPS if is_distinct(name) else _MIN_PROBABILITY_OF_A_COMMON_WORD
    return is_written and is_clear and scored.probability >= least


def _texts_of(additions: Sequence[Addition]) -> Iterator[str]:
    for addition in additions:
        yield addition.source.text
        yield addition.doc


def _details_by_name(additions: Sequence[Addition], variables: Mapping[str, str]) -> Mapping[str, Details]:
    """What all uses of a name in the code say together, the first one before the others.

    What is said of a variable is also true of the name that it is assigned to.
    """
    details: dict[str, Details] = {}
    for addition in additions:
        addition_details = addition.details if _is_about(addition) else replace(addition.details, doc="")
        details[addition.name] = details.get(addition.name, Details()).completed_by(addition_details)
    for name, variable in variables.items():
        details[name] = details[name].completed_by(details[variable])
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
    return sorted(_with_one_place_by_form(chosen), key=_order)


def _with_one_place_by_form(chosen: Sequence[ScoredInsertion]) -> Iterator[ScoredInsertion]:
    """The points, of which the form of a name alone gives it one at most, and none beside likelier ones."""
    most: dict[str, float] = {}
    for scored in chosen:
        name = key_of(scored.point.label)
        most[name] = max(most.get(name, 0.0), scored.probability)
    for scored in chosen:
        if not scored.point.is_by_form or scored.probability == most[key_of(scored.point.label)]:
            yield scored


def _key(scored: ScoredInsertion) -> tuple[str, ListKind]:
    return key_of(scored.point.label), scored.point.entry_list.kind


def _is_as_good(scored: ScoredInsertion, best: ScoredInsertion) -> bool:
    """Whether another list takes the same name too: it knows as many siblings, under a heading that fits.

    Each command prints the options that all of them have.
    """
    kind = scored.point.entry_list.kind
    return (
        (kind == "option" or scored.matches_heading)
        and kind != "section"
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

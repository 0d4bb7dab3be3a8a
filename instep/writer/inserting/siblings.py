"""Where an article lists the siblings of an addition, and so where and how the addition belongs there."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from instep.core.name_matching import is_distinct
from instep.writer.articles.entries import EntryList, ListEntry, entry_lists_of
from instep.writer.facts.additions import Addition, Sibling
from instep.writer.words.identifiers import key_of, spelled_like

_MIN_SIBLINGS = 2
# Fewer entries may be in alphabetical order by chance.
_MIN_SORTED = 4


@dataclass(frozen=True, slots=True)
class InsertionPoint:
    """A place in a list of an article, right after or before the entry `neighbour`.

    `template` is the sibling to imitate, `label` the spelling of the new name there, `known_siblings` the
    number of siblings that the list holds.
    """

    entry_list: EntryList
    neighbour: ListEntry
    is_after: bool
    template: Sibling
    label: str
    known_siblings: int

    @property
    def place(self) -> int:
        return self.neighbour.end if self.is_after else self.neighbour.start


def insertion_points(addition: Addition, text: str) -> Iterator[InsertionPoint]:
    """A point in every list of an article that holds siblings of the addition but not the addition."""
    for entry_list in entry_lists_of(text):
        point = _insertion_point(addition, entry_list)
        if point:
            yield point


def is_listed(addition: Addition, text: str) -> bool:
    """Whether an article lists the addition among its siblings already."""
    return any(
        key_of(addition.name) in _keys(entry_list)
        and _listed((*addition.before, *addition.after), _keys(entry_list))
        for entry_list in entry_lists_of(text)
    )


def _insertion_point(addition: Addition, entry_list: EntryList) -> InsertionPoint | None:
    keys = _keys(entry_list)
    before, after = _listed(addition.before, keys), _listed(addition.after, keys)
    siblings = {key_of(sibling.name): is_distinct(sibling.name) for sibling, _ in (*before, *after)}
    is_telling = len(siblings) >= _MIN_SIBLINGS or (is_distinct(addition.name) and any(siblings.values()))
    if key_of(addition.name) in keys or not is_telling:
        return None
    template, entry = (before or after)[0]
    label = spelled_like(addition.name, template.name, entry.label)
    if label is None:
        return None
    return _in_order(
        entry_list, label, InsertionPoint(entry_list, entry, bool(before), template, label, len(siblings))
    )


@lru_cache(maxsize=4_096)
def _keys(entry_list: EntryList) -> Mapping[str, ListEntry]:
    """The entries by key; environment variables also without the prefix that they share."""
    prefixes = Counter(entry.label.split("_")[0] for entry in entry_list.entries if entry.label.isupper())
    entries = {}
    for entry in entry_list.entries:
        prefix, _, rest = entry.label.partition("_")
        if rest and prefixes[prefix] >= _MIN_SIBLINGS:
            entries[key_of(rest)] = entry
    return entries | {key_of(entry.label): entry for entry in entry_list.entries if entry.label}


def _listed(siblings: Sequence[Sibling], keys: Mapping[str, ListEntry]) -> list[tuple[Sibling, ListEntry]]:
    return [(sibling, keys[key_of(sibling.name)]) for sibling in siblings if key_of(sibling.name) in keys]


def _in_order(entry_list: EntryList, label: str, point: InsertionPoint) -> InsertionPoint:
    """The point by the alphabet in a list that is sorted, else the given point."""
    labels = [entry.label.casefold() for entry in entry_list.entries]
    if len(labels) < _MIN_SORTED or labels != sorted(labels):
        return point
    earlier = [entry for entry in entry_list.entries if entry.label.casefold() < label.casefold()]
    neighbour = earlier[-1] if earlier else entry_list.entries[0]
    return InsertionPoint(entry_list, neighbour, bool(earlier), point.template, label, point.known_siblings)

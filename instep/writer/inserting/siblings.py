"""Where an article lists the siblings of something new, and so where and how the new one belongs there."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from instep.writer.articles.entries import EntryList, ListEntry, entry_lists_of
from instep.writer.facts.additions import Addition, Sibling
from instep.writer.words.identifiers import is_distinct, key_of, spelled_like

_FEWEST = 2


@dataclass(frozen=True, slots=True)
class InsertionPoint:
    """A place among the entries of a group, after or before `beside`; `model` is the sibling to be like."""

    group: EntryList
    neighbour: ListEntry
    is_after: bool
    template: Sibling
    label: str
    known_siblings: int

    @property
    def place(self) -> int:
        return self.neighbour.end if self.is_after else self.neighbour.start


def insertion_points(addition: Addition, text: str) -> Iterator[InsertionPoint]:
    """A spot in every group of an article that lists siblings of the addition and not itself."""
    for group in entry_lists_of(text):
        point = _insertion_point(addition, group)
        if point:
            yield point


def is_listed(addition: Addition, text: str) -> bool:
    """Whether an article lists the addition already, among siblings of it."""
    return any(
        key_of(addition.name) in _keys(group) and _listed((*addition.before, *addition.after), _keys(group))
        for group in entry_lists_of(text)
    )


def _insertion_point(addition: Addition, group: EntryList) -> InsertionPoint | None:
    keys = _keys(group)
    before, after = _listed(addition.before, keys), _listed(addition.after, keys)
    known = {key_of(sibling.name): is_distinct(sibling.name) for sibling, _ in (*before, *after)}
    is_telling = len(known) >= _FEWEST or (is_distinct(addition.name) and any(known.values()))
    if key_of(addition.name) in keys or not is_telling:
        return None
    template, entry = (before or after)[0]
    label = spelled_like(addition.name, template.name, entry.label)
    if label is None:
        return None
    return _placed(group, label, InsertionPoint(group, entry, bool(before), template, label, len(known)))


@lru_cache(maxsize=4_096)
def _keys(group: EntryList) -> Mapping[str, ListEntry]:
    """The entries by name; variables of the environment also without the prefix that they share."""
    heads = Counter(entry.label.split("_")[0] for entry in group.entries if entry.label.isupper())
    found = {}
    for entry in group.entries:
        head, _, rest = entry.label.partition("_")
        if rest and heads[head] >= _FEWEST:
            found[key_of(rest)] = entry
    return found | {key_of(entry.label): entry for entry in group.entries if entry.label}


def _listed(siblings: Sequence[Sibling], keys: Mapping[str, ListEntry]) -> list[tuple[Sibling, ListEntry]]:
    return [(sibling, keys[key_of(sibling.name)]) for sibling in siblings if key_of(sibling.name) in keys]


def _placed(group: EntryList, label: str, point: InsertionPoint) -> InsertionPoint:
    """In a group that goes by the alphabet, the place that the alphabet gives."""
    labels = [entry.label.casefold() for entry in group.entries]
    if len(labels) < 4 or labels != sorted(labels):
        return point
    earlier = [entry for entry in group.entries if entry.label.casefold() < label.casefold()]
    beside = earlier[-1] if earlier else group.entries[0]
    return InsertionPoint(group, beside, bool(earlier), point.template, label, point.known_siblings)

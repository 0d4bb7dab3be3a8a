"""Where an article lists the siblings of an addition, and so where and how the addition belongs there."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from instep.core.name_matching import is_distinct
from instep.writer.articles.entries import EntryList, ListEntry, entry_lists_of
from instep.writer.facts.additions import Addition, Sibling
from instep.writer.facts.written_names import name_form_of
from instep.writer.inserting.uniform_lists import UniformList, uniform_lists_of
from instep.writer.words.identifiers import is_label, key_of, parts_of, spelled_like

_CAPITALIZED = re.compile(r"[A-Z][a-z0-9]+")
_LABEL_VALUE = re.compile(r"""(["'])([^"'\n]{2,60})\1,?""")
# What a label adds in a parenthesis, as in `Korean (South Korea)`, which an article may leave out.
_ADDED_TO_LABEL = re.compile(r"(?<!\s)\s*+\([^()]*+\)$")
_MIN_SIBLINGS = 2
# So many new siblings to one that is listed are another list.
_MAX_MISSING = 4
# Fewer entries may be in alphabetical order by chance.
_MIN_SORTED = 4


@dataclass(frozen=True, slots=True)
class InsertionPoint:
    """A place in a list of an article, right after or before the entry `neighbour`.

    `template` is the sibling to imitate, `label` the spelling of the new name there, `known_siblings` the
    number of siblings that the list holds; `is_by_form` says that the form of the name decides instead,
    `is_by_value` that labels do which the code gives its names.
    """

    entry_list: EntryList
    neighbour: ListEntry
    is_after: bool
    template: Sibling
    label: str
    known_siblings: int
    is_by_form: bool = False
    is_by_value: bool = False

    @property
    def place(self) -> int:
        return self.neighbour.end if self.is_after else self.neighbour.start

    def entry_for_sibling(self, sibling: Sibling) -> ListEntry | None:
        """The entry that a name of the code has in the list."""
        return _keys(self.entry_list).get(key_of(sibling.name))


def insertion_points(addition: Addition, text: str) -> Iterator[InsertionPoint]:
    """A point in every list of an article that holds siblings of the addition but not the addition."""
    has_point = set[EntryList]()
    for entry_list in entry_lists_of(text):
        point = _insertion_point(addition, entry_list)
        if point and not _is_value_in(point, text):
            has_point.add(entry_list)
            yield point
    form = name_form_of(addition.name)
    if form:
        uniform_lists = (each for each in uniform_lists_of(text) if each.form == form)
        for uniform_list in uniform_lists:
            if uniform_list.entry_list not in has_point:
                yield from _point_by_form(addition, uniform_list)


def is_listed(addition: Addition, text: str) -> bool:
    """Whether an article lists the addition among its siblings already."""
    return any(
        key_of(addition.name) in _keys(entry_list)
        and _listed(addition, (*addition.before, *addition.after), _keys(entry_list))
        for entry_list in entry_lists_of(text)
    )


def _is_value_in(point: InsertionPoint, text: str) -> bool:
    """Whether a table has the label in another column already, as what it says of other entries."""
    rows = (text[entry.start : entry.end] for entry in point.entry_list.entries)
    cells = (cell.strip(" `*\n") for row in rows for cell in row.strip().strip("|").split("|")[1:])
    return point.entry_list.kind == "row" and point.label in cells


def _insertion_point(addition: Addition, entry_list: EntryList) -> InsertionPoint | None:
    return _point_among(addition, entry_list) or _point_by_value(addition, entry_list)


def _point_by_value(addition: Addition, entry_list: EntryList) -> InsertionPoint | None:
    """The point by the labels that code gives its names, as in `fr: "French"`."""
    label = _label_in(addition.value)
    if not label:
        return None
    before, after = (
        tuple(
            replace(sibling, name=value, value=sibling.name)
            for sibling in siblings
            if (value := _label_in(sibling.value))
        )
        for siblings in (addition.before, addition.after)
    )
    point = _point_among(replace(addition, name=label, before=before, after=after), entry_list)
    return replace(point, is_by_value=True) if point else None


def _label_in(value: str) -> str:
    match = _LABEL_VALUE.fullmatch(value.strip())
    label = _ADDED_TO_LABEL.sub("", match[2]) if match else ""
    return label if is_label(label) else ""


def _point_among(addition: Addition, entry_list: EntryList) -> InsertionPoint | None:
    keys = _keys(entry_list)
    before, after = _listed(addition, addition.before, keys), _listed(addition, addition.after, keys)
    siblings = {key_of(sibling.name): is_distinct(sibling.name) for sibling, _ in (*before, *after)}
    # Commands share flags, so that only those that the command has already tell whose help it is.
    old_count = sum(not sibling.is_new for sibling, _ in (*before, *after))
    if (
        key_of(addition.name) in keys
        or (entry_list.kind == "option" and old_count < _MIN_SIBLINGS)
        or not _is_telling(addition, siblings)
        or _is_about_others(addition, keys, len(siblings))
    ):
        return None
    template, entry = (before or after)[0]
    label = spelled_like(addition.name, template.name, entry.label)
    if label is None or not _is_of_kind(addition, label):
        return None
    label = _as_phrase(label, template.name, entry_list)
    return _in_order(
        entry_list, label, InsertionPoint(entry_list, entry, bool(before), template, label, len(siblings))
    )


def _is_telling(addition: Addition, siblings: Mapping[str, bool]) -> bool:
    """Whether the listed siblings, by key and whether they are distinct, show that the name belongs there.

    One common word beside another is a coincidence, and so is a function that is named like a word.
    """
    all_siblings = {key_of(sibling.name) for sibling in (*addition.before, *addition.after)}
    is_only_one = len(siblings) == len(all_siblings) == 1 and addition.kind != "function"
    has_distinct = any(siblings.values())
    return (
        len(siblings) >= _MIN_SIBLINGS
        or (is_distinct(addition.name) and has_distinct)
        or (is_only_one and (is_distinct(addition.name) or has_distinct))
    )


def _is_of_kind(addition: Addition, label: str) -> bool:
    """Whether a label is what the name is: only flags begin with hyphens, and no function is a variable."""
    if addition.kind == "flag":
        return label.startswith("-")
    return addition.kind != "function" or label == addition.name or not label.isupper()


def _as_phrase(label: str, template: str, entry_list: EntryList) -> str:
    """A label of several words with blanks between them where the list has such labels.

    The label of a template with one word, such as `Status`, does not tell `MarkRead` from `Mark Read`.
    """
    words = _CAPITALIZED.findall(label)
    is_ambiguous = len(parts_of(template)) == 1 and len(words) > 1 and "".join(words) == label
    has_phrases = sum(" " in entry.label for entry in entry_list.entries) > 1
    return " ".join(words) if is_ambiguous and has_phrases else label


def _point_by_form(addition: Addition, uniform_list: UniformList) -> Iterator[InsertionPoint]:
    entry_list = uniform_list.entry_list
    # Constants of code look like the variables of the environment that a page of settings lists.
    is_alike = not addition.is_constant or uniform_list.prefix or uniform_list.outer_prefix
    label = uniform_list.label_for(addition.name) if is_alike else None
    if label and key_of(label) not in _keys(entry_list) and key_of(addition.name) not in _keys(entry_list):
        entry = uniform_list.neighbour_of(label)
        template = Sibling(entry.label, "")
        yield _in_order(
            entry_list, label, InsertionPoint(entry_list, entry, True, template, label, 0, is_by_form=True)
        )


@lru_cache(maxsize=4_096)
def _keys(entry_list: EntryList) -> Mapping[str, ListEntry]:
    """The entries by key; variables and dotted names also without the prefix that they share."""
    split = [(entry, *_prefix_and_rest(entry.label)) for entry in entry_list.entries]
    prefixes = Counter(prefix for _, prefix, _ in split)
    rests = Counter(key_of(rest) for _, _, rest in split)
    entries = {
        key_of(rest): entry
        for entry, prefix, rest in split
        if rest and prefixes[prefix] >= _MIN_SIBLINGS and rests[key_of(rest)] == 1
    }
    return entries | {key_of(entry.label): entry for entry in entry_list.entries if entry.label}


def _listed(
    addition: Addition, siblings: Sequence[Sibling], keys: Mapping[str, ListEntry]
) -> list[tuple[Sibling, ListEntry]]:
    """The siblings that a list has, with their entries.

    What a new file defines was not there when the article was written. So a common word such as `title`
    says nothing there, while a distinct name is the same thing everywhere.
    """
    return [
        (sibling, keys[key_of(sibling.name)])
        for sibling in siblings
        if key_of(sibling.name) in keys
        and (is_distinct(sibling.name) or not (sibling.is_new and addition.is_in_new_file))
    ]


def _is_about_others(addition: Addition, keys: Mapping[str, ListEntry], listed: int) -> bool:
    """Whether a list lacks so many of the siblings that it lists something else.

    The siblings that the change brings in may be missing, unless these are many fields of one kind.
    """
    siblings = (*addition.before, *addition.after)
    old_keys = {key_of(sibling.name) for sibling in siblings if not sibling.is_new}
    all_keys = {key_of(sibling.name) for sibling in siblings}
    is_flood = addition.kind == "key" and len(all_keys - keys.keys()) > _MAX_MISSING * max(1, listed)
    return is_flood or len(old_keys - keys.keys()) >= max(1, listed)


def _prefix_and_rest(label: str) -> tuple[str, str]:
    """The part that others may share, and the rest: `ACME` and `PORT`, `a.b` and `port`; else both empty."""
    if label.isupper():
        prefix, _, rest = label.partition("_")
    else:
        prefix, _, rest = label.rpartition(".")
    return (prefix, rest) if prefix and rest else ("", "")


def _in_order(entry_list: EntryList, label: str, point: InsertionPoint) -> InsertionPoint:
    """The point by the alphabet in a list that is sorted, else the given point."""
    labels = [entry.label.casefold() for entry in entry_list.entries]
    if len(labels) < _MIN_SORTED or labels != sorted(labels):
        return point
    earlier = [entry for entry in entry_list.entries if entry.label.casefold() < label.casefold()]
    neighbour = earlier[-1] if earlier else entry_list.entries[0]
    return replace(point, neighbour=neighbour, is_after=bool(earlier))

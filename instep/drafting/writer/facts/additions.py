"""Names that a change defines or uses for the first time, with their siblings in the code."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from instep.drafting.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.drafting.writer.facts.changed_texts import SourceLine
from instep.drafting.writer.facts.declarations import Declaration, DeclarationKind, declarations_of
from instep.drafting.writer.facts.written_names import name_form_of, written_names_of
from instep.platform.text.patch import Hunk, Line

_MAX_ADDITIONS = 300
_MAX_SIBLINGS = 12
_OUTER_KINDS: frozenset[DeclarationKind] = frozenset({"type", "function"})


@dataclass(frozen=True, slots=True)
class Addition:
    """A new name; `siblings` are old names of its kind next to it in the code, nearest first.

    `new_siblings` are those that the change adds, too.
    """

    name: str
    siblings: tuple[str, ...]
    new_siblings: tuple[str, ...]
    source: SourceLine


@dataclass(frozen=True, slots=True)
class _Name:
    """A name in a line; names of one group, such as the fields of one type, are siblings."""

    name: str
    group: Hashable
    line: Line


def additions_of(change_set: ChangeSet) -> tuple[Addition, ...]:
    """The first additions of a change, one for each name."""
    files = [file for file in change_set.files if file.kind not in {"test", "internal", "docs"}]
    old_names = {
        name.name
        for file in change_set.files
        for hunk in file.patch.hunks
        for name in chain(_declared(hunk, "-"), _written(hunk))
        if name.line.mark != "+"
    }
    additions: dict[str, Addition] = {}
    for file in files:
        for hunk in file.patch.hunks:
            for names in (list(_declared(hunk, "+")), list(_written(hunk))):
                for addition in _new_names(names, old_names, file):
                    earlier = additions.get(addition.name)
                    if earlier is None or (addition.siblings and not earlier.siblings):
                        additions[addition.name] = addition
        if len(additions) >= _MAX_ADDITIONS:
            break
    return tuple(additions.values())[:_MAX_ADDITIONS]


def _new_names(names: Sequence[_Name], old_names: set[str], file: ReviewedFile) -> Iterator[Addition]:
    by_group: dict[Hashable, list[tuple[int, _Name]]] = {}
    places: list[int] = []
    for index, name in enumerate(names):
        group = by_group.setdefault(name.group, [])
        places.append(len(group))
        group.append((index, name))
    for index, name in enumerate(names):
        if name.line.mark == "+" and name.name not in old_names:
            # The nearest names of a group are next to it; sorting all names of a large file takes too long.
            first = max(0, places[index] - 2 * _MAX_SIBLINGS)
            around = by_group[name.group][first : places[index] + 2 * _MAX_SIBLINGS + 1]
            others = sorted(around, key=lambda other: abs(other[0] - index))
            neighbors = dict.fromkeys(other.name for _, other in others[1 : 2 * _MAX_SIBLINGS + 1])
            neighbors.pop(name.name, None)
            yield Addition(
                name.name,
                tuple(other for other in neighbors if other in old_names)[:_MAX_SIBLINGS],
                tuple(other for other in neighbors if other not in old_names)[:_MAX_SIBLINGS],
                SourceLine(file.patch.path, name.line.new, name.line.text, file.weight),
            )


def _declared(hunk: Hunk, mark: str) -> Iterator[_Name]:
    """The names that one side of a hunk defines, grouped by kind, indent and container."""
    holders: list[tuple[int, Declaration]] = []
    for index, declaration in enumerate(declarations_of(hunk, mark)):
        while holders and holders[-1][1].indent >= declaration.indent:
            holders.pop()
        holder = holders[-1][0] if holders else -1
        yield _Name(declaration.name, (declaration.kind, declaration.indent, holder), declaration.line)
        if declaration.kind in _OUTER_KINDS or declaration.kind == "key":
            holders.append((index, declaration))


def _written(hunk: Hunk) -> Iterator[_Name]:
    """Variables, flags and routes in code, grouped by form, and the members of one-line lists."""
    for written in written_names_of(hunk):
        form = name_form_of(written.name)
        if written.is_member or form:
            yield _Name(written.name, written.place if written.is_member else form, written.line)

"""Names that a change defines for the first time, with their siblings and descriptions in the code."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice

from instep.text.patch import Hunk
from instep.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.declarations import Declaration, DeclarationKind, declarations_of
from instep.writer.facts.details import Details, details_of, type_of
from instep.writer.facts.docstrings import comment_above, default_above, doc_of, parameter_doc
from instep.writer.facts.listed_names import ListedNames, changed_lists
from instep.writer.facts.set_members import members_in_lines
from instep.writer.facts.signatures import parameter_additions
from instep.writer.facts.syntax import has_grammar
from instep.writer.facts.values import default_of
from instep.writer.facts.written_names import NameForm, WrittenName, name_form_of, written_names_of

_MAX_ADDITIONS = 300
_MAX_SIBLINGS = 12
# A catalogue of another language than English, as `fr.json` or `pt-BR.ts`; most descriptions are in English.
_TRANSLATION = re.compile(r"(?:^|/)(?!en\b)[a-z]{2}(?:[-_][A-Z]{2})?\.(?:json|ya?ml|ts|js|php|properties)$")
_LINE_START = re.compile(r"\W*(?:(?:export|ENV|ARG)\s+)?")
# Parameters that stand for an object or for any others, which no article lists.
_UNLISTED_PARAMETERS = frozenset(("args", "cls", "ctx", "kwargs", "self", "this"))
_OUTER_KINDS: frozenset[DeclarationKind] = frozenset({"type", "function"})
_INNER_KINDS: frozenset[DeclarationKind] = frozenset({"type", "function", "key", "assignment"})
WrittenNames = Mapping[str, Sequence[tuple[Hunk, Sequence[WrittenName]]]]
_KINDS: Mapping[NameForm, DeclarationKind] = {
    "variable": "read",
    "flag": "flag",
    "short flag": "flag",
    "route": "route",
}


@dataclass(frozen=True, slots=True)
class Sibling:
    """A name beside another; `is_new` if the change brings it in, too."""

    name: str
    value: str
    is_new: bool = False


@dataclass(frozen=True, slots=True)
class Addition:
    """A new name; `before` and `after` are its siblings in the code, nearest first.

    `details` are what the code says of it; `value` is the code after the name.
    """

    name: str
    kind: DeclarationKind
    indent: int
    value: str
    details: Details
    context: str
    before: tuple[Sibling, ...]
    after: tuple[Sibling, ...]
    source: SourceLine
    is_in_new_file: bool = False

    @property
    def doc(self) -> str:
        return self.details.doc

    @property
    def is_constant(self) -> bool:
        """Whether code gives it a value of its own; a variable of the environment is read by its name."""
        is_value = self.kind in {"assignment", "key"} and has_grammar(self.source.file)
        return is_value and self.name not in self.value


def additions_of(change_set: ChangeSet) -> tuple[Addition, ...]:
    removed_names = {
        declaration.name
        for file in change_set.files
        for hunk in file.patch.hunks
        for declaration in declarations_of(hunk, "-", file.patch.path)
        if declaration.line.mark == "-"
    }
    files = [file for file in change_set.files if file.kind not in {"test", "internal", "docs"}]
    written_names = _written_names(files)
    old_names = _old_names_in(written_names)
    additions = _Additions()
    for file in files:
        for addition in chain(
            _new_declarations(file, removed_names, additions),
            _new_parameters(file),
            _new_written_names(file, written_names[file.patch.path], old_names, additions),
            _new_members(file),
        ):
            additions.add(_as_in(file, addition))
        if additions.is_full:
            break
    lists = changed_lists(files)
    return tuple(_with_listed(addition, lists) for addition in additions.by_key.values())


def _with_listed(addition: Addition, lists: Iterable[ListedNames]) -> Addition:
    """The addition with further siblings: those that a line lists with it and with one of its siblings."""
    siblings = {sibling.name for sibling in (*addition.before, *addition.after) if not sibling.is_new}
    for listed in lists:
        if addition.name not in listed.old_names and addition.name in listed.names:
            others = [name for name in listed.names if name in listed.old_names - siblings]
            if others and siblings & listed.old_names:
                more = tuple(Sibling(name, "") for name in reversed(others))
                return replace(addition, before=(*addition.before, *more))
    return addition


@dataclass(frozen=True, slots=True)
class _Additions:
    """The first additions by name and file; what code says of the others is not read, as it takes long."""

    by_key: dict[tuple[str, str], Addition] = field(default_factory=dict)

    @property
    def is_full(self) -> bool:
        return len(self.by_key) >= _MAX_ADDITIONS

    def has_room_for(self, name: str, path: str) -> bool:
        return not self.is_full or (name, path) in self.by_key

    def add(self, addition: Addition) -> None:
        key = addition.name, addition.source.file
        if key in self.by_key:
            self.by_key[key] = _merged(self.by_key[key], addition)
        elif not self.is_full:
            self.by_key[key] = addition


def _as_in(file: ReviewedFile, addition: Addition) -> Addition:
    details = addition.details
    if _TRANSLATION.search(file.patch.path):
        details = replace(details, doc="")
    return replace(addition, details=details, is_in_new_file=file.patch.status == "added")


def _merged(first: Addition, other: Addition) -> Addition:
    """The use of a name that gives it a value, else the first, with what only the other one has."""
    if other.value and not first.value:
        first, other = other, first
    return replace(
        first,
        details=first.details.completed_by(other.details),
        before=first.before or other.before,
        after=first.after or other.after,
    )


def _new_declarations(
    file: ReviewedFile, removed_names: Collection[str], additions: _Additions
) -> Iterator[Addition]:
    for hunk in file.patch.hunks:
        declarations = list(declarations_of(hunk, "+", file.patch.path))
        context_names = {each.name for each in declarations if each.line.mark == " "}
        is_old = _is_in(removed_names, context_names)
        neighbours = _neighbours_of(declarations)
        contexts = _contexts_of(declarations, hunk)
        for index, declaration in enumerate(declarations):
            name = declaration.name
            if (
                declaration.line.mark == "+"
                and not is_old(name)
                and additions.has_room_for(name, file.patch.path)
            ):
                yield Addition(
                    name,
                    declaration.kind,
                    declaration.indent,
                    declaration.value,
                    _details(declarations, index, hunk),
                    contexts[index],
                    _siblings(_linked(neighbours.previous, index), declarations, is_old),
                    _siblings(_linked(neighbours.following, index), declarations, is_old),
                    SourceLine(file.patch.path, declaration.line.new, declaration.line.text, file.weight),
                )


def _is_in(names: Collection[str], others: Collection[str]) -> Callable[[str], bool]:
    """Whether a name is in either; a union for each hunk would copy the names of all files."""
    return lambda name: name in names or name in others


def _new_parameters(file: ReviewedFile) -> Iterator[Addition]:
    """New parameters of functions that existed before."""
    for hunk in file.patch.hunks:
        for function in parameter_additions(hunk, file.patch.path):
            names = [name for name, _ in function.new]
            for index, (name, default) in enumerate(function.new):
                if name in function.added:
                    yield Addition(
                        name,
                        "parameter",
                        0,
                        f"= {default}" if default else "",
                        Details(
                            default=default_of(f"= {default}") or "" if default else "",
                            doc=parameter_doc(name, hunk),
                        ),
                        function.name,
                        tuple(_other_parameters(names[:index][::-1], function.added)),
                        tuple(_other_parameters(names[index + 1 :], function.added)),
                        SourceLine(file.patch.path, function.line.new, function.line.text, file.weight),
                    )


def _other_parameters(names: Sequence[str], new_names: Collection[str]) -> Iterator[Sibling]:
    return (Sibling(name, "", name in new_names) for name in names if name not in _UNLISTED_PARAMETERS)


def _details(declarations: Sequence[Declaration], index: int, hunk: Hunk) -> Details:
    declaration = declarations[index]
    definition_details = Details(
        type_of(declaration.line.text),
        default_of(declaration.value) or default_above(declaration.place, hunk),
        doc_of(declarations, index, hunk),
    )
    details = definition_details.completed_by(details_of(declaration.name, declaration.place, hunk))
    return details if details.doc else replace(details, doc=parameter_doc(declaration.name, hunk))


def _written_names(files: Sequence[ReviewedFile]) -> WrittenNames:
    return {
        file.patch.path: [(hunk, list(written_names_of(hunk))) for hunk in file.patch.hunks] for file in files
    }


def _old_names_in(written_names: WrittenNames) -> set[str]:
    return {
        written.name
        for hunks in written_names.values()
        for _, names in hunks
        for written in names
        if written.line.mark != "+" and not written.is_member
    }


def _new_written_names(
    file: ReviewedFile,
    written_names: Iterable[tuple[Hunk, Sequence[WrittenName]]],
    old_names: Collection[str],
    additions: _Additions,
) -> Iterator[Addition]:
    """Names that the code uses for the first time, and new members of lists in one line."""
    for hunk, names in written_names:
        hunk_names = {written.name for written in names if written.line.mark != "+"}
        is_old = _is_in(old_names, hunk_names)
        forms = {written.name: name_form_of(written.name) for written in names}
        known_names = set[str]()
        for index, written in enumerate(names):
            name = written.name
            if written.line.mark != "+" or name in known_names or is_old(name):
                continue
            known_names.add(name)
            if additions.has_room_for(name, file.patch.path):
                before, after = range(index - 1, -1, -1), range(index + 1, len(names))
                yield Addition(
                    name,
                    _kind_of(written, forms[name]),
                    0,
                    "",
                    _details_in_use(written, hunk) if forms[name] else Details(),
                    hunk.section,
                    _siblings(_similar(written, names, before, forms), names, is_old),
                    _siblings(_similar(written, names, after, forms), names, is_old),
                    SourceLine(file.patch.path, written.line.new, written.line.text, file.weight),
                )


def _new_members(file: ReviewedFile) -> Iterator[Addition]:
    """What a line among lines of its form adds to a set: `<Option value="compact">`."""
    if file.patch.status in {"added", "deleted"}:
        return
    for change in (change for hunk in file.patch.hunks for change in members_in_lines(hunk, file)):
        for slot in range(min(map(len, (*change.new, *change.before, *change.after)))):
            names = [each[slot] for each in (*change.new, *change.before, *change.after)]
            if len({*names}) == len(names):
                for member in change.new:
                    yield Addition(
                        member[slot],
                        "element",
                        0,
                        "",
                        Details(),
                        "",
                        tuple(Sibling(each[slot], "") for each in change.before),
                        tuple(Sibling(each[slot], "") for each in change.after),
                        change.source,
                    )


def _details_in_use(written: WrittenName, hunk: Hunk) -> Details:
    """The details of the statement with a name; the comment above counts only if the line is about it."""
    details = details_of(written.name, written.place, hunk)
    if _LINE_START.sub("", written.line.text, count=1).startswith(written.name):
        return details.completed_by(Details(doc=comment_above(written.place, hunk)))
    return details


def _kind_of(written: WrittenName, form: NameForm | None) -> DeclarationKind:
    return "element" if written.is_member or form is None else _KINDS.get(form, "element")


def _similar(
    written: WrittenName,
    names: Sequence[WrittenName],
    indices: Iterable[int],
    forms: Mapping[str, NameForm | None],
) -> Iterator[int]:
    """The indices of the other members of the same list, or else of names of the same form."""
    form = forms[written.name]
    for index in indices:
        other = names[index]
        is_similar = other.is_member if written.is_member else form and forms[other.name] == form
        if is_similar and other.line.mark != "-":
            yield index


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """For each declaration the index of the one before and after it that the same definition holds."""

    previous: dict[int, int]
    following: dict[int, int]


def _neighbours_of(declarations: Sequence[Declaration]) -> _Neighbours:
    """The links between declarations of one kind and indent: what has less indent begins another one."""
    previous: dict[int, int] = {}
    last: dict[tuple[DeclarationKind, int], int] = {}
    for index, declaration in enumerate(declarations):
        if declaration.kind in _OUTER_KINDS or declaration.kind == "key":
            last = {
                (kind, indent): other
                for (kind, indent), other in last.items()
                if not _begins_another(declaration, kind, indent)
            }
        kind_and_indent = declaration.kind, declaration.indent
        if kind_and_indent in last:
            previous[index] = last[kind_and_indent]
        last[kind_and_indent] = index
    return _Neighbours(previous, {other: index for index, other in previous.items()})


def _begins_another(declaration: Declaration, kind: DeclarationKind, indent: int) -> bool:
    """Whether a type, a function or, for keys, another key ends the definition with that kind and indent."""
    kinds = _OUTER_KINDS | {"key"} if kind == "key" else _OUTER_KINDS
    return kind in _INNER_KINDS and declaration.kind in kinds and declaration.indent < indent


def _linked(links: Mapping[int, int], index: int) -> Iterator[int]:
    while index in links:
        index = links[index]
        yield index


def _contexts_of(declarations: Sequence[Declaration], hunk: Hunk) -> list[str]:
    """For each the line of the enclosing definition: the nearest with less indent, or the hunk's heading."""
    contexts = list[str]()
    enclosing = list[Declaration]()
    for declaration in declarations:
        while enclosing and enclosing[-1].indent >= declaration.indent:
            enclosing.pop()
        contexts.append(enclosing[-1].line.text if enclosing else hunk.section)
        enclosing.append(declaration)
    return contexts


def _siblings(
    indices: Iterable[int],
    names: Sequence[Declaration] | Sequence[WrittenName],
    is_old: Callable[[str], bool],
) -> tuple[Sibling, ...]:
    others = (names[index] for index in islice(indices, _MAX_SIBLINGS))
    return tuple(
        Sibling(other.name, other.value if isinstance(other, Declaration) else "", not is_old(other.name))
        for other in others
    )

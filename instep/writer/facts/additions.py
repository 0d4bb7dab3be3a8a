"""Names that a change defines for the first time, with their siblings and descriptions in the code."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, takewhile

from instep.text.patch import Hunk
from instep.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.declarations import Declaration, DeclarationKind, declarations_of
from instep.writer.facts.details import Details, details_of, type_of
from instep.writer.facts.docstrings import comment_above, doc_of
from instep.writer.facts.signatures import parameter_additions
from instep.writer.facts.syntax import has_grammar
from instep.writer.facts.values import default_of
from instep.writer.facts.written_names import NameForm, WrittenName, name_form_of, written_names_of

_MAX_ADDITIONS = 300
_MAX_SIBLINGS = 12
# A catalogue of another language than English, as `fr.json` or `pt-BR.ts`; most descriptions are in English.
_TRANSLATION = re.compile(r"(?:^|/)(?!en\b)[a-z]{2}(?:[-_][A-Z]{2})?\.(?:json|ya?ml|ts|js|php|properties)$")
_LINE_START = re.compile(r"\W*(?:(?:export|ENV|ARG)\s+)?")
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
    additions: dict[tuple[str, str], Addition] = {}
    for file in files:
        file_additions = (
            *_new_declarations(file, removed_names),
            *_new_parameters(file),
            *_new_written_names(file, written_names, old_names),
        )
        if _TRANSLATION.search(file.patch.path):
            file_additions = tuple(map(_without_doc, file_additions))
        if file.patch.status == "added":
            file_additions = tuple(replace(each, is_in_new_file=True) for each in file_additions)
        for addition in file_additions:
            key = addition.name, addition.source.file
            additions[key] = _merged(additions[key], addition) if key in additions else addition
        if len(additions) >= _MAX_ADDITIONS:
            break
    return tuple(additions.values())[:_MAX_ADDITIONS]


def _without_doc(addition: Addition) -> Addition:
    return replace(addition, details=replace(addition.details, doc=""))


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


def _new_declarations(file: ReviewedFile, removed_names: set[str]) -> Iterator[Addition]:
    for hunk in file.patch.hunks:
        declarations = list(declarations_of(hunk, "+", file.patch.path))
        old_names = removed_names | {each.name for each in declarations if each.line.mark == " "}
        for index, declaration in enumerate(declarations):
            if declaration.line.mark == "+" and declaration.name not in old_names:
                yield Addition(
                    declaration.name,
                    declaration.kind,
                    declaration.indent,
                    declaration.value,
                    _details(declaration, declarations, hunk),
                    _context(declaration, declarations, hunk),
                    tuple(_siblings(declaration, declarations[:index][::-1], old_names)),
                    tuple(_siblings(declaration, declarations[index + 1 :], old_names)),
                    SourceLine(file.patch.path, declaration.line.new, declaration.line.text, file.weight),
                )


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
                        Details(default=default_of(f"= {default}") or "" if default else ""),
                        function.name,
                        tuple(_other_parameters(names[:index][::-1], function.added)),
                        tuple(_other_parameters(names[index + 1 :], function.added)),
                        SourceLine(file.patch.path, function.line.new, function.line.text, file.weight),
                    )


def _other_parameters(names: Sequence[str], new_names: Collection[str]) -> Iterator[Sibling]:
    return (Sibling(name, "", name in new_names) for name in names)


def _details(declaration: Declaration, declarations: Sequence[Declaration], hunk: Hunk) -> Details:
    definition_details = Details(
        type_of(declaration.line.text),
        default_of(declaration.value) or "",
        doc_of(declaration, declarations, hunk),
    )
    return definition_details.completed_by(details_of(declaration.name, declaration.place, hunk))


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
    file: ReviewedFile, written_names: WrittenNames, old_names: set[str]
) -> Iterator[Addition]:
    """Names that the code uses for the first time, and new members of lists in one line."""
    for hunk, names in written_names[file.patch.path]:
        names_before = old_names | {written.name for written in names if written.line.mark != "+"}
        known_names = set(names_before)
        for index, written in enumerate(names):
            if written.line.mark == "+" and written.name not in known_names:
                known_names.add(written.name)
                form = name_form_of(written.name)
                yield Addition(
                    written.name,
                    _kind_of(written, form),
                    0,
                    "",
                    _details_in_use(written, hunk) if form else Details(),
                    hunk.section,
                    tuple(_similar(written, form, names[:index][::-1], names_before)),
                    tuple(_similar(written, form, names[index + 1 :], names_before)),
                    SourceLine(file.patch.path, written.line.new, written.line.text, file.weight),
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
    written: WrittenName, form: NameForm | None, others: Sequence[WrittenName], names_before: Collection[str]
) -> Iterator[Sibling]:
    """The other members of the same list, or else names of the same form."""
    similar = [
        other
        for other in others
        if other.line.mark != "-"
        and (other.is_member if written.is_member else form is not None and name_form_of(other.name) == form)
    ]
    for other in similar[:_MAX_SIBLINGS]:
        yield Sibling(other.name, "", other.name not in names_before)


def _context(declaration: Declaration, declarations: Sequence[Declaration], hunk: Hunk) -> str:
    """The line of the enclosing definition: the nearest one with less indent, or the heading of the hunk."""
    outer = (
        other.line.text
        for other in reversed(declarations)
        if other.place < declaration.place and other.indent < declaration.indent
    )
    return next(outer, hunk.section)


def _siblings(
    declaration: Declaration, others: Sequence[Declaration], names_before: Collection[str]
) -> Iterator[Sibling]:
    """What the same definition holds, nearest first: what has less indent begins another one."""
    kind_and_indent = declaration.kind, declaration.indent
    inside = takewhile(lambda other: not _begins_another(other, declaration), others)
    similar = (other for other in inside if (other.kind, other.indent) == kind_and_indent)
    for other in islice(similar, _MAX_SIBLINGS):
        yield Sibling(other.name, other.value, other.name not in names_before)


def _begins_another(other: Declaration, declaration: Declaration) -> bool:
    """Whether a type, a function or, for keys, another key ends the definition that has the declaration."""
    kinds = _OUTER_KINDS | {"key"} if declaration.kind == "key" else _OUTER_KINDS
    return declaration.kind in _INNER_KINDS and other.kind in kinds and other.indent < declaration.indent

"""Names that a change defines for the first time, with their siblings and descriptions in the code."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.text.patch import Hunk
from instep.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.declarations import Declaration, DeclarationKind, declarations_of
from instep.writer.facts.docstrings import doc_of
from instep.writer.facts.signatures import parameter_additions

_MAX_ADDITIONS = 300
_MAX_SIBLINGS = 12


@dataclass(frozen=True, slots=True)
class Sibling:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Addition:
    """A new name; `before` and `after` are its siblings in the code, nearest first."""

    name: str
    kind: DeclarationKind
    indent: int
    value: str
    doc: str
    context: str
    before: tuple[Sibling, ...]
    after: tuple[Sibling, ...]
    source: SourceLine


def additions_of(change_set: ChangeSet) -> tuple[Addition, ...]:
    removed_names = {
        declaration.name
        for file in change_set.files
        for hunk in file.patch.hunks
        for declaration in declarations_of(hunk, "-", file.patch.path)
        if declaration.line.mark == "-"
    }
    additions: dict[tuple[str, str], Addition] = {}
    for file in change_set.files:
        if file.kind not in {"test", "internal", "docs"}:
            for addition in (*_new_declarations(file, removed_names), *_new_parameters(file)):
                additions.setdefault((addition.name, addition.source.file), addition)
            if len(additions) >= _MAX_ADDITIONS:
                break
    return tuple(additions.values())[:_MAX_ADDITIONS]


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
                    doc_of(declaration, declarations, hunk),
                    _context(declaration, declarations, hunk),
                    tuple(_siblings(declaration, declarations[:index][::-1])),
                    tuple(_siblings(declaration, declarations[index + 1 :])),
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
                        "",
                        function.name,
                        tuple(Sibling(other, "") for other in reversed(names[:index])),
                        tuple(Sibling(other, "") for other in names[index + 1 :]),
                        SourceLine(file.patch.path, function.line.new, function.line.text, file.weight),
                    )


def _context(declaration: Declaration, declarations: Sequence[Declaration], hunk: Hunk) -> str:
    """The line of the enclosing definition: the nearest one with less indent, or the heading of the hunk."""
    outer = (
        other.line.text
        for other in reversed(declarations)
        if other.place < declaration.place and other.indent < declaration.indent
    )
    return next(outer, hunk.section)


def _siblings(declaration: Declaration, others: Sequence[Declaration]) -> Iterator[Sibling]:
    kind_and_indent = declaration.kind, declaration.indent
    similar = [other for other in others if (other.kind, other.indent) == kind_and_indent]
    for other in similar[:_MAX_SIBLINGS]:
        yield Sibling(other.name, other.value)

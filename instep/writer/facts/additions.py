"""What a change defines anew, with the names that are defined beside it and what the code says of it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.writer.diffs.change_set import ChangeSet, ReviewedFile
from instep.writer.diffs.patch import Hunk
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.declarations import Declaration, DeclarationKind, declarations_of
from instep.writer.facts.docstrings import doc_of
from instep.writer.facts.signatures import parameter_additions

_MOST = 300
_NEAREST = 12


@dataclass(frozen=True, slots=True)
class Sibling:
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Addition:
    """A name that is new; `before` and `after` are its siblings in the code, nearest first."""

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
    gone = {
        declared.name
        for file in change_set.files
        for hunk in file.patch.hunks
        for declared in declarations_of(hunk, "-", file.patch.path)
        if declared.line.mark == "-"
    }
    found: dict[tuple[str, str], Addition] = {}
    for file in change_set.files:
        if file.kind not in {"test", "internal", "docs"}:
            for addition in (*_in_file(file, gone), *_in_lists(file)):
                found.setdefault((addition.name, addition.source.file), addition)
            if len(found) >= _MOST:
                break
    return tuple(found.values())[:_MOST]


def _in_file(file: ReviewedFile, gone: set[str]) -> Iterator[Addition]:
    for hunk in file.patch.hunks:
        declared = list(declarations_of(hunk, "+", file.patch.path))
        known = {one.name for one in declared if one.line.mark == " "}
        for at, one in enumerate(declared):
            if one.line.mark == "+" and one.name not in gone and one.name not in known:
                yield Addition(
                    one.name,
                    one.kind,
                    one.indent,
                    one.value,
                    doc_of(one, declared, hunk),
                    _context(one, declared, hunk),
                    tuple(_siblings(one, declared[:at][::-1])),
                    tuple(_siblings(one, declared[at + 1 :])),
                    SourceLine(file.patch.path, one.line.new, one.line.text, file.weight),
                )


def _in_lists(file: ReviewedFile) -> Iterator[Addition]:
    """New parameters of functions that were there before."""
    for hunk in file.patch.hunks:
        for function in parameter_additions(hunk, file.patch.path):
            names = [name for name, _ in function.new]
            for at, (name, default) in enumerate(function.new):
                if name in function.added:
                    yield Addition(
                        name,
                        "parameter",
                        0,
                        f"= {default}" if default else "",
                        "",
                        function.name,
                        tuple(Sibling(other, "") for other in reversed(names[:at])),
                        tuple(Sibling(other, "") for other in names[at + 1 :]),
                        SourceLine(file.patch.path, function.line.new, function.line.text, file.weight),
                    )


def _context(one: Declaration, declared: Sequence[Declaration], hunk: Hunk) -> str:
    """The line that the definition stands in: the nearest one of less depth, or the hunk's heading."""
    outer = (
        other.line.text
        for other in reversed(declared)
        if other.place < one.place and other.indent < one.indent
    )
    return next(outer, hunk.section)


def _siblings(one: Declaration, others: Sequence[Declaration]) -> Iterator[Sibling]:
    alike = [other for other in others if (other.kind, other.indent) == (one.kind, one.indent)]
    for other in alike[:_NEAREST]:
        yield Sibling(other.name, other.value)

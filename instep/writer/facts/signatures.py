"""Functions that a change gives more parameters, and their calls as headings write them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.text.patch import Hunk, Line
from instep.writer.diffs.change_set import ChangeSet
from instep.writer.facts.changed_texts import SourceLine
from instep.writer.facts.syntax import Parameters, syntax_of


@dataclass(frozen=True, slots=True)
class ParameterAddition:
    """A function with more parameters than before; `old` and `new` hold pairs of a name and a default."""

    name: str
    old: Parameters
    new: Parameters
    line: Line

    @property
    def added(self) -> list[str]:
        old_names = {name for name, _ in self.old}
        return [name for name, _ in self.new if name not in old_names]


def parameter_additions(hunk: Hunk, path: str) -> Iterator[ParameterAddition]:
    """The functions on both sides of a hunk that take more parameters than before."""
    before, after = syntax_of(path, hunk, "-"), syntax_of(path, hunk, "+")
    if before is None or after is None:
        return
    for name, (place, new) in after.functions.items():
        _, old = before.functions.get(name, (place, new))
        if _is_within(old, new):
            yield ParameterAddition(name, old, new, hunk.lines[place])


def _is_within(old: Parameters, new: Parameters) -> bool:
    """Whether all old names remain, in their order, and there are more."""
    rest = iter([name for name, _ in new])
    return len(new) > len(old) and all(name in rest for name, _ in old)


@dataclass(frozen=True, slots=True)
class Signature:
    """`render(row)` is `render(row, column)` now."""

    old: str
    new: str
    sources: tuple[SourceLine, ...]


def find_signatures(change_set: ChangeSet) -> list[Signature]:
    """One for each call that has only one form after the change."""
    signatures: dict[str, list[Signature]] = {}
    for file in change_set.files:
        if file.kind in {"test", "internal"}:
            continue
        for hunk in file.patch.hunks:
            for addition in parameter_additions(hunk, file.patch.path):
                source = SourceLine(file.patch.path, addition.line.new, addition.line.text, file.weight)
                signature = Signature(
                    _call(addition.name, addition.old), _call(addition.name, addition.new), (source,)
                )
                signatures.setdefault(signature.old, []).append(signature)
    return [group[0] for group in signatures.values() if len({signature.new for signature in group}) == 1]


def _call(name: str, parameters: Sequence[tuple[str, str]]) -> str:
    return f"{name}({', '.join(_parameters(parameters))})"


def _parameters(parameters: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, default in parameters:
        yield f"{name}={default}" if default else name

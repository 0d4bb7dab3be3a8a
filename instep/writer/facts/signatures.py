"""Functions that take more than before: a heading that writes the whole call is to write the new one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from instep.writer.diffs.change_set import ChangeSet
from instep.writer.facts.changed_texts import Source
from instep.writer.facts.parameters import grown_in


@dataclass(frozen=True, slots=True)
class Signature:
    """`render(row)` is `render(row, column)` now."""

    old: str
    new: str
    sources: tuple[Source, ...]


def find_signatures(scope: ChangeSet) -> list[Signature]:
    """One for each call that is written in one way only after the change."""
    found: dict[str, list[Signature]] = {}
    for scoped in scope.files:
        if scoped.kind in {"test", "internal"}:
            continue
        for hunk in scoped.file.hunks:
            for grown in grown_in(hunk, scoped.file.path):
                source = Source(scoped.file.path, grown.line.new, grown.line.text, scoped.weight)
                made = Signature(_written(grown.name, grown.old), _written(grown.name, grown.new), (source,))
                found.setdefault(made.old, []).append(made)
    return [same[0] for same in found.values() if len({one.new for one in same}) == 1]


def _written(name: str, parameters: Sequence[tuple[str, str]]) -> str:
    return f"{name}({', '.join(_parameters(parameters))})"


def _parameters(parameters: Sequence[tuple[str, str]]) -> Iterator[str]:
    for name, default in parameters:
        yield f"{name}={default}" if default else name

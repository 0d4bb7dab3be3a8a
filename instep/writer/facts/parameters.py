"""Parameters that a change adds to functions that were there before."""

from collections.abc import Iterator
from dataclasses import dataclass

from instep.writer.diffs.patch import Hunk, Line
from instep.writer.facts.syntax import Parameters, syntax_of


@dataclass(frozen=True, slots=True)
class Grown:
    """The parameters of `name` before and after, as `(name, default)`; only additions differ."""

    name: str
    old: Parameters
    new: Parameters
    line: Line

    @property
    def added(self) -> list[str]:
        known = {name for name, _ in self.old}
        return [name for name, _ in self.new if name not in known]


def grown_in(hunk: Hunk, path: str) -> Iterator[Grown]:
    """Functions of both sides that take more than before."""
    before, after = syntax_of(path, hunk, "-"), syntax_of(path, hunk, "+")
    if before is None or after is None:
        return
    for name, (place, new) in after.functions.items():
        _, old = before.functions.get(name, (place, new))
        if _is_within(old, new):
            yield Grown(name, old, new, hunk.lines[place])


def _is_within(old: Parameters, new: Parameters) -> bool:
    """All old names are still there, in their order, and there are more."""
    rest = iter([name for name, _ in new])
    return len(new) > len(old) and all(name in rest for name, _ in old)

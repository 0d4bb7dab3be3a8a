"""Merges the order of a collection's articles on both sides; pure functions on ids and numbers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(slots=True)
class KnownOrder:
    """The order of both sides at the last sync, and the order that it wrote and git doesn't have yet."""

    base: list[str] | None = None
    next: list[str] | None = None
    # The articles whose files were written for `next`.
    written: list[str] = field(default_factory=list)

    def advance(self) -> None:
        self.base, self.next, self.written = self.next, None, []


@dataclass(frozen=True, slots=True)
class MergedOrder:
    """The merged order, and whether it chooses between two orders that people set."""

    ids: list[str]
    is_moved_in_instep: bool = False
    is_conflict: bool = False


def merge_orders(
    base: Sequence[str] | None, instep: Sequence[str], git: Sequence[str], present: Sequence[str]
) -> MergedOrder:
    """The three-way merge of an order.

    `instep` is the order before the sync, `git` the order of the files with a position, `present` the current
    order in Instep, including new articles. If both sides changed it, or the base is unknown, Instep's order
    is kept, because git's history keeps the other.
    """
    in_git, in_instep = set(git), set(instep)
    if base is None:
        has_moved_in_instep = only(instep, in_git) != only(git, in_instep)
        has_moved_in_git = has_moved_in_instep
    else:
        known_ids = set(base)
        has_moved_in_instep = only(instep, known_ids) != only(base, in_instep)
        has_moved_in_git = only(git, known_ids) != only(base, in_git)
    if has_moved_in_instep:
        differs = only(instep, in_git) != only(git, in_instep)
        return MergedOrder(list(present), True, has_moved_in_git and differs)
    return MergedOrder(refill(present, git))


def only(ids: Iterable[str], members: set[str]) -> list[str]:
    return [id for id in ids if id in members]


def refill(order: Sequence[str], ids: Sequence[str]) -> list[str]:
    """The order in which these ids fill their combined positions in the given order."""
    members, rest = set(ids), iter(only(ids, set(order)))
    return [next(rest) if id in members else id for id in order]


def new_numbers(order: Sequence[str], numbers: Mapping[str, int | None]) -> dict[str, int]:
    """The fewest new numbers that put the ids in order."""
    present = [number for id in order if (number := numbers[id]) is not None]
    if len(present) < len(order):
        return {id: place for place, id in enumerate(order, 1) if numbers[id] != place}
    changed: dict[str, int] = {}
    last = -1
    for id, free in zip(order, sorted(present), strict=True):
        last = max(free, last + 1)
        if numbers[id] != last:
            changed[id] = last
    return changed

"""The order of articles in a collection: that of the source, apart from what someone moved here.

An order is no text: putting an article between others changes positions alone, so that those behind it get no
version, no revision and no event.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from instep.platform.core import limits


def moved_keys(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """The keys that must be placed anew so that `after` has its order, given that `before` has its own.

    These are the new ones, and the fewest of the others: all but the longest sequence that keeps its order.
    """
    numbers = {key: number for number, key in enumerate(before)}
    sequence = longest_increasing([(numbers[key], key) for key in after if key in numbers])
    return tuple(key for key in after if key not in sequence)


def longest_increasing(rows: Sequence[tuple[int, str]]) -> set[str]:
    """The keys of a longest subsequence whose numbers increase (patience sorting)."""
    tops: list[int] = []
    ends: list[str] = []
    previous: dict[str, str | None] = {}
    for number, key in rows:
        place = bisect_left(tops, number)
        previous[key] = ends[place - 1] if place else None
        tops[place : place + 1], ends[place : place + 1] = [number], [key]
    keys = set[str]()
    last = ends[-1] if ends else None
    while last is not None:
        keys.add(last)
        last = previous[last]
    return keys


def placed(present: Sequence[str], target: Sequence[str], moved: Iterable[str]) -> list[str]:
    """The ids in a collection, with the moved ones each behind its neighbor in the order of `target`.

    Other items keep their positions; a moved item that is missing is left out.
    """
    members, to_place = set(present), set(moved)
    followers: dict[str | None, list[str]] = {}
    neighbour: str | None = None
    for id in (id for id in target if id in members):
        if id in to_place:
            followers.setdefault(neighbour, []).append(id)
        else:
            neighbour = id
    order = followers.get(None, [])
    for id in (id for id in present if id not in to_place):
        order += [id, *followers.get(id, [])]
    return order


def new_positions(order: Iterable[str], positions: Mapping[str, int]) -> dict[str, int]:
    """The positions that must change so that the order is right: only those from the first fault on."""
    changed: dict[str, int] = {}
    last = -1
    for id in order:
        position = min(max(positions[id], last + 1), limits.MAX_INTEGER)
        if position != positions[id]:
            changed[id] = position
        last = position
    return changed

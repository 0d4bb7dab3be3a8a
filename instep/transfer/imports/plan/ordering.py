"""Orders articles in a collection as in the source, except those that someone moved here.

An order is not a text: inserting an article only changes positions, so the articles after it get no new
version, revision or event.
"""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence

from instep.platform.core import limits


def moved_keys(before: Sequence[str], after: Sequence[str]) -> tuple[str, ...]:
    """The keys that must move to change the order `before` to the order `after`.

    These are the new ones and the fewest others: all except the longest sequence that keeps its order.
    """
    numbers = {key: number for number, key in enumerate(before)}
    sequence = longest_increasing([(numbers[key], key) for key in after if key in numbers])
    return tuple(key for key in after if key not in sequence)


def longest_increasing(rows: Sequence[tuple[int, str]]) -> set[str]:
    """The keys of a longest increasing subsequence of numbers (patience sorting)."""
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
    """The ids in a collection, with each moved one after its predecessor in `target`.

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
    """The positions that must change to get this order: only those from the first difference on."""
    changed: dict[str, int] = {}
    last = -1
    for id in order:
        position = min(max(positions[id], last + 1), limits.MAX_INTEGER)
        if position != positions[id]:
            changed[id] = position
        last = position
    return changed

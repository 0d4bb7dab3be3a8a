"""Indexes patterns of addresses by an anchor, as for redirects, so that a link is compared with few."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from instep.content.redirects.path_patterns import anchor_of, anchors_of, is_match

Target = TypeVar("Target")


@dataclass(frozen=True, slots=True)
class NumberedPattern(Generic[Target]):
    """A pattern with its number and its value."""

    number: int
    pattern: str
    target: Target


@dataclass(slots=True)
class PatternIndex(Generic[Target]):
    """Patterns by anchor; if several match a path, the one added first counts."""

    by_anchor: dict[str, list[NumberedPattern[Target]]] = field(default_factory=dict)
    count: int = 0

    def __iter__(self) -> Iterator[str]:
        return (row.pattern for rows in self.by_anchor.values() for row in rows)

    def add(self, pattern: str, target: Target) -> None:
        row = NumberedPattern(self.count, pattern, target)
        self.by_anchor.setdefault(anchor_of(pattern), []).append(row)
        self.count += 1

    def first_match(self, path: str) -> Target | None:
        if not self.count:
            return None
        rows = (row for anchor in anchors_of(path) for row in self.by_anchor.get(anchor, ()))
        matches = (row for row in rows if is_match(row.pattern, path))
        first = min(matches, key=lambda row: row.number, default=None)
        return first.target if first is not None else None

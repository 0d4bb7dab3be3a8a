"""Paths that are in use, and the numbers in front of names, so that a new name comes last in its folder."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

NUMBER = re.compile(r"^(\d+)-")


@dataclass(slots=True)
class TakenPaths:
    """`highest` has the greatest number in front of a file or folder directly in a folder."""

    paths: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)
    highest: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, *groups: Iterable[str]) -> "TakenPaths":
        taken = cls()
        for path in (path for group in groups for path in group):
            taken.add(path)
        return taken

    def add(self, path: str) -> None:
        self.paths.add(path)
        self.count(path)

    def count(self, path: str) -> None:
        """Let new names come after those of a path that is free."""
        if path in self.counted:
            return
        self.counted.add(path)
        above, slash, name = path.rpartition("/")
        if match := NUMBER.match(name):
            folder = above + slash
            self.highest[folder] = max(self.highest.get(folder, 0), int(match[1]))
        if above:
            self.count(above)

    def next_name(self, folder: str, stem: str) -> str:
        """A name at the end of a folder, with the next number if the others have numbers."""
        number = self.highest.get(folder)
        return stem if number is None else f"{number + 1:02}-{stem}"

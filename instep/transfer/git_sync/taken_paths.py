"""Tracks paths in use and the numbers at the start of names, so that a new name is the last one."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

NUMBER = re.compile(r"^(\d+)-")


@dataclass(slots=True)
class TakenPaths:
    """Paths in use; `highest` is the greatest number at the start of a name, by folder."""

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
        """Count a path that becomes free, so that new names come after its number."""
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
        """A name for the end of a folder, with the next number if the others have numbers."""
        number = self.highest.get(folder)
        return stem if number is None else f"{number + 1:02}-{stem}"

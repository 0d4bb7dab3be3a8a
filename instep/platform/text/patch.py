"""A unified diff as data: files, hunks, lines with their numbers on both sides."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from instep.platform.core.errors import AppError


class InvalidDiff(AppError):
    """The diff can't be read: send the output of `git diff` or `diff -u` unchanged."""

    @classmethod
    def at(cls, line: int, problem: str) -> "InvalidDiff":
        return cls(f"Line {line} of the diff: {problem}")


class Line(NamedTuple):
    """One line of a hunk; `old` and `new` are its numbers, or those of the next line of a side without it."""

    mark: str
    text: str
    old: int
    new: int


@dataclass(frozen=True, slots=True)
class Hunk:
    section: str
    lines: tuple[Line, ...]

    def blocks(self) -> Iterator[tuple[list[Line], list[Line]]]:
        """Runs of removed lines with the added lines that follow them."""
        removed: list[Line] = []
        added: list[Line] = []
        for line in self.lines:
            if line.mark == " " or (line.mark == "-" and added):
                if removed or added:
                    yield removed, added
                removed, added = [], []
            if line.mark == "-":
                removed.append(line)
            elif line.mark == "+":
                added.append(line)
        if removed or added:
            yield removed, added


@dataclass(frozen=True, slots=True)
class FilePatch:
    status: Literal["added", "deleted", "renamed", "copied", "modified"]
    old_path: str
    new_path: str
    is_binary: bool
    hunks: tuple[Hunk, ...]

    @property
    def path(self) -> str:
        return self.old_path if self.status == "deleted" else self.new_path

    def lines(self) -> Iterator[Line]:
        for hunk in self.hunks:
            yield from hunk.lines


@dataclass(frozen=True, slots=True)
class Diff:
    files: tuple[FilePatch, ...]

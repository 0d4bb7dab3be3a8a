"""One file of a diff while it is read: its names, what happened to it, its hunks so far."""

import re
from dataclasses import dataclass, field
from typing import Literal

from instep.writer.diffs.patch import FilePatch, Hunk
from instep.writer.diffs.paths import DEV_NULL, unquote, without_prefix

_MOVED = re.compile(r"(rename|copy) (from|to) (.*)")
_BINARY = re.compile(r"Binary files .* differ$|GIT binary patch$|Cannot display: file marked as a binary")


@dataclass(slots=True)
class OpenFile:
    """A file while it is being read."""

    old: str = ""
    new: str = ""
    status: Literal["added", "deleted", "renamed", "copied", "modified"] = "modified"
    is_binary: bool = False
    is_git: bool = False
    named: bool = False
    hunks: list[Hunk] = field(default_factory=list)

    def finish(self) -> FilePatch:
        status = self.status
        if self.old == DEV_NULL or self.is_from_nothing("old"):
            status = "added"
        elif self.new == DEV_NULL or self.is_from_nothing("new"):
            status = "deleted"
        old = self.new if self.old == DEV_NULL else self.old
        new = old if self.new == DEV_NULL else self.new
        if self.is_git or (old[:2] == "a/" and new[:2] == "b/") or old[:2] == new[:2] in {"a/", "b/"}:
            old, new = without_prefix(old), without_prefix(new)
        return FilePatch(status, old, new, self.is_binary, tuple(self.hunks))

    def is_from_nothing(self, side: Literal["old", "new"]) -> bool:
        """Tools other than git name a missing file by a hunk that starts in line 0."""
        return (
            not self.is_git
            and len(self.hunks) == 1
            and all(getattr(line, side) == 0 for line in self.hunks[0].lines)
        )

    def read_header(self, line: str) -> None:
        """Take in one of git's extended header lines; other text says nothing."""
        moved = _MOVED.match(line)
        if moved:
            self._move(moved[1], moved[2], unquote(moved[3][1:-1]) if moved[3][:1] == '"' else moved[3])
        elif line.startswith("new file mode"):
            self.status = "added"
        elif line.startswith("deleted file mode"):
            self.status = "deleted"
        elif _BINARY.match(line):
            self.is_binary = True

    def _move(self, verb: str, side: str, path: str) -> None:
        self.status = "renamed" if verb == "rename" else "copied"
        if side == "from":
            self.old = f"a/{path}"
        else:
            self.new = f"b/{path}"

"""Reads unified diffs of any tool: strict in hunks, where a wrong count hides a cut; tolerant around them."""

import re
from dataclasses import dataclass, field
from typing import Literal

from instep.writer.patch import Diff, FilePatch, Hunk, InvalidDiff, Line
from instep.writer.paths import DEV_NULL, header_paths, named_path, unquote, without_prefix

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
_MOVED = re.compile(r"(rename|copy) (from|to) (.*)")
_BINARY = re.compile(r"Binary files .* differ$|GIT binary patch$|Cannot display: file marked as a binary")


def read_diff(text: str) -> Diff:
    """The files of a unified diff (git, GitLab, `diff -u`, svn, hg), in their order."""
    return _Reader(text).read()


@dataclass(slots=True)
class _Draft:
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


class _Reader:
    def __init__(self, text: str) -> None:
        # Only line feeds end a line: form feeds and Unicode separators occur inside source lines.
        self.lines = [line[:-1] if line.endswith("\r") else line for line in text.split("\n")]
        self.at = 0
        self.files: list[FilePatch] = []
        self.draft: _Draft | None = None
        self.after_hunk = False
        self.skipping = False

    def read(self) -> Diff:
        while self.at < len(self.lines):
            self.step(self.lines[self.at])
        self.close()
        if not self.files and any(line.strip() for line in self.lines):
            raise InvalidDiff.at(1, "this is no unified diff, no line names a file (`--- a/…`, `+++ b/…`).")
        return Diff(tuple(self.files))

    def close(self) -> None:
        if self.draft:
            self.files.append(self.draft.finish())
        self.draft, self.skipping, self.after_hunk = None, False, False

    def step(self, line: str) -> None:
        if line.startswith("diff "):
            self.start_file(line)
        elif self.skipping:
            self.at += 1
        elif line.startswith("--- ") and self.peek().startswith("+++ "):
            self.name_file(line, self.peek())
        elif line.startswith("@@"):
            self.read_hunk(line)
        elif self.after_hunk and line[:1] in {"+", "-", " "} and line.rstrip() != "--":
            raise InvalidDiff.at(
                self.at + 1, "the hunk before it is already complete, by the counts of its `@@` line."
            )
        else:
            self.read_header(line)

    def peek(self) -> str:
        return self.lines[self.at + 1] if self.at + 1 < len(self.lines) else ""

    def start_file(self, line: str) -> None:
        self.close()
        self.at += 1
        if line.startswith("diff --git "):
            old, new = header_paths(line[len("diff --git ") :])
            self.draft = _Draft(old, new, is_git=True)
        # A combined diff shows a merge against several parents: what it changed came in with them.
        self.skipping = line.startswith(("diff --cc ", "diff --combined "))
        if self.skipping:
            path = named_path(line.split(" ", 2)[2])
            self.files.append(FilePatch("modified", path, path, False, ()))

    def name_file(self, minus: str, plus: str) -> None:
        if self.draft is None or self.draft.named or self.draft.hunks:
            self.close()
            self.draft = _Draft()
        self.draft.old, self.draft.new = named_path(minus[4:]), named_path(plus[4:])
        if not self.draft.old or not self.draft.new:
            raise InvalidDiff.at(self.at + 1, "a file header without a name.")
        self.draft.named, self.after_hunk = True, False
        self.at += 2

    def read_header(self, line: str) -> None:
        """Lines between hunks: git's extended headers count, any other text is a commit message or mail."""
        if line.startswith(("+++ ", "--- ")) and self.draft and self.draft.is_git and not self.draft.named:
            raise InvalidDiff.at(self.at + 1, "a file header needs both a `---` and a `+++` line.")
        self.at += 1
        if not line.startswith("\\"):
            self.after_hunk = False
        if self.draft is None:
            return
        moved = _MOVED.match(line)
        if moved:
            self.move(moved[1], moved[2], unquote(moved[3][1:-1]) if moved[3][:1] == '"' else moved[3])
        elif line.startswith("new file mode"):
            self.draft.status = "added"
        elif line.startswith("deleted file mode"):
            self.draft.status = "deleted"
        elif _BINARY.match(line):
            self.draft.is_binary = True
            self.skipping = line.startswith("GIT")

    def move(self, verb: str, side: str, path: str) -> None:
        assert self.draft is not None
        self.draft.status = "renamed" if verb == "rename" else "copied"
        if side == "from":
            self.draft.old = f"a/{path}"
        else:
            self.draft.new = f"b/{path}"

    def read_hunk(self, header: str) -> None:
        if header.startswith("@@@"):
            self.skipping = True
            return
        ranges = _HUNK.match(header)
        if ranges is None:
            raise InvalidDiff.at(self.at + 1, "a hunk must begin like `@@ -1,2 +1,3 @@`.")
        if self.draft is None:
            raise InvalidDiff.at(self.at + 1, "a hunk before any file header (`--- a/…`, `+++ b/…`).")
        self.draft.hunks.append(self.hunk_lines(ranges))
        self.after_hunk = True

    def hunk_lines(self, ranges: re.Match[str]) -> Hunk:
        old, new = int(ranges[1]), int(ranges[3])
        old_left, new_left = int(ranges[2] or "1"), int(ranges[4] or "1")
        started, lines = self.at + 1, list[Line]()
        self.at += 1
        while old_left or new_left:
            line = self.lines[self.at] if self.at < len(self.lines) else None
            # Mailers and editors strip the lone blank of an empty context line.
            mark = line[:1] or " " if line is not None and (line or self.at + 1 < len(self.lines)) else ""
            if mark == "\\":
                self.at += 1
                continue
            old_left -= mark in {" ", "-"}
            new_left -= mark in {" ", "+"}
            if mark not in {" ", "+", "-"} or old_left < 0 or new_left < 0 or line is None:
                raise InvalidDiff.at(
                    self.at + 1, f"the hunk of line {started} has other counts than it says."
                )
            lines.append(Line(mark, line[1:], old, new))
            old += mark != "+"
            new += mark != "-"
            self.at += 1
        return Hunk(ranges[5], tuple(lines))

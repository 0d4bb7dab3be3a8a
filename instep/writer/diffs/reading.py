"""Reads unified diffs of any tool: strict in hunks, where a wrong count hides a cut; tolerant around them."""

import re

from instep.writer.diffs.filing import OpenFile
from instep.writer.diffs.patch import Diff, FilePatch, Hunk, InvalidDiff, Line
from instep.writer.diffs.paths import header_paths, named_path

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
_MARKS = frozenset((" ", "+", "-"))


def read_diff(text: str) -> Diff:
    """The files of a unified diff (git, GitLab, `diff -u`, svn, hg), in their order."""
    return _Reader(text).read()


class _Reader:
    def __init__(self, text: str) -> None:
        # Only line feeds end a line: form feeds and Unicode separators occur inside source lines.
        self.lines = [line[:-1] if line.endswith("\r") else line for line in text.split("\n")]
        self.at = 0
        self.files: list[FilePatch] = []
        self.open: OpenFile | None = None
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
        if self.open:
            self.files.append(self.open.finish())
        self.open, self.skipping, self.after_hunk = None, False, False

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
            self.open = OpenFile(old, new, is_git=True)
        # A combined diff shows a merge against several parents: what it changed came in with them.
        self.skipping = line.startswith(("diff --cc ", "diff --combined "))
        if self.skipping:
            path = named_path(line.split(" ", 2)[2])
            self.files.append(FilePatch("modified", path, path, False, ()))

    def name_file(self, minus: str, plus: str) -> None:
        if self.open is None or self.open.named or self.open.hunks:
            self.close()
            self.open = OpenFile()
        self.open.old, self.open.new = named_path(minus[4:]), named_path(plus[4:])
        if not self.open.old or not self.open.new:
            raise InvalidDiff.at(self.at + 1, "a file header without a name.")
        self.open.named, self.after_hunk = True, False
        self.at += 2

    def read_header(self, line: str) -> None:
        """Lines between hunks: git's extended headers count, any other text is a commit message or mail."""
        if line.startswith(("+++ ", "--- ")) and self.open and self.open.is_git and not self.open.named:
            raise InvalidDiff.at(self.at + 1, "a file header needs both a `---` and a `+++` line.")
        self.at += 1
        if not line.startswith("\\"):
            self.after_hunk = False
        if self.open is None:
            return
        self.open.read_header(line)
        self.skipping = line.startswith("GIT binary patch")

    def read_hunk(self, header: str) -> None:
        if header.startswith("@@@"):
            self.skipping = True
            return
        ranges = _HUNK.match(header)
        if ranges is None:
            raise InvalidDiff.at(self.at + 1, "a hunk must begin like `@@ -1,2 +1,3 @@`.")
        if self.open is None:
            raise InvalidDiff.at(self.at + 1, "a hunk before any file header (`--- a/…`, `+++ b/…`).")
        self.open.hunks.append(self.hunk_lines(ranges))
        self.after_hunk = True

    def hunk_lines(self, ranges: re.Match[str]) -> Hunk:
        old, new = int(ranges[1]), int(ranges[3])
        old_end, new_end = old + int(ranges[2] or "1"), new + int(ranges[4] or "1")
        started, at, lines = self.at + 1, self.at + 1, list[Line]()
        while old < old_end or new < new_end:
            text = self.lines[at] if at < len(self.lines) else ""
            # Mailers and editors strip the lone blank of an empty context line.
            mark = text[:1] or (" " if at + 1 < len(self.lines) else "")
            at += 1
            if mark == "\\":
                continue
            if mark not in _MARKS or (mark != "+" and old >= old_end) or (mark != "-" and new >= new_end):
                raise InvalidDiff.at(at, f"the hunk of line {started} has other counts than it says.")
            lines.append(Line(mark, text[1:], old, new))
            old += mark != "+"
            new += mark != "-"
        self.at = at
        return Hunk(ranges[5], tuple(lines))

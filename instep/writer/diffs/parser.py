"""Parses unified diffs of any tool: strict in hunks, where a wrong count hides a cut, tolerant elsewhere."""

import re
from dataclasses import dataclass, field
from typing import Literal

from instep.writer.diffs.patch import Diff, FilePatch, Hunk, InvalidDiff, Line

DEV_NULL = "/dev/null"
_ESCAPE = re.compile(rb'\\([0-7]{3}|[abfnrtv"\\])')
_PLAIN = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_DATE = re.compile(
    r"(?<!\s)\s++(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*|\((?:revision \d++|working copy|nonexistent)\))$"
)
# A name whose quotes do not end goes to the end of its line: no other one can begin within it.
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"|\\?\Z)')
_PREFIX = re.compile(r"^[abciow]/")
_MOVED = re.compile(r"(rename|copy) (from|to) (.*)")
_BINARY = re.compile(r"Binary files .* differ$|GIT binary patch$|Cannot display: file marked as a binary")
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
_MARKS = frozenset((" ", "+", "-"))


def named_path(text: str) -> str:
    """The path of a `---` or `+++` line, without quotes and time stamp, with its prefix."""
    quoted = _QUOTED.match(text)
    if quoted:
        return unquote(quoted[1])
    return _DATE.sub("", text.split("\t", 1)[0]).rstrip()


def unquote(text: str) -> str:
    """Undo git's C-style quoting, whose octal escapes are bytes of UTF-8."""
    return _ESCAPE.sub(_unescape, text.encode("utf-8", "replace")).decode("utf-8", "replace")


def _unescape(found: re.Match[bytes]) -> bytes:
    code = found[1]
    return bytes([int(code, 8) & 255]) if code[0:1].isdigit() else _PLAIN.get(code, code)


def header_paths(text: str) -> tuple[str, str]:
    """Both paths of `diff --git A B`; names with blanks are told apart by both halves being equal."""
    quoted = _QUOTED.findall(text)
    if len(quoted) == 2:
        return unquote(quoted[0]), unquote(quoted[1])
    if len(quoted) == 1:
        plain = _QUOTED.sub("", text).strip()
        pair = (unquote(quoted[0]), plain)
        return pair if text.startswith('"') else pair[::-1]
    middle = len(text) // 2
    left, right = text[:middle], text[middle + 1 :]
    if text[middle : middle + 1] == " " and without_prefix(left) == without_prefix(right):
        return left, right
    left, _, right = text.partition(" b/") if " b/" in text else text.partition(" ")
    return left, f"b/{right}" if " b/" in text else right


def without_prefix(path: str) -> str:
    return path if path == DEV_NULL else _PREFIX.sub("", path)


@dataclass(slots=True)
class _FileBuilder:
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


def parse_diff(text: str) -> Diff:
    """The files of a unified diff (git, GitLab, `diff -u`, svn, hg), in their order."""
    return _DiffParser(text).read()


class _DiffParser:
    def __init__(self, text: str) -> None:
        # Only line feeds end a line: form feeds and Unicode separators occur inside source lines.
        self.lines = [line[:-1] if line.endswith("\r") else line for line in text.split("\n")]
        self.at = 0
        self.files: list[FilePatch] = []
        self.open: _FileBuilder | None = None
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
            self.open = _FileBuilder(old, new, is_git=True)
        # A combined diff shows a merge against several parents: what it changed came in with them.
        self.skipping = line.startswith(("diff --cc ", "diff --combined "))
        if self.skipping:
            path = named_path(line.split(" ", 2)[2])
            self.files.append(FilePatch("modified", path, path, False, ()))

    def name_file(self, minus: str, plus: str) -> None:
        if self.open is None or self.open.named or self.open.hunks:
            self.close()
            self.open = _FileBuilder()
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

"""Parses unified diffs of any tool: strict in hunks, where a wrong count hides a cut, lenient elsewhere."""

import re
from dataclasses import dataclass, field
from typing import Literal

from instep.platform.text.characters import replace_unprintable
from instep.platform.text.patch import Diff, FilePatch, Hunk, InvalidDiff, Line

_DEV_NULL = "/dev/null"
_ESCAPE = re.compile(rb'\\([0-7]{3}|[abfnrtv"\\])')
_PLAIN = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_DATE = re.compile(
    r"(?<!\s)\s++(?:\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*|\((?:revision \d++|working copy|nonexistent)\))$"
)
# A name without a closing quote extends to the end of its line: no other name can begin within it.
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*+)(?:"|\\?\Z)')
_PREFIX = re.compile(r"^[abciow]/")
_MOVED = re.compile(r"(rename|copy) (from|to) (.*)")
_BINARY = re.compile(r"Binary files .* differ$|GIT binary patch$|Cannot display: file marked as a binary")
_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@ ?(.*)")
_MARKS = frozenset((" ", "+", "-"))


def _named_path(text: str) -> str:
    """The path of a `---` or `+++` line, without quotes and time stamp, with its prefix."""
    quoted = _QUOTED.match(text)
    if quoted:
        return _unquote(quoted[1])
    return _DATE.sub("", text.split("\t", 1)[0]).rstrip()


def _unquote(text: str) -> str:
    """Undoes git's C-style quoting, whose octal escapes are bytes of UTF-8."""
    return _ESCAPE.sub(_unescape, text.encode("utf-8", "replace")).decode("utf-8", "replace")


def _unescape(match: re.Match[bytes]) -> bytes:
    code = match[1]
    return bytes([int(code, 8) & 255]) if code[0:1].isdigit() else _PLAIN.get(code, code)


def _header_paths(text: str) -> tuple[str, str]:
    """Both paths of `diff --git A B`; unquoted names with spaces are split into two equal halves."""
    quoted = _QUOTED.findall(text)
    if len(quoted) == 2:
        return _unquote(quoted[0]), _unquote(quoted[1])
    if len(quoted) == 1:
        plain = _QUOTED.sub("", text).strip()
        pair = (_unquote(quoted[0]), plain)
        return pair if text.startswith('"') else pair[::-1]
    middle = len(text) // 2
    left, right = text[:middle], text[middle + 1 :]
    if text[middle : middle + 1] == " " and _without_prefix(left) == _without_prefix(right):
        return left, right
    left, _, right = text.partition(" b/") if " b/" in text else text.partition(" ")
    return left, f"b/{right}" if " b/" in text else right


def _without_prefix(path: str) -> str:
    return path if path == _DEV_NULL else _PREFIX.sub("", path)


def _visible(path: str) -> str:
    """The path with U+FFFD for hidden characters, which could make a reader take one file for another."""
    return replace_unprintable(path, allowed="\t\n")


@dataclass(slots=True)
class _FileBuilder:
    """A file of a diff while it is parsed: its names, its status and its hunks so far."""

    old: str = ""
    new: str = ""
    status: Literal["added", "deleted", "renamed", "copied", "modified"] = "modified"
    is_binary: bool = False
    is_git: bool = False
    has_names: bool = False
    hunks: list[Hunk] = field(default_factory=list)

    def finish(self) -> FilePatch:
        status = self.status
        if self.old == _DEV_NULL or self.is_from_nothing("old"):
            status = "added"
        elif self.new == _DEV_NULL or self.is_from_nothing("new"):
            status = "deleted"
        old = self.new if self.old == _DEV_NULL else self.old
        new = old if self.new == _DEV_NULL else self.new
        if self.is_git or (old[:2] == "a/" and new[:2] == "b/") or old[:2] == new[:2] in {"a/", "b/"}:
            old, new = _without_prefix(old), _without_prefix(new)
        return FilePatch(status, _visible(old), _visible(new), self.is_binary, tuple(self.hunks))

    def is_from_nothing(self, side: Literal["old", "new"]) -> bool:
        """True if a side has no file: tools other than git show this with a hunk that starts in line 0."""
        return (
            not self.is_git
            and len(self.hunks) == 1
            and all(getattr(line, side) == 0 for line in self.hunks[0].lines)
        )

    def read_header(self, line: str) -> None:
        """Applies one of git's extended header lines; other text is ignored."""
        move = _MOVED.match(line)
        if move:
            self._move(move[1], move[2], _unquote(move[3][1:-1]) if move[3][:1] == '"' else move[3])
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
        self.index = 0
        self.files: list[FilePatch] = []
        self.open: _FileBuilder | None = None
        self.after_hunk = False
        self.skipping = False

    def read(self) -> Diff:
        while self.index < len(self.lines):
            self.step(self.lines[self.index])
        self.close()
        if not self.files and any(line.strip() for line in self.lines):
            raise InvalidDiff.at(
                1, "this is not a unified diff: no line names a file (`--- a/…`, `+++ b/…`)."
            )
        return Diff(tuple(self.files))

    def close(self) -> None:
        if self.open:
            self.files.append(self.open.finish())
        self.open, self.skipping, self.after_hunk = None, False, False

    def step(self, line: str) -> None:
        if line.startswith("diff "):
            self.start_file(line)
        elif self.skipping:
            self.index += 1
        elif line.startswith("--- ") and self.peek().startswith("+++ "):
            self.name_file(line, self.peek())
        elif line.startswith("@@"):
            self.read_hunk(line)
        elif self.after_hunk and line[:1] in {"+", "-", " "} and line.rstrip() != "--":
            raise InvalidDiff.at(
                self.index + 1, "the hunk before it is already complete, by the counts of its `@@` line."
            )
        else:
            self.read_header(line)

    def peek(self) -> str:
        return self.lines[self.index + 1] if self.index + 1 < len(self.lines) else ""

    def start_file(self, line: str) -> None:
        self.close()
        self.index += 1
        if line.startswith("diff --git "):
            old, new = _header_paths(line[len("diff --git ") :])
            self.open = _FileBuilder(old, new, is_git=True)
        # A combined diff shows a merge of several parents, whose changes were in their own commits.
        self.skipping = line.startswith(("diff --cc ", "diff --combined "))
        if self.skipping:
            path = _visible(_named_path(line.split(" ", 2)[2]))
            self.files.append(FilePatch("modified", path, path, False, ()))

    def name_file(self, minus: str, plus: str) -> None:
        if self.open is None or self.open.has_names or self.open.hunks:
            self.close()
            self.open = _FileBuilder()
        self.open.old, self.open.new = _named_path(minus[4:]), _named_path(plus[4:])
        if not self.open.old or not self.open.new:
            raise InvalidDiff.at(self.index + 1, "a file header without a name.")
        self.open.has_names, self.after_hunk = True, False
        self.index += 2

    def read_header(self, line: str) -> None:
        """Reads a line between hunks: an extended header of git, or text of a commit message or mail."""
        if line.startswith(("+++ ", "--- ")) and self.open and self.open.is_git and not self.open.has_names:
            raise InvalidDiff.at(self.index + 1, "a file header needs both a `---` and a `+++` line.")
        self.index += 1
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
            raise InvalidDiff.at(self.index + 1, "a hunk must begin like `@@ -1,2 +1,3 @@`.")
        if self.open is None:
            raise InvalidDiff.at(self.index + 1, "a hunk before any file header (`--- a/…`, `+++ b/…`).")
        self.open.hunks.append(self.hunk_lines(ranges))
        self.after_hunk = True

    def hunk_lines(self, ranges: re.Match[str]) -> Hunk:
        old, new = int(ranges[1]), int(ranges[3])
        old_end, new_end = old + int(ranges[2] or "1"), new + int(ranges[4] or "1")
        header_line, index, lines = self.index + 1, self.index + 1, list[Line]()
        while old < old_end or new < new_end:
            text = self.lines[index] if index < len(self.lines) else ""
            # Mailers and editors strip the single space of an empty context line.
            mark = text[:1] or (" " if index + 1 < len(self.lines) else "")
            index += 1
            if mark == "\\":
                continue
            if mark not in _MARKS or (mark != "+" and old >= old_end) or (mark != "-" and new >= new_end):
                raise InvalidDiff.at(
                    index,
                    f"the hunk at line {header_line} does not have the number of lines its header states.",
                )
            lines.append(Line(mark, text[1:], old, new))
            old += mark != "+"
            new += mark != "-"
        self.index = index
        return Hunk(ranges[5], tuple(lines))

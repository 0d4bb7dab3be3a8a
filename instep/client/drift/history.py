"""The history of a commit: which earlier commits took names and values out of the code, and where."""

import re
import time
from collections import Counter
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import IO

from instep.client.ci.git import Git, GitFailed
from instep.client.drift.code_lines import is_code
from instep.client.drift.names import NameFinder
from instep.client.drift.path_history import PathHistory
from instep.platform.core import limits
from instep.platform.text.file_kinds import LONG_LINE

_LOG = (
    *("log", "--stdin", "--no-walk=unsorted", "--no-color", "--no-notes", "--no-ext-diff", "--no-textconv"),
    *("--encoding=UTF-8", "-p", "--raw", "-U3", "--find-renames", "--format=%x00%H%x00%cs%x00%s"),
)
# Git would fetch what a partial clone lacks, file by file.
_WITHOUT_FETCHING = {"GIT_NO_LAZY_FETCH": "1"}
# In a partial clone git ends at nearly each commit: then the rest of the history is left out.
_MAX_FAILURES = 100
# A literal in a line of code, which a change may replace: `30`, `"info"`, `true`.
_LITERAL = re.compile(
    r"""(["'`])(?:(?!\1).)*\1|(?<![\w.])\d[\w.]*|\b(?:[Tt]rue|[Ff]alse|[Nn]one|null|nil)\b"""
)
_VALUE = re.compile(r"\w[\w.-]*")
_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)")
# A hunk that is longer is cut to what surrounds its names.
_MAX_HUNK_LINES, _SURROUNDING_LINES = 200, 15
# A commit that renames a name everywhere proves it with these already.
_MAX_HUNKS_PER_NAME = 20
_MAX_COMPARED_LINES = 2_000


@dataclass(frozen=True, slots=True)
class PastHunk:
    """A hunk of a file's diff; `first_old` and `first_new` number its first line on both sides."""

    head: tuple[str, str]
    first_old: int
    first_new: int
    section: str
    lines: Sequence[str]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class PastCommit:
    """A commit with its hunks that remove names; the date is YYYY-MM-DD."""

    commit: str
    title: str
    date: str
    hunks: Sequence[PastHunk]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name for hunk in self.hunks for name in hunk.names)

    @property
    def diff(self) -> str:
        return "".join(diff_of(hunk) for hunk in self.hunks)


class History:
    """The commits of `revisions`, newest first; `paths` and `unread` are complete after `read`.

    `unread` counts the commits that git can't print, as far as it says, because the checkout lacks files.
    """

    def __init__(self, git: Git, revisions: str) -> None:
        self._git = replace(git, variables=git.variables | _WITHOUT_FETCHING)
        self._rest = git.read("rev-list", "--no-merges", revisions).decode().split()
        self.paths, self.unread = PathHistory(), 0

    def read(self, finder: NameFinder, values: Container[str]) -> Iterator[PastCommit]:
        """The commits that took out one of the names, or replaced one of the values in a line.

        Of each name only the newest few count.
        """
        reader = _LogReader(finder, values, self.paths)
        end = time.monotonic() + limits.DRIFT_HISTORY_SECONDS
        failures = 0
        while self._rest and failures < _MAX_FAILURES and time.monotonic() < end:
            stdin = "".join(f"{commit}\n" for commit in self._rest).encode()
            reader.commit = None
            try:
                with self._git.reading(*_LOG, stdin=stdin, seconds=end - time.monotonic()) as stream:
                    yield from reader.read(stream)
                self._rest = []
            except GitFailed:
                failures += 1
                self._leave_out(reader.commit)
        self.unread += len(self._rest)

    def _leave_out(self, last: tuple[str, str, str] | None) -> None:
        """Go on after the last commit that git has begun to print, or without the first one."""
        self.unread += 1
        self._rest = self._rest[self._rest.index(last[0]) + 1 if last else 1 :]


def diff_of(hunk: PastHunk) -> str:
    old = sum(line[:1] != "+" for line in hunk.lines)
    new = sum(line[:1] != "-" for line in hunk.lines)
    span = f"@@ -{hunk.first_old},{old} +{hunk.first_new},{new} @@{hunk.section}"
    return "\n".join([f"--- {hunk.head[0]}", f"+++ {hunk.head[1]}", span, *hunk.lines, ""])


@dataclass(slots=True)
class _OpenHunk:
    match: re.Match[str]
    lines: list[str] = field(default_factory=list)
    marked_lines: list[int] = field(default_factory=list)
    names: set[str] = field(default_factory=set)


class _LogReader:
    """Reads the output of `git log -p` line by line, and keeps no more of it than one commit's hunks."""

    def __init__(self, finder: NameFinder, values: Container[str], paths: PathHistory) -> None:
        self.finder, self.values, self.paths, self.counts = finder, values, paths, Counter[str]()
        self.commit: tuple[str, str, str] | None = None
        self.head = ["", ""]
        self.is_read = False
        self.hunk: _OpenHunk | None = None
        self.hunks: list[PastHunk] = []
        self.hunk_counts = Counter[str]()

    def read(self, stream: IO[bytes]) -> Iterator[PastCommit]:
        for raw in stream:
            mark = raw[:1]
            if self.hunk is not None and mark in (b" ", b"-", b"+", b"\\"):
                if self.is_read and mark != b"\\":
                    self.take(raw)
            elif mark == b"\0":
                yield from self.end_commit()
                self.begin_commit(raw)
            else:
                self.read_head(raw)
        yield from self.end_commit()

    def take(self, raw: bytes) -> None:
        assert self.hunk is not None
        line = raw.decode("utf-8", "replace").rstrip("\r\n")[: LONG_LINE + 1]
        if line[:1] == "-" and len(line) <= LONG_LINE:
            newest = limits.MAX_DRIFT_COMMITS_PER_NAME
            names = [name for name in self.finder.find(line[1:]) if self.counts[name] < newest]
            if names:
                self.hunk.names.update(names)
                self.hunk.marked_lines.append(len(self.hunk.lines))
        self.hunk.lines.append(line)

    def begin_commit(self, raw: bytes) -> None:
        commit, date, title = raw[1:].decode("utf-8", "replace").rstrip("\n").split("\0", 2)
        self.commit = (commit, title, date)
        self.paths.begin_commit(self.commit)

    def read_head(self, raw: bytes) -> None:
        line = raw.decode("utf-8", "replace").rstrip("\r\n")
        if line.startswith("@@ "):
            self.end_hunk()
            match = _HUNK.match(line)
            self.hunk = _OpenHunk(match) if match else None
            return
        self.end_hunk()
        self.hunk = None
        if line.startswith(":"):
            self.paths.take(line)
        elif line.startswith("--- "):
            self.head[0] = line[4:]
        elif line.startswith("+++ "):
            self.head[1] = line[4:]
            self.is_read = any(is_code(path[2:]) for path in self.head if path != "/dev/null")

    def end_hunk(self) -> None:
        hunk, self.hunk = self.hunk, None
        if hunk is None:
            return
        value_lines = dict(_value_lines(hunk.lines, self.values))
        texts = hunk.names.union(*value_lines.values())
        if any(self.hunk_counts[text] < _MAX_HUNKS_PER_NAME for text in texts):
            self.hunk_counts.update(texts)
            head, match = (self.head[0], self.head[1]), hunk.match
            whole = PastHunk(head, int(match[1]), int(match[2]), match[3], hunk.lines, frozenset(hunk.names))
            marked_lines = sorted({*hunk.marked_lines, *value_lines})
            is_long = len(hunk.lines) > _MAX_HUNK_LINES
            self.hunks += parts_around(whole, marked_lines, _SURROUNDING_LINES) if is_long else [whole]

    def end_commit(self) -> Iterator[PastCommit]:
        self.end_hunk()
        if self.commit and self.hunks:
            commit = PastCommit(*self.commit, self.hunks)
            self.counts.update(commit.names)
            yield commit
        self.hunks, self.hunk_counts = [], Counter()


def _value_lines(lines: Sequence[str], values: Container[str]) -> Iterator[tuple[int, list[str]]]:
    """The removed lines that an added one repeats but for literals which are among the values, and these."""
    is_small = len(lines) <= _MAX_COMPARED_LINES
    added = {_masked(line[1:]): line for line in lines if line[:1] == "+"} if is_small else {}
    for index, line in enumerate(lines if added else ()):
        # The comments of translation catalogues name lines of code, which move all the time.
        is_compared = line[:1] == "-" and not line.startswith("-#:")
        successor = added.get(_masked(line[1:])) if is_compared else None
        replaced = _values_of(line) - _values_of(successor) if successor else ()
        if stated := [value for value in replaced if value in values]:
            yield index, stated


def _masked(line: str) -> str:
    return _LITERAL.sub("0", line).strip(" \t,;")


def _values_of(line: str) -> set[str]:
    return {value for match in _LITERAL.finditer(line) for value in _VALUE.findall(match[0])}


def parts_around(hunk: PastHunk, marked_lines: Sequence[int], around: int) -> Iterator[PastHunk]:
    """The lines of a hunk that are at most `around` lines from a marked one, each run as a hunk."""
    old, new, done = hunk.first_old, hunk.first_new, 0
    for first, last in _spans(len(hunk.lines), marked_lines, around):
        skipped, part = hunk.lines[done:first], hunk.lines[first:last]
        old += sum(line[:1] != "+" for line in skipped)
        new += sum(line[:1] != "-" for line in skipped)
        yield replace(hunk, first_old=old, first_new=new, lines=part)
        old += sum(line[:1] != "+" for line in part)
        new += sum(line[:1] != "-" for line in part)
        done = last


def _spans(count: int, marked_lines: Sequence[int], around: int) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for at in marked_lines:
        first, last = max(0, at - around), min(count, at + around + 1)
        if spans and first <= spans[-1][1]:
            spans[-1] = (spans[-1][0], last)
        else:
            spans.append((first, last))
    return spans

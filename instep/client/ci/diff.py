"""The diff of two commits, without generated, vendored, lock and binary files, which no article describes."""

import heapq
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import IO

from instep.client.ci.git import Git
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.text.file_kinds import LEFT_OUT, WEIGHTS, Kind, kind_of
from instep.platform.text.patch import FilePatch
from instep.platform.text.patch_parser import parse_diff

# A plumbing command, which ignores users' settings of `git diff`; `git.SETTINGS` fixes those that it reads.
DIFF_TREE = ("diff-tree", "-r", "--find-renames", "-l1000", "--no-ext-diff", "--no-textconv", "--no-color")
PATCH = ("--patch", "--unified=3", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short")
ATTRIBUTES: dict[str, Kind] = {"linguist-generated": "generated", "linguist-vendored": "vendored"}
KIND_NAMES: dict[Kind, str] = {"locked": "lock file"}
FILE_HEADER = b"diff --git "
MAX_READ_BYTES = 64 * 1024
# The request also has a title, a URL and a description.
MAX_DIFF_BYTES = limits.MAX_TASK_BODY_BYTES - 1024 * 1024


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A changed file that is not sent, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class FileDiff:
    """One file's part of the diff; `size` is its length in the request in bytes."""

    file: str
    number: int
    text: str
    kind: Kind
    size: int


@dataclass(slots=True)
class Selection:
    """The files to send; beyond a task's limits the largest file of the lowest weight is dropped first."""

    heap: list[tuple[float, int, int, FileDiff]] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    characters: int = 0
    size: int = 0

    def keep(self, part: FileDiff) -> None:
        heapq.heappush(self.heap, (WEIGHTS[part.kind], -part.size, part.number, part))
        self.count(part, 1)
        while self.characters > limits.MAX_DIFF_CHARACTERS or self.size > MAX_DIFF_BYTES:
            dropped = heapq.heappop(self.heap)[-1]
            self.count(dropped, -1)
            self.leave_out(dropped.file, "too large")

    def count(self, part: FileDiff, sign: int) -> None:
        self.characters += sign * len(part.text)
        self.size += sign * part.size

    def leave_out(self, file: str, reason: str) -> None:
        self.left_out.append(LeftOut(file, reason))

    @property
    def files(self) -> int:
        return len(self.heap)

    @property
    def kinds(self) -> set[Kind]:
        """The kinds of the selected files."""
        return {entry[-1].kind for entry in self.heap}

    @property
    def diff(self) -> str:
        """The diff of the selected files, in git's order."""
        return "".join(entry[-1].text for entry in sorted(self.heap, key=lambda entry: entry[2]))


def select(git: Git, base: str, head: str, paths: Sequence[str] = ()) -> Selection:
    """The diff from one commit to another, and the files that are left out.

    `paths` are git pathspecs from the root of the checkout; only matching files count.
    """
    marks = marked_files(git, base, head, paths)
    selection = Selection()
    with git.reading(*DIFF_TREE, *PATCH, base, head, "--", *paths) as stream:
        for number, (raw, is_whole) in enumerate(read_file_diffs(stream)):
            choose(selection, number, raw.decode("utf-8", "replace").replace("\0", "\ufffd"), is_whole, marks)
    return selection


def marked_files(git: Git, base: str, head: str, paths: Sequence[str]) -> dict[str, Kind]:
    """The files that `.gitattributes` marks as generated or vendored."""
    names = git.read(*DIFF_TREE, "--name-only", "-z", base, head, "--", *paths)
    output = (
        git.read("check-attr", "-z", "--stdin", *ATTRIBUTES, stdin=names)
        .decode("utf-8", "replace")
        .split("\0")
    )
    rows = zip(output[0::3], output[1::3], output[2::3], strict=False)
    return {path: ATTRIBUTES[name] for path, name, value in rows if value in ("set", "true")}


def read_file_diffs(stream: IO[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each file's part of the diff and whether it is complete; a part that is too large for a task is cut."""
    part, is_whole, at_start = bytearray(), True, True
    for line in iter(partial(stream.readline, MAX_READ_BYTES), b""):
        if at_start and line.startswith(FILE_HEADER) and part:
            yield bytes(part), is_whole
            part, is_whole = bytearray(), True
        is_whole = is_whole and len(part) + len(line) <= MAX_DIFF_BYTES
        if is_whole:
            part += line
        at_start = line.endswith(b"\n")
    if part:
        yield bytes(part), is_whole


def choose(selection: Selection, number: int, text: str, is_whole: bool, marks: dict[str, Kind]) -> None:
    file = read_patch(text, is_whole)
    if file is None:
        selection.leave_out(header_of(text), "can't be read")
        return
    kind = marks.get(file.path) or kind_of(file)
    if kind in LEFT_OUT:
        selection.leave_out(file.path, KIND_NAMES.get(kind, kind))
    elif is_whole:
        size = len(json.dumps(text, ensure_ascii=False).encode())
        selection.keep(FileDiff(file.path, number, text, kind, size))
    else:
        selection.leave_out(file.path, "too large")


def read_patch(text: str, is_whole: bool) -> FilePatch | None:
    try:
        return parse_diff(text if is_whole else text.split("\n@@", 1)[0]).files[0]
    except (AppError, IndexError):
        return None


def header_of(text: str) -> str:
    return text.partition("\n")[0].removeprefix(FILE_HEADER.decode())

"""The diff of two commits without what says nothing to a reader: generated, vendored, locked, binary."""

import heapq
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import IO

from instep.ci.git import Git
from instep.core import limits
from instep.core.errors import AppError
from instep.writer.diffs.files import LEFT_OUT, WEIGHTS, Kind, kind_of
from instep.writer.diffs.parser import parse_diff
from instep.writer.diffs.patch import FilePatch

# Plumbing, which nobody's settings of `git diff` reach; what it reads of them is fixed in `git.SETTINGS`.
FORM = ("diff-tree", "-r", "--find-renames", "-l1000", "--no-ext-diff", "--no-textconv", "--no-color")
PATCH = ("--patch", "--unified=3", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short")
MARKS: dict[str, Kind] = {"linguist-generated": "generated", "linguist-vendored": "vendored"}
WORDS: dict[Kind, str] = {"locked": "lock file"}
FILE = b"diff --git "
PIECE_BYTES = 64 * 1024
# Title, address and description stand beside the diff in a task.
DIFF_BYTES = limits.MAX_TASK_BODY_BYTES - 1024 * 1024


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A changed file that is not sent, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class Kept:
    """One file's part of the diff; `size` is what it takes in a request."""

    file: str
    number: int
    text: str
    weight: float
    size: int


@dataclass(slots=True)
class Selection:
    """What is sent, within what a task takes: when it is too much, the largest of the least weight goes."""

    heap: list[tuple[float, int, int, Kept]] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    characters: int = 0
    size: int = 0

    def keep(self, kept: Kept) -> None:
        heapq.heappush(self.heap, (kept.weight, -kept.size, kept.number, kept))
        self.count(kept, 1)
        while self.characters > limits.MAX_DIFF_CHARACTERS or self.size > DIFF_BYTES:
            least = heapq.heappop(self.heap)[-1]
            self.count(least, -1)
            self.leave_out(least.file, "too large")

    def count(self, kept: Kept, sign: int) -> None:
        self.characters += sign * len(kept.text)
        self.size += sign * kept.size

    def leave_out(self, file: str, reason: str) -> None:
        self.left_out.append(LeftOut(file, reason))

    @property
    def files(self) -> int:
        return len(self.heap)

    @property
    def diff(self) -> str:
        """In git's order of the files."""
        return "".join(entry[-1].text for entry in sorted(self.heap, key=lambda entry: entry[2]))


def select(git: Git, base: str, head: str, paths: Sequence[str] = ()) -> Selection:
    """The diff from one commit to another, and what of it is left out.

    With `paths`, git's pathspecs from the root of the checkout, only of the files that they match.
    """
    marks = marked_files(git, base, head, paths)
    chosen = Selection()
    with git.reading(*FORM, *PATCH, base, head, "--", *paths) as stream:
        for number, (raw, is_whole) in enumerate(read_files(stream)):
            choose(chosen, number, raw.decode("utf-8", "replace").replace("\0", "\ufffd"), is_whole, marks)
    return chosen


def marked_files(git: Git, base: str, head: str, paths: Sequence[str]) -> dict[str, Kind]:
    """The files that `.gitattributes` marks as generated or vendored."""
    names = git.read(*FORM, "--name-only", "-z", base, head, "--", *paths)
    told = git.read("check-attr", "-z", "--stdin", *MARKS, given=names).decode("utf-8", "replace").split("\0")
    rows = zip(told[0::3], told[1::3], told[2::3], strict=False)
    return {path: MARKS[name] for path, name, value in rows if value in ("set", "true")}


def read_files(stream: IO[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Each file's part; of one that is too large for a task only the beginning, and that it is not whole."""
    part, is_whole, at_start = bytearray(), True, True
    for piece in iter(partial(stream.readline, PIECE_BYTES), b""):
        if at_start and piece.startswith(FILE) and part:
            yield bytes(part), is_whole
            part, is_whole = bytearray(), True
        is_whole = is_whole and len(part) + len(piece) <= DIFF_BYTES
        if is_whole:
            part += piece
        at_start = piece.endswith(b"\n")
    if part:
        yield bytes(part), is_whole


def choose(chosen: Selection, number: int, text: str, is_whole: bool, marks: dict[str, Kind]) -> None:
    file = read_file(text, is_whole)
    if file is None:
        chosen.leave_out(header_of(text), "can't be read")
        return
    kind = marks.get(file.path) or kind_of(file)
    if kind in LEFT_OUT:
        chosen.leave_out(file.path, WORDS.get(kind, kind))
    elif is_whole:
        size = len(json.dumps(text, ensure_ascii=False).encode())
        chosen.keep(Kept(file.path, number, text, WEIGHTS[kind], size))
    else:
        chosen.leave_out(file.path, "too large")


def read_file(text: str, is_whole: bool) -> FilePatch | None:
    try:
        return parse_diff(text if is_whole else text.split("\n@@", 1)[0]).files[0]
    except (AppError, IndexError):
        return None


def header_of(text: str) -> str:
    return text.partition("\n")[0].removeprefix(FILE.decode())

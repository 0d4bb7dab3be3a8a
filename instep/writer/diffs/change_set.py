"""Which files of a diff are read, which are left out and why."""

from collections import Counter
from dataclasses import dataclass

from instep.writer.diffs.files import LEFT_OUT, WEIGHTS, Kind, kind_of
from instep.writer.diffs.patch import Diff, FilePatch

MAX_LINES = 20_000
_WORDS: dict[Kind, str] = {
    "locked": "lock",
    "generated": "generated or minified",
    "vendored": "vendored",
    "binary": "binary",
}


@dataclass(frozen=True, slots=True)
class ReviewedFile:
    """A file that is read, and how much it says about what users see."""

    patch: FilePatch
    kind: Kind
    weight: float


@dataclass(frozen=True, slots=True)
class ChangeSet:
    files: tuple[ReviewedFile, ...]
    left_out: tuple[tuple[str, Kind], ...]
    unread: int


def reviewed_files(diff: Diff) -> ChangeSet:
    """User-facing files first, up to a bound that keeps one change from taking minutes."""
    kinds = [(file, kind_of(file)) for file in diff.files]
    files = [ReviewedFile(file, kind, WEIGHTS[kind]) for file, kind in kinds if kind not in LEFT_OUT]
    left_out = tuple((file.path, kind) for file, kind in kinds if kind in LEFT_OUT)
    files.sort(key=lambda file: -file.weight)
    read, lines = list[ReviewedFile](), 0
    for file in files:
        size = sum(len(hunk.lines) for hunk in file.patch.hunks)
        if lines + size <= MAX_LINES:
            read.append(file)
            lines += size
    return ChangeSet(tuple(read), left_out, len(files) - len(read))


def summary_of_skipped(change_set: ChangeSet) -> list[str]:
    """What a reviewer should know about files that were not read."""
    said = []
    kinds = Counter(_WORDS[kind] for _, kind in change_set.left_out)
    if kinds:
        listed = ", ".join(f"{count} {word}" for word, count in sorted(kinds.items()))
        said.append(f"Left out {listed} {'file' if len(change_set.left_out) == 1 else 'files'}.")
    if change_set.unread:
        said.append(f"The change is very large: {change_set.unread} of its files were not read.")
    return said

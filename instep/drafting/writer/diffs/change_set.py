"""Chooses the files of a diff to review, and says why others are skipped."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace

from instep.drafting.writer.diffs.documentation import is_documentation
from instep.platform.text.file_kinds import WEIGHTS, Kind, is_foreign, kind_of
from instep.platform.text.patch import Diff, FilePatch

MAX_LINES = 20_000
_KIND_WORDS: dict[Kind, str] = {
    "locked": "lock",
    "generated": "generated or minified",
    "vendored": "vendored",
    "binary": "binary",
    "translated": "translated",
}


@dataclass(frozen=True, slots=True)
class ReviewedFile:
    """A reviewed file; `weight` says how much it concerns users (0.3 to 1.5)."""

    patch: FilePatch
    kind: Kind
    weight: float

    @property
    def is_documentation(self) -> bool:
        return is_documentation(self.patch.path)


@dataclass(frozen=True, slots=True)
class ChangeSet:
    """The reviewed files, the skipped ones with their kinds, and how many were skipped for their size."""

    files: tuple[ReviewedFile, ...]
    skipped: tuple[tuple[str, Kind], ...]
    skipped_for_size: int

    @property
    def code(self) -> "ChangeSet":
        """The change without its documentation, which describes the product instead of defining it."""
        return replace(self, files=tuple(file for file in self.files if not file.is_documentation))

    @property
    def documentation(self) -> tuple[ReviewedFile, ...]:
        return tuple(file for file in self.files if file.is_documentation)


def reviewed_files(diff: Diff, locales: Collection[str] = ()) -> ChangeSet:
    """The files to review, user-facing ones first, up to a bound so that one change can't take minutes.

    With the `locales` of the articles, translations into other languages are skipped: no article quotes them.
    """
    kinds = [(file, _kind_of(file, locales)) for file in diff.files]
    files = [ReviewedFile(file, kind, WEIGHTS[kind]) for file, kind in kinds if kind in WEIGHTS]
    skipped = tuple((file.path, kind) for file, kind in kinds if kind not in WEIGHTS)
    files.sort(key=lambda file: -file.weight)
    reviewed, line_count = list[ReviewedFile](), 0
    for file in files:
        size = sum(len(hunk.lines) for hunk in file.patch.hunks)
        if line_count + size <= MAX_LINES:
            reviewed.append(file)
            line_count += size
    return ChangeSet(tuple(reviewed), skipped, len(files) - len(reviewed))


def _kind_of(file: FilePatch, locales: Collection[str]) -> Kind:
    return "translated" if locales and is_foreign(file.path, locales) else kind_of(file)


def summary_of_skipped(change_set: ChangeSet) -> list[str]:
    """Sentences about skipped files, for a reviewer."""
    sentences = []
    kinds = Counter(_KIND_WORDS[kind] for _, kind in change_set.skipped)
    if kinds:
        counts = ", ".join(f"{count} {word}" for word, count in sorted(kinds.items()))
        sentences.append(f"Left out {counts} {'file' if len(change_set.skipped) == 1 else 'files'}.")
    if change_set.skipped_for_size:
        sentences.append(
            f"The change is very large: {change_set.skipped_for_size} of its files were not read."
        )
    return sentences

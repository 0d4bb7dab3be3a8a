"""The part of a change that is still in the current code: the head compared with the head without it."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from instep.client.ci.diff import DIFF_TREE
from instep.client.ci.git import Git
from instep.platform.core import limits

NO_MODE = "0"
NO_BLOB = "0" * 40
REGULAR_FILE = "100"


@dataclass(frozen=True, slots=True)
class FileChange:
    """A changed file as `git diff-tree` lists it; both paths are the same unless it was renamed."""

    status: str
    old_mode: str
    old_blob: str
    new_blob: str
    old_path: str
    new_path: str


@dataclass(frozen=True, slots=True)
class CodeOfToday:
    """The code at `head`. What `git` writes goes into a temporary folder, not into the checkout."""

    git: Git
    head: str
    folder: Path

    def without(self, base: str, commit: str, paths: Sequence[str] = ()) -> str:
        """The tree of the head as if the change from `base` to `commit` had never been made.

        Lines that later changes replaced are as they were before the change. So a name that changed twice
        goes directly from the first form to the current one, and a change that was reverted disappears. A
        file that was deleted later stays deleted, because the deletion is a separate change.
        """
        later = {change.old_path: change for change in file_changes(self.git, commit, self.head)}
        added_later = {change.new_path for change in later.values() if change.status == "A"}
        changes = file_changes(self.git, base, commit, paths)
        rows = chain.from_iterable(self.rows(change, later, added_later) for change in changes)
        entries = "".join(f"{mode} {blob}\t{path}\0" for mode, blob, path in rows)
        self.git.read("read-tree", self.head)
        stdin = entries.encode("utf-8", "surrogateescape")
        self.git.read("update-index", "--add", "--replace", "-z", "--index-info", stdin=stdin)
        return self.git.read("write-tree").decode().strip()

    def rows(
        self, change: FileChange, later: Mapping[str, FileChange], added_later: set[str]
    ) -> Iterator[tuple[str, str, str]]:
        """The lines of the index that take the change of a file out: mode, blob and path."""
        now = later.get(change.new_path)
        if change.status == "D":
            if change.old_path not in added_later:
                yield change.old_mode, change.old_blob, change.old_path
            return
        if now is not None and now.status == "D":
            return
        path = now.new_path if now else change.new_path
        if change.status == "A":
            yield NO_MODE, NO_BLOB, path
            return
        blob = self.blob_without(change, now.new_blob if now else change.new_blob)
        if blob is None:
            return
        is_moved_back = change.old_path != change.new_path == path and change.old_path not in added_later
        if is_moved_back:
            yield NO_MODE, NO_BLOB, path
        yield change.old_mode, blob, change.old_path if is_moved_back else path

    def blob_without(self, change: FileChange, blob_today: str) -> str | None:
        """Today's file with the lines from before the change; None if it can't be merged."""
        if blob_today == change.new_blob:
            return change.old_blob
        blobs = (change.old_blob, change.new_blob, blob_today)
        if not change.old_mode.startswith(REGULAR_FILE) or not self.are_small(blobs):
            return None
        names = [str(self.folder / name) for name in ("before", "after", "today")]
        for name, blob in zip(names, blobs, strict=True):
            Path(name).write_bytes(self.git.read("cat-file", "blob", blob))
        # If both the change and later ones replaced lines, `--ours` takes those from before the change.
        merge = self.git.run("merge-file", "--stdout", "--quiet", "--ours", *names)
        if merge.returncode:
            return None
        return self.git.read("hash-object", "-w", "--stdin", stdin=merge.stdout).decode().strip()

    def are_small(self, blobs: Sequence[str]) -> bool:
        sizes = self.git.read("cat-file", "--batch-check=%(objectsize)", stdin="\n".join(blobs).encode())
        return all(size.isdigit() and int(size) <= limits.MAX_MERGED_FILE_BYTES for size in sizes.split())


@contextmanager
def open_code(git: Git, head: str) -> Iterator[CodeOfToday]:
    """The code at a commit, with a place of its own for what git writes."""
    objects = git.find("rev-parse", "--git-path", "objects") or ""
    with tempfile.TemporaryDirectory() as folder:
        variables = {
            "GIT_INDEX_FILE": f"{folder}/index",
            "GIT_OBJECT_DIRECTORY": f"{folder}/objects",
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": str((git.folder / objects).resolve()),
        }
        Path(folder, "objects").mkdir()
        yield CodeOfToday(replace(git, variables=variables), head, Path(folder))


def file_changes(git: Git, base: str, commit: str, paths: Sequence[str] = ()) -> list[FileChange]:
    """The files that differ between two commits."""
    output = git.read(*DIFF_TREE, "-z", base, commit, "--", *paths)
    fields = iter(output.decode("utf-8", "surrogateescape").split("\0"))
    changes = []
    for head in fields:
        if not head:
            break
        old_mode, _, old_blob, new_blob, status = head.removeprefix(":").split()
        old_path = next(fields)
        new_path = next(fields) if status[0] in "RC" else old_path
        changes.append(FileChange(status[0], old_mode, old_blob, new_blob, old_path, new_path))
    return changes

"""A folder of a git checkout at its last commit, and writing into it."""

import hashlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from instep.client.ci.git import Git, GitFailed, open_checkout
from instep.client.ci.printing import say
from instep.platform.core import limits
from instep.platform.core.page_names import is_page_name, is_pointer

# Images and downloads that a server accepts, by extension.
ASSET_EXTENSIONS = frozenset(
    (".png", ".jpg", ".jpeg", ".gif", ".webp", ".avif", ".pdf", ".zip", ".csv", ".txt", ".mp4", ".webm")
)
# Files that define the order of pages, with a text that occurs in them.
NAVIGATION_FILES = {
    "zensical.toml": "nav =",
    "mkdocs.yml": "nav:",
    "mkdocs.yaml": "nav:",
    "docs.json": '"navigation"',
    "mint.json": '"navigation"',
    "sidebars.js": "",
    "sidebars.ts": "",
    "sidebars.json": "",
    "SUMMARY.md": "](",
    "meta.json": '"pages"',
    "_data/navigation.yml": "",
    ".vitepress/config.mts": "sidebar",
    ".vitepress/config.ts": "sidebar",
    ".vitepress/config.js": "sidebar",
    ".vitepress/config.mjs": "sidebar",
}
LINK = "120000"
REGULAR_FILES = ("100644", "100755")
# The number of bytes of blobs per run of git.
BATCH_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Blob:
    """A file of the commit; `path` is relative to the folder."""

    path: str
    id: str
    size: int


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of a checkout; `name` is its path in the repository, `.` for the root."""

    git: Git
    name: str
    commit: str

    @property
    def root(self) -> Path:
        return self.git.folder / self.name

    def blobs(self) -> list[Blob]:
        """The files of the commit, without submodules, and without links, which are reported."""
        output = self.git.read("ls-tree", "-r", "-l", "-z", "--full-tree", self.commit, "--", self.name)
        return [blob for entry in output.split(b"\0") if entry and (blob := self.blob_of(entry))]

    def blob_of(self, entry: bytes) -> Blob | None:
        facts, _, path = entry.partition(b"\t")
        mode, _, blob_id, size = facts.decode().split()
        name = path.decode(errors="replace")
        if mode == LINK:
            say(f"{name} is left out: it is a link to another file, which a sync does not follow.")
        if mode not in REGULAR_FILES:
            return None
        if name.encode() != path:
            say(f"{name} is left out: its name is not UTF-8. Rename this file.")
            return None
        return Blob(self.below(name), blob_id, int(size))

    def below(self, path: str) -> str:
        return path if self.name == "." else path.removeprefix(f"{self.name}/")

    def contents(self, blobs: Iterable[Blob]) -> Iterator[tuple[Blob, bytes]]:
        """The bytes of blobs; at most `BATCH_BYTES` plus the last one are in memory."""
        batch: list[Blob] = []
        for blob in blobs:
            batch.append(blob)
            if sum(row.size for row in batch) > BATCH_BYTES:
                yield from self.batch_contents(batch)
                batch = []
        yield from self.batch_contents(batch)

    def batch_contents(self, blobs: list[Blob]) -> Iterator[tuple[Blob, bytes]]:
        if not blobs:
            return
        names = "".join(f"{blob.id}\n" for blob in blobs).encode()
        output, start = self.git.read("cat-file", "--batch", stdin=names), 0
        for blob in blobs:
            start = output.index(b"\n", start) + 1
            yield blob, self.fetched(blob, output[start : start + blob.size])
            start += blob.size + 1

    def fetched(self, blob: Blob, data: bytes) -> bytes:
        """The bytes of a file; for Git LFS, the fetched file instead of the commit's pointer."""
        return self.root.joinpath(blob.path).read_bytes() if is_pointer(data) else data

    def navigation(self) -> str | None:
        """The path in the repository of the nearest configuration file that defines the order of pages."""
        folders = [PurePosixPath(self.name), *PurePosixPath(self.name).parents]
        marks = {
            (folder / name).as_posix(): mark for folder in folders for name, mark in NAVIGATION_FILES.items()
        }
        present = self.git.read("ls-tree", "-z", "--name-only", "--full-tree", self.commit, "--", *marks)
        names = set(present.decode("utf-8", "replace").split("\0"))
        for path, mark in marks.items():
            if path in names and mark.encode() in self.git.read("show", f"{self.commit}:{path}"):
                return path
        return None

    def has_ancestor(self, commit: str) -> bool:
        return self.git.run("merge-base", "--is-ancestor", commit, self.commit).returncode == 0

    def is_shallow(self) -> bool:
        return self.git.find("rev-parse", "--is-shallow-repository") == "true"

    def renames_since(self, commit: str) -> list[dict[str, str]]:
        """The files that git considers renamed."""
        fields = self.git.read("diff", "--raw", "-z", "-M", commit, self.commit, "--", self.name)
        rows = iter(fields.decode("utf-8", "replace").split("\0"))
        renames = []
        for facts in rows:
            if not facts:
                continue
            path, status = next(rows), facts.rsplit(" ", 1)[1]
            if status.startswith("R"):
                renames.append({"from": self.below(path), "to": self.below(next(rows))})
        return renames

    def blobs_since(self, commit: str) -> set[tuple[str, str]]:
        """Paths and ids of all files that a commit since then has written."""
        log_options = ("--format=", "--raw", "--no-abbrev", "--no-renames", "-m", "-z")
        output = self.git.read("log", *log_options, f"{commit}..{self.commit}", "--", self.name)
        rows = [row for row in output.decode("utf-8", "replace").split("\0") if row]
        return {
            (self.below(path), facts.split()[3]) for facts, path in zip(rows[::2], rows[1::2], strict=False)
        }

    def write(self, writes: Iterable[Mapping[str, Any]]) -> None:
        """Write pages of the folder, or delete those whose content is None; `target` refuses other paths."""
        targets = [(self.target(str(row["path"])), row["content"]) for row in writes]
        for target, content in targets:
            if content is None:
                target.unlink(missing_ok=True)
            else:
                replace_file(target, str(content).encode())

    def target(self, path: str) -> Path:
        parts = PurePosixPath(path).parts
        target, root = self.root.joinpath(*parts), self.root.resolve()
        is_below = target.parent.resolve().is_relative_to(root) and ".." not in parts and parts[:1] != ("/",)
        # File systems of Windows and macOS ignore case.
        is_of_git = ".git" in [part.lower() for part in parts]
        if not is_below or is_of_git or not is_page_name(path) or target.is_symlink():
            raise GitFailed(
                f"The server wants to write {path}, which is not a page in the folder: nothing was written."
            )
        return target

    def summary(self) -> str:
        """The differences from the commit, with numbers of lines."""
        self.git.read("add", "--intent-to-add", "--", self.name)
        return self.git.read("diff", "--stat=100", "--", self.name).decode("utf-8", "replace").rstrip()


def open_folder(path: Path) -> Folder:
    """The folder at the last commit; raises `GitFailed` if it has uncommitted changes."""
    if not path.is_dir():
        raise GitFailed(f"{path} is not a folder.")
    git = open_checkout(path)
    name = path.resolve().relative_to(git.folder.resolve()).as_posix()
    commit = git.find("rev-parse", "--verify", "HEAD^{commit}")
    if commit is None:
        raise GitFailed("The checkout has no commits yet: commit the folder first.")
    if git.read("status", "--porcelain", "--untracked-files=all", "--", name):
        raise GitFailed(f"{path} has changes that are not committed: commit or discard them first.")
    return Folder(git, name, commit)


def is_page(blob: Blob) -> bool:
    return is_page_name(blob.path)


def is_asset(blob: Blob) -> bool:
    return PurePosixPath(blob.path).suffix.lower() in ASSET_EXTENSIONS and blob.size <= limits.MAX_FILE_BYTES


def digest_of(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def replace_file(target: Path, data: bytes) -> None:
    """Replace a file atomically, so that it is always complete."""
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
    descriptor, temporary = tempfile.mkstemp(".part", ".", target.parent)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        Path(temporary).chmod(mode)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise

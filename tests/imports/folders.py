"""Sources for tests of readers: a folder, and files that a test writes down."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import dedent


class FolderFiles:
    """The files of a folder on the disk."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def paths(self) -> Iterable[str]:
        return sorted(
            path.relative_to(self.root).as_posix() for path in self.root.rglob("*") if path.is_file()
        )

    def read(self, path: str) -> bytes:
        try:
            return (self.root / path).read_bytes()
        except OSError:
            raise KeyError(path) from None


class WrittenFiles:
    """Files by their paths, with the indentation of the test taken away."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = {path: dedent(text).lstrip("\n").encode() for path, text in files.items()}

    def paths(self) -> Iterable[str]:
        return sorted(self.files)

    def read(self, path: str) -> bytes:
        return self.files[path]

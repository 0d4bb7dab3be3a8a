"""Sources for tests of readers: a folder on the disk, and files that a test writes down."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import dedent

from tests.transfer.imports.file_sources import WrittenFiles


class FolderFiles:
    """The files of a folder on the disk."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def paths(self) -> Iterable[str]:
        files = (path for path in self.root.rglob("*") if path.is_file())
        return sorted(path.relative_to(self.root).as_posix() for path in files)

    def read(self, path: str) -> bytes:
        try:
            return (self.root / path).read_bytes()
        except OSError:
            raise KeyError(path) from None


def dedented(files: Mapping[str, str]) -> WrittenFiles:
    """Files whose texts lose the indentation of the test."""
    return WrittenFiles({path: dedent(text).lstrip("\n") for path, text in files.items()})

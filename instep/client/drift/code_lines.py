"""The code of one commit: its files, without documentation, tests' data and what others have written."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from instep.client.ci.git import Git
from instep.client.drift.names import NameFinder, keys_in
from instep.platform.core import limits
from instep.platform.text.file_kinds import LEFT_OUT, LONG_LINE, kind_of_path

# A documentation folder: its files describe the product, like articles, and are not code.
_DOCUMENTATION = re.compile(r"(?:^|/)(?:docs?|documentation)/", re.IGNORECASE)
# A migration keeps the old names of the things that it renames.
_MIGRATION = re.compile(r"(?:^|/)(?:migrations?|migrate|alembic)/")


def is_code(path: str) -> bool:
    """True if a file decides what the product does."""
    kind = kind_of_path(path)
    is_left_out = kind in LEFT_OUT or kind == "docs" or _DOCUMENTATION.search(path)
    return not is_left_out and not _MIGRATION.search(path)


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of a file at the commit; `line` counts from 1."""

    file: str
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class StandingNames:
    """The names that the code has: `names` exactly as they are spelled, `keys` in any spelling."""

    names: frozenset[str]
    keys: frozenset[str]
    files: frozenset[str]


def read_standing(git: Git, commit: str, names: Iterable[str]) -> StandingNames:
    """The given names that the code of a commit has, and the keys of all names in it."""
    finder, standing, keys = NameFinder(names), set[str](), set[str]()
    seen = set[str]()
    for row in read_lines(git, commit):
        if row.text not in seen:
            seen.add(row.text)
            standing.update(finder.find(row.text))
            keys |= keys_in(row.text)
    return StandingNames(frozenset(standing), frozenset(keys), frozenset(list_files(git, commit)))


def list_files(git: Git, commit: str) -> list[str]:
    """The paths of all files of a commit."""
    raw = git.read("ls-tree", "-r", "-z", "--name-only", commit)
    return [path.decode("utf-8", "replace") for path in raw.split(b"\0") if path]


def read_lines(git: Git, commit: str) -> Iterator[CodeLine]:
    """The lines of all code of a commit, without white space at their ends."""
    for path, content in read_code_files(git, commit):
        for number, line in enumerate(content.splitlines(), 1):
            text = line.strip()
            if text and len(text) <= LONG_LINE:
                yield CodeLine(path, number, text)


def read_code_files(git: Git, commit: str) -> Iterator[tuple[str, str]]:
    """The paths and texts of the code of a commit; large and binary files are left out."""
    raw = git.read("ls-tree", "-r", "-z", "-l", commit)
    blobs = list(_blobs(raw))
    stdin = b"".join(blob + b"\n" for _, blob in blobs)
    with git.reading("cat-file", "--batch", stdin=stdin, seconds=limits.DRIFT_HISTORY_SECONDS) as stream:
        for path, _ in blobs:
            header = stream.readline().split()
            if len(header) != 3:
                continue
            content = stream.read(int(header[2]) + 1)[:-1]
            if b"\0" not in content:
                yield path, content.decode("utf-8", "replace")


def _blobs(listing: bytes) -> Iterator[tuple[str, bytes]]:
    for entry in listing.split(b"\0"):
        head, _, raw_path = entry.partition(b"\t")
        fields, path = head.split(), raw_path.decode("utf-8", "replace")
        is_small = len(fields) == 4 and fields[3].isdigit() and int(fields[3]) <= limits.MAX_DRIFT_FILE_BYTES
        if is_small and is_code(path):
            yield path, fields[2]

"""Files that the history has renamed or deleted, and what became of the paths that articles link to."""

from collections import defaultdict
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

_MAX_STEPS = 10


@dataclass(frozen=True, slots=True)
class Move:
    """A path that a commit has renamed or deleted, with its present path if any; the date is YYYY-MM-DD."""

    old: str
    new: str | None
    commit: str
    title: str
    date: str


@dataclass(slots=True)
class PathHistory:
    """The renames and deletions of files, newest commit first."""

    _commits: list[tuple[str, str, str]] = field(default_factory=list)
    # By path: the indexes of commits, and the new path in each.
    _events: dict[str, list[tuple[int, str | None]]] = field(default_factory=lambda: defaultdict(list))

    def begin_commit(self, commit: tuple[str, str, str]) -> None:
        self._commits.append(commit)

    def take(self, line: str) -> None:
        """Read a line of `git log --raw`: `:100644 100644 1a2b 3c4d R097<TAB>old path<TAB>new path`."""
        fields = line.split("\t")
        status = fields[0].rpartition(" ")[2][:1]
        if status in {"D", "R"}:
            self._events[fields[1]].append((len(self._commits) - 1, fields[2] if status == "R" else None))

    def moves_of(self, paths: Collection[str], files: Collection[str]) -> Iterator[Move]:
        """The present paths of those files and folders that are not among today's files."""
        standing = {*files, *_folders_of(files)}
        missing = {path for path in paths if path not in standing}
        by_folder = self._by_folder(missing)
        for path in sorted(missing):
            outcome = self._today(path, standing) if path in self._events else by_folder.get(path)
            if outcome:
                index, new = outcome
                commit, title, date = self._commits[index]
                yield Move(path, new if new in standing else None, commit, title, date)

    def _today(self, path: str, standing: Collection[str]) -> tuple[int, str | None]:
        """The newest commit that took a file away, and the last known name of the file."""
        first, new = self._events[path][0]
        index = first
        for _ in range(_MAX_STEPS):
            later = [row for row in self._events.get(new or "", ()) if row[0] < index]
            if new is None or new in standing or not later:
                break
            index, new = later[-1]
        return first, new

    def _by_folder(self, folders: Collection[str]) -> dict[str, tuple[int, str | None]]:
        """The newest commit that took a file out of each folder, and the folder that its files went to."""
        newest: dict[str, int] = {}
        targets: dict[str, set[str | None]] = defaultdict(set)
        for path, events in self._events.items():
            for folder in _folders_of([path]) & set(folders):
                index, new = events[0]
                if index < newest.get(folder, index + 1):
                    newest[folder], targets[folder] = index, set()
                if index == newest[folder]:
                    rest = path.removeprefix(folder)
                    targets[folder].add(new.removesuffix(rest) if new and new.endswith(rest) else None)
        return {
            folder: (index, next(iter(targets[folder])) if len(targets[folder]) == 1 else None)
            for folder, index in newest.items()
        }


def _folders_of(files: Collection[str]) -> set[str]:
    folders = set[str]()
    for file in files:
        folder = file.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return folders

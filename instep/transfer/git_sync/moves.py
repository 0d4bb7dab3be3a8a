"""Moves files, and updates the links to them and in them."""

import posixpath
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from instep.platform.core import limits
from instep.platform.core.page_names import comparable_path
from instep.transfer.exports.file_contents import PagePath
from instep.transfer.exports.page_file import split_page, with_value
from instep.transfer.exports.relative_links import (
    escape,
    path_of_target,
    relative_targets,
    rewrite,
    split_target,
)
from instep.transfer.git_sync.pages import (
    FolderPage,
    UnusablePage,
    collection_slug,
    collection_value,
    parse_page,
)
from instep.transfer.git_sync.schemas import SyncedFile
from instep.transfer.git_sync.taken_paths import TakenPaths
from instep.transfer.git_sync.work import SyncWork, set_next

# The results of pages whose files must not be changed.
OPEN = frozenset(("conflict", "waiting", "proposed", "refused", "kept"))
# A relative path may lead out of the folder, so it is resolved below a folder that is deep enough.
DEEP = "/" + "_/" * limits.MAX_SYNC_PATH_CHARACTERS


@dataclass(slots=True)
class Moves:
    """The new paths of files, and their new texts by current path; nothing is done before `write`."""

    work: SyncWork
    taken: TakenPaths
    # Files with their translations, including those that could not be synced, by the common part of the
    # paths.
    groups: dict[str, list[str]]
    paths: dict[str, str] = field(default_factory=dict)
    # The files that get these paths, by new path.
    sources: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    linking_paths: dict[str, set[str]] | None = None

    @classmethod
    def of(cls, work: SyncWork) -> "Moves":
        assets = [asset.path for asset in work.request.assets]
        taken = TakenPaths.of(work.pages, work.rows, work.unreadable_paths, work.sync.writes, assets)
        groups: dict[str, list[str]] = {}
        paths = {*present_paths(work), *work.unreadable_paths} - work.other_texts.keys()
        for path in sorted(paths):
            groups.setdefault(PagePath(path).group, []).append(path)
        return cls(work, taken, groups)

    def text_of(self, path: str) -> str:
        """The text of a file after the sync."""
        if path in self.texts:
            return self.texts[path]
        written = self.work.sync.writes.get(path)
        if written is not None:
            return written
        page = self.work.pages.get(path)
        return page.file.text if page is not None else self.work.other_texts[path]

    def page_of(self, path: str) -> FolderPage:
        """The page after the sync, at its current path."""
        if path not in self.texts and path not in self.work.sync.writes:
            return self.work.pages[path]
        page = parse_page(path, self.text_of(path))
        assert page is not None, "a page that was written has a title"
        return page

    def is_open(self, path: str) -> bool:
        """True if a file must not be changed."""
        work = self.work
        if path in work.unreadable_paths and path not in work.other_texts:
            return True
        return any(row.action in OPEN for row in work.sync.results_by_path.get(path, ()))

    def group_of(self, path: str) -> list[str]:
        """A file with its translations."""
        return self.groups.get(PagePath(path).group, [])

    def are_free(self, paths: list[str]) -> bool:
        """True if all of the files, and those that link to them, may be changed."""
        if self.linking_paths is None:
            self.linking_paths = defaultdict(set)
            for path in present_paths(self.work):
                for target in relative_targets(split_page(self.text_of(path)).body, path):
                    self.linking_paths[target].add(path)
        linking = {other for path in paths for other in self.linking_paths.get(comparable_path(path), ())}
        return not any(self.is_open(path) for path in {*paths, *linking})

    def plan(self, path: str, new: str, reason: str) -> bool:
        """Plan the move of a file with its translations; False if one must stay or a new path is in use."""
        group = self.group_of(path)
        new_paths = {other: PagePath(new).group + other.removeprefix(PagePath(path).group) for other in group}
        is_whole = all(other in self.work.rows for other in group)
        is_taken = any(self.is_taken(target, group) for target in new_paths.values())
        if not is_whole or is_taken or not self.are_free(group):
            return False
        for other in group:
            self.sources.pop(self.paths.get(other, ""), None)
        for other, target in new_paths.items():
            self.paths[other], self.sources[target] = target, other
            self.reasons[other] = reason
            self.taken.count(target)
        return True

    def is_taken(self, target: str, group: list[str]) -> bool:
        """True if a path is in use, or will be another file's path after the sync."""
        return target in self.taken.paths or self.sources.get(target, group[0]) not in group

    def edit(self, path: str, text: str, reason: str) -> None:
        """Set the new text of a file."""
        self.texts[path] = text
        self.reasons.setdefault(path, reason)

    def write(self) -> None:
        """Add the moves and the texts to the writes."""
        paths = present_paths(self.work) if self.paths else list(self.texts)
        before = {path: self.text_of_before(path) for path in paths}
        moved = {comparable_path(path): new for path, new in self.paths.items()}
        after = {path: self.moved_text(path, moved) for path in paths}
        for path in paths:
            if path in self.paths:
                self.move(path, self.paths[path], after[path])
            elif after[path] != before[path]:
                self.write_text(path, after[path])
                self.work.sync.report_more(
                    path, "written", self.reasons.get(path, "The links to moved files were updated.")
                )

    def text_of_before(self, path: str) -> str:
        text = self.texts.pop(path, None)
        before = self.text_of(path)
        if text is not None:
            self.texts[path] = text
        return before

    def moved_text(self, path: str, moved: Mapping[str, str]) -> str:
        """The text of a file after the moves; `moves` are by the comparable form of the current path."""
        text, new = self.text_of(path), self.paths.get(path, path)
        if not self.paths:
            return text
        file = split_page(text)
        text = file.head + moved_links(file.body, path, new, moved)
        row = self.work.rows.get(path)
        return text if new == path or row is None else self.in_collection(text, new, row)

    def in_collection(self, text: str, path: str, row: SyncedFile) -> str:
        """The text with a line for its collection, if the new folder belongs to another one."""
        values = row.next_article_values or row.article_values
        page = parse_page(path, text)
        if page is None or values is None:
            return text
        try:
            is_there = collection_value(page, self.work.folders) == values["collection"]
        except UnusablePage:
            return text
        if is_there:
            return text
        return with_value(page.file, "collection", collection_slug(values, self.work.folders)).text

    def move(self, path: str, new: str, text: str) -> None:
        work, row = self.work, self.work.rows[path]
        if path not in work.pages:
            # The file never was in git: it is written to its final path directly.
            del work.rows[path], work.sync.writes[path]
            row.path, row.next_file_text = new, text
            work.rows[new] = row
            work.sync.writes[new] = text
            work.sync.rename(path, new)
            return
        set_next_text(row, text)
        row.next_path = new
        work.sync.writes[path], work.sync.writes[new] = None, text
        work.sync.report_more(
            path, "renamed", f"The file is now {new}: {self.reasons[path]}", article_id=row.resource_id
        )

    def write_text(self, path: str, text: str) -> None:
        row = self.work.rows.get(path)
        if row is not None:
            set_next_text(row, text)
        self.work.sync.writes[path] = text


def present_paths(work: SyncWork) -> list[str]:
    """The paths of the files after the sync."""
    written = {path for path, text in work.sync.writes.items() if text is not None}
    removed = {path for path, text in work.sync.writes.items() if text is None}
    return sorted((work.pages.keys() | work.other_texts.keys() | written) - removed)


def set_next_text(row: SyncedFile, text: str) -> None:
    """Set the next text of a file without changing the article's."""
    if row.next_file_text is not None:
        row.next_file_text = text
    else:
        set_next(row, text, row.article_text or "", row.article_values or {})


def moved_links(text: str, path: str, new: str, paths: Mapping[str, str]) -> str:
    """The text of a file with links adjusted to moved files."""
    folder, new_folder = posixpath.dirname(path), posixpath.dirname(new)

    def convert(target: str) -> str | None:
        below, rest = split_target(target)
        known_path = path_of_target(path, below)
        new_path = paths.get(known_path) if known_path is not None else None
        if new_path is None and (folder == new_folder or not is_relative(below)):
            return None
        target_path = posixpath.join(DEEP, new_path or posixpath.join(folder, unquote(below)))
        relative = posixpath.relpath(target_path, posixpath.join(DEEP, new_folder))
        start = "./" if below.startswith("./") and not relative.startswith(".") else ""
        end = "/" if below.endswith("/") else ""
        return start + escape(relative) + end + rest

    return rewrite(text, convert)


def is_relative(target: str) -> bool:
    """True if a destination is a path relative to its file."""
    return path_of_target("", target) is not None or target.startswith("../")

"""The shapes of a sync between a folder of a git repository and a help center (contract section 10)."""

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import MISSING, AfterValidator, Field

from instep.content.articles.schemas import Status
from instep.platform.core import limits
from instep.platform.web.shapes import Body, Markdown, Out, Text, Timestamp, Visibility

Kind = Literal["article", "collection"]
Action = Literal[
    "created",
    "updated",
    "written",
    "merged",
    "renamed",
    "proposed",
    "waiting",
    "conflict",
    "archived",
    "removed",
    "kept",
    "refused",
]

COMMIT_ID = re.compile(r"^[0-9a-f]{40}([0-9a-f]{24})?$")
SHA256 = re.compile(r"^[0-9a-f]{64}$")


def valid_path(path: str) -> str:
    """The path if it is relative, uses slashes and stays in the folder; otherwise raises `ValueError`."""
    parts = path.split("/")
    if "\\" in path or path.startswith("/") or any(part in ("", ".", "..") for part in parts):
        raise ValueError("it must be a relative path such as guides/install.md")
    return path


def valid_folder(path: str) -> str:
    try:
        return path if path == "." else valid_path(path)
    except ValueError:
        raise ValueError("it must be a path such as docs/help, relative to the repository") from None


FolderPath = Annotated[
    Text,
    Field(
        min_length=1,
        max_length=limits.MAX_SYNC_PATH_CHARACTERS,
        description="The folder, relative to the root of the repository; `.` is the root.",
        examples=["docs/help"],
    ),
    AfterValidator(valid_folder),
]


def matching(pattern: re.Pattern[str], what: str) -> AfterValidator:
    def validate(text: str) -> str:
        if not pattern.search(text):
            raise ValueError(f"it must be {what}")
        return text

    return AfterValidator(validate)


FilePath = Annotated[
    Text,
    Field(
        min_length=1,
        max_length=limits.MAX_SYNC_PATH_CHARACTERS,
        description="The path of a file, relative to the folder.",
        examples=["01-start/02-install.md"],
    ),
    AfterValidator(valid_path),
]
Commit = Annotated[
    str,
    Field(
        description="A commit id.",
        examples=["4b825dc" + "0" * 33],
        json_schema_extra={"pattern": COMMIT_ID.pattern},
    ),
    matching(COMMIT_ID, "a full commit id, in hexadecimal"),
]
Digest = Annotated[
    str,
    Field(
        description="The SHA-256 of the file's bytes.",
        examples=["9f86d081884c7d65" * 4],
        json_schema_extra={"pattern": SHA256.pattern},
    ),
    matching(SHA256, "a SHA-256 digest: 64 hexadecimal digits"),
]


class SyncedFileIn(Body):
    """A Markdown file of the folder."""

    path: FilePath
    sha256: Digest
    content: Markdown | MISSING = Field(
        default=MISSING, description="The text of the file; optional if the last sync saw the same `sha256`."
    )
    has_written: bool = Field(
        default=False,
        description="True if the history since the last sync contains the text that the last sync wrote"
        " to this file.",
    )


class AssetIn(Body):
    """An image or download in the folder."""

    path: FilePath
    sha256: Digest


class RenameIn(Body):
    """A file that was renamed since the last sync, according to git."""

    source: FilePath = Field(alias="from")
    target: FilePath = Field(alias="to")


class SyncCreate(Body):
    """The state of a folder at a commit."""

    folder: FolderPath
    commit: Commit
    previous_commit: Commit | MISSING = Field(
        default=MISSING,
        description="The commit of the last sync, if it is an ancestor of `commit`; without it, only a first "
        "sync is accepted.",
    )
    restart: bool = Field(
        default=False,
        description="Forget the last sync after the history was rewritten: differences become drafts.",
    )
    files: Annotated[list[SyncedFileIn], Field(max_length=limits.MAX_SYNC_FILES)]
    assets: Annotated[list[AssetIn], Field(max_length=limits.MAX_SYNC_FILES)] = Field(default=[])
    renames: Annotated[list[RenameIn], Field(max_length=limits.MAX_SYNC_FILES)] = Field(default=[])
    navigation: FilePath | MISSING = Field(
        default=MISSING,
        description="The configuration file of the repository that sets the order of pages, such as"
        " `mkdocs.yml`; it is never rewritten.",
    )
    drafts: bool = Field(
        default=False, description="Changed texts and titles become drafts for review; nothing new goes live."
    )
    dry_run: bool = Field(default=False, description="Report the changes without making them.")


@dataclass(frozen=True, slots=True)
class SyncedFolder:
    """A row of `synced_folders`."""

    folder: str
    commit: str
    synced_at: datetime
    orders: dict[str, dict[str, Any]]


@dataclass(slots=True)
class SyncedFile:
    """A row of `synced_files`: a page that was in sync.

    `file_text`, `article_text` and `article_values` are the base: the last state in git, in both notations;
    None until the file is in git. The `next_` columns become the base when git has the written text, or when
    the draft is settled.
    """

    path: str
    kind: Kind
    resource_id: str
    article_version: int | None = None
    file_text: str | None = None
    article_text: str | None = None
    article_values: dict[str, str | None] | None = None
    next_file_text: str | None = None
    next_article_text: str | None = None
    next_article_values: dict[str, str | None] | None = None
    draft_id: str | None = None
    # The path of the file with the next text; None if it is unchanged.
    next_path: str | None = None

    def advance(self) -> None:
        """Replace the base by the next one."""
        self.file_text, self.article_text = self.next_file_text, self.next_article_text
        self.article_values = self.next_article_values
        self.forget_next()

    def forget_next(self) -> None:
        self.next_file_text = self.next_article_text = self.next_article_values = self.draft_id = None
        self.next_path = None


@dataclass(frozen=True, slots=True)
class SyncedArticle:
    """An article with the values that a file contains."""

    id: str
    slug: str
    locale: str
    translation_of: str | None
    title: str
    description: str | None
    collection_id: str | None
    position: int
    visibility: Visibility
    status: Status
    version: int
    content: str
    # The slugs of the first and the last version of the product.
    since_slug: str | None = None
    until_slug: str | None = None
    is_outdated: bool = False


@dataclass(frozen=True, slots=True)
class FileAddress:
    """The file of an article, and the names that the article's addresses contain."""

    path: str
    id: str
    slug: str
    locale: str


@dataclass(frozen=True, slots=True)
class StoredAsset:
    """A stored file, and the digest of the bytes that were sent."""

    sent_sha256: str
    sha256: str
    content_type: str


@dataclass(slots=True)
class FileResult:
    """The result for one file."""

    path: str
    action: Action
    message: str
    article_id: str | None = None
    draft_id: str | None = None


@dataclass(slots=True)
class Sync:
    """The result of a sync; `writes` has the new text of each file to write, or None to delete it."""

    folder: str
    commit: str
    is_dry_run: bool
    results: list[FileResult] = field(default_factory=list)
    results_by_path: dict[str, list[FileResult]] = field(default_factory=dict)
    writes: dict[str, str | None] = field(default_factory=dict)
    missing_assets: list[str] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The id in the audit log."""
        return self.folder

    def report_more(self, path: str, action: Action, message: str, **ids: Any) -> None:
        """Append a message to the report on a file, or begin one."""
        if rows := self.results_by_path.get(path):
            rows[0].message += f" {message}"
        else:
            self.report(path, action, message, **ids)

    def drop_results_after(self, count: int) -> None:
        """Forget all but the first results."""
        while len(self.results) > count:
            self.results_by_path[self.results.pop().path].pop()

    def drop_refusals(self, paths: Collection[str]) -> None:
        """Remove the refusals of these files, because they are tried again."""
        self.results = [row for row in self.results if row.action != "refused" or row.path not in paths]
        for path in paths:
            rows = self.results_by_path.get(path, [])
            self.results_by_path[path] = [row for row in rows if row.action != "refused"]

    def report(self, path: str, action: Action, message: str, **ids: Any) -> None:
        row = FileResult(path, action, message, **ids)
        self.results.append(row)
        self.results_by_path.setdefault(path, []).append(row)

    def rename(self, path: str, new: str) -> None:
        """Move the results of a file to its new path."""
        rows = self.results_by_path.pop(path, [])
        for row in rows:
            row.path = new
        self.results_by_path.setdefault(new, []).extend(rows)


class SyncedFileOut(Out):
    """A file of the last sync."""

    path: str
    sha256: str | None = Field(
        description="The SHA-256 of the file at the last sync; null until git has the file."
    )
    written_blob: str | None = Field(
        description="The id (SHA-1) of the git blob that the last sync wrote, until it is seen in git."
    )


class SyncStateOut(Out):
    """The state of a folder at its last sync; `commit` is null before the first one."""

    folder: str
    commit: str | None
    synced_at: Timestamp | None
    files: list[SyncedFileOut]


class SyncWriteOut(Out):
    """A file to write to the folder."""

    path: str
    content: str | None = Field(description="The full text of the file; null if the file must be deleted.")


class SyncResultOut(Out):
    """The result for a file."""

    path: str
    action: Action
    message: str
    article_id: str | None
    draft_id: str | None


class SyncOut(Out):
    """The result of a sync; files in sync are not listed."""

    folder: str
    commit: str
    dry_run: bool
    results: list[SyncResultOut]
    writes: list[SyncWriteOut] = Field(description="The files to write to the folder and commit.")
    missing_assets: list[str] = Field(
        description="Images and downloads used in texts: upload them, then sync again. Nothing was changed."
    )

    @classmethod
    def of(cls, sync: Sync) -> "SyncOut":
        return cls(
            folder=sync.folder,
            commit=sync.commit,
            dry_run=sync.is_dry_run,
            results=[SyncResultOut.of_row(row) for row in sync.results],
            writes=[
                SyncWriteOut(path=path, content=content) for path, content in sorted(sync.writes.items())
            ],
            missing_assets=sync.missing_assets,
        )

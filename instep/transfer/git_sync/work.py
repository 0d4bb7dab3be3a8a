"""The state of one sync: the folder, the help center, and their last common state."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from instep.platform.core.config import settings
from instep.platform.identity.schemas import Ctx
from instep.transfer.exports.page_file import split_page
from instep.transfer.exports.relative_links import SiteMap, to_addresses, to_paths
from instep.transfer.exports.schemas import CollectionRow
from instep.transfer.git_sync.orders import KnownOrder
from instep.transfer.git_sync.pages import FolderPage, Folders, Heads, UnusablePage, parse_page, values_of
from instep.transfer.git_sync.schemas import Sync, SyncCreate, SyncedArticle, SyncedFile
from instep.transfer.git_sync.three_way import (
    MergedValues,
    Values,
    in_other_notation,
    merge_values,
    to_article_values,
)


@dataclass(slots=True)
class SyncWork:
    """The state of one sync; `rows` and `pages` are by path, the others by id."""

    ctx: Ctx
    request: SyncCreate
    sync: Sync
    rows: dict[str, SyncedFile]
    pages: dict[str, FolderPage] = field(default_factory=dict)
    # The front matter of all files, now and at the last sync.
    heads: Heads = field(default_factory=dict)
    # Markdown files that can't be read or are not pages: they stay unchanged.
    unreadable_paths: set[str] = field(default_factory=set)
    # The former paths of renamed pages, by their new paths.
    former_paths: dict[str, str] = field(default_factory=dict)
    # The texts of Markdown files that are not pages, by path.
    other_texts: dict[str, str] = field(default_factory=dict)
    orders: dict[str, KnownOrder] = field(default_factory=dict)
    # The articles whose files are in git as the last sync wrote them.
    advanced_ids: set[str] = field(default_factory=set)
    # The current paths of files that the last sync moved.
    followed_paths: set[str] = field(default_factory=set)
    # The files whose article is in another collection, and that must move into its folder.
    misplaced_paths: set[str] = field(default_factory=set)
    stored_rows: dict[str, SyncedFile] = field(default_factory=dict)
    collections: dict[str, CollectionRow] = field(default_factory=dict)
    articles: dict[str, SyncedArticle] = field(default_factory=dict)
    pending_drafts: set[str] = field(default_factory=set)
    ids_elsewhere: set[str] = field(default_factory=set)
    folders: Folders = field(default_factory=Folders)
    site: SiteMap = field(default_factory=SiteMap)

    def __post_init__(self) -> None:
        self.stored_rows = {path: replace(row) for path, row in self.rows.items()}

    @property
    def navigation(self) -> str | None:
        """The configuration file that sets the order in git."""
        navigation: str | None = self.request.model_dump().get("navigation")
        return navigation

    @property
    def synced_ids(self) -> set[str]:
        """The ids of everything with a file, in this folder or another."""
        return {row.resource_id for row in self.rows.values()} | self.ids_elsewhere

    def pages_of(self, kind: str) -> list[FolderPage]:
        return [page for page in self.pages.values() if page.kind == kind]

    def to_addresses(self, text: str, path: str) -> str:
        return to_addresses(text, path, self.site.addresses)

    def to_paths(self, text: str, path: str) -> str:
        return to_paths(text, path, self.site, settings().base_url)

    def in_canonical_form(self, text: str, path: str) -> str:
        """An article's text with all links to files in the same form."""
        return self.to_addresses(self.to_paths(text, path), path)


def base_values(work: SyncWork, row: SyncedFile) -> dict[str, str | None] | None:
    """The values of the file at the last sync, under its name at that time; None without a base."""
    if row.file_text is None:
        return None
    try:
        path = work.former_paths.get(row.path, row.path)
        page = parse_page(path, row.file_text, heads=work.heads)
        return values_of(page, work.folders) if page is not None else None
    except UnusablePage:
        # The slug of its collection changed since, so every value counts as changed in git.
        return None


def merged_values(work: SyncWork, row: SyncedFile, values: Values, resource: Values) -> MergedValues:
    return merge_values(base_values(work, row), values, row.article_values, resource)


def article_values_of_file(work: SyncWork, row: SyncedFile, values: Values) -> dict[str, str | None]:
    return to_article_values(base_values(work, row), values, row.article_values)


async def article_text_of_file(work: SyncWork, page: FolderPage, row: SyncedFile, current: str) -> str:
    """The file's text in the article's notation; lines that are also in the article keep its bytes."""
    body, path = page.file.body, page.path
    text = work.to_addresses(body, path)
    if row.file_text is not None and row.article_text is not None:
        text = await in_other_notation(split_page(row.file_text).body, body, row.article_text, text)
    canonical_texts = work.in_canonical_form(current, path), work.in_canonical_form(text, path)
    return await in_other_notation(*canonical_texts, current, text)


def mark_in_sync(row: SyncedFile, **base: Any) -> None:
    """Record the common state of both sides as the base, with nothing left to write."""
    set_base(row, **base)
    row.forget_next()


def set_base(row: SyncedFile, file_text: str, article_text: str, article_values: Mapping[str, Any]) -> None:
    row.file_text, row.article_text, row.article_values = file_text, article_text, dict(article_values)


def set_next(
    row: SyncedFile,
    file_text: str,
    article_text: str,
    article_values: Mapping[str, Any],
    draft_id: str | None = None,
) -> None:
    row.next_file_text, row.next_article_text = file_text, article_text
    row.next_article_values, row.draft_id, row.next_path = dict(article_values), draft_id, None

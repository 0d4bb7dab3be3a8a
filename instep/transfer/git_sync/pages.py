"""The pages of a folder, and the values in them for articles and collections."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import TypeAlias

from instep.platform.core.errors import InvalidRequest
from instep.platform.text.slugs import slugify
from instep.transfer.exports.file_contents import NO_COLLECTION, PagePath, slug_of_name, unless
from instep.transfer.exports.layout import COLLECTION_FILE
from instep.transfer.exports.page_file import (
    PageFile,
    UnreadableFrontMatter,
    split_page,
    values_or_problem,
    with_value,
)
from instep.transfer.exports.schemas import CollectionRow
from instep.transfer.git_sync.schemas import Kind, SyncedArticle
from instep.transfer.git_sync.three_way import Values

# The prefix of the value `collection` of a page in a folder whose collection does not exist yet.
NEW_FOLDER = "new:"
# The values of front matter, or its problem, by its text.
Heads: TypeAlias = Mapping[str, dict[str, str] | UnreadableFrontMatter]
NO_HEADS: Heads = MappingProxyType({})
STATUSES = ("draft", "published", "archived")
VISIBILITIES = ("public", "authenticated")


class UnusablePage(InvalidRequest):
    """A page can't become an article or a collection; the message says what to change."""


@dataclass(frozen=True, slots=True)
class FolderPage(PagePath):
    """A Markdown file of an article or a collection."""

    file: PageFile
    matter: dict[str, str]
    has_written: bool = False

    @property
    def kind(self) -> Kind:
        return "collection" if self.is_collection else "article"

    @property
    def slug(self) -> str:
        return self.matter.get("slug") or implied_slug(self.path)


@dataclass(slots=True)
class Folders:
    """The collection of each folder: its id, or `new:` with the folder if it doesn't exist yet."""

    by_folder: dict[str, str] = field(default_factory=dict)
    ids_by_slug: dict[str, str] = field(default_factory=dict)
    slugs_by_id: dict[str, str] = field(default_factory=dict)

    def add(self, collections: Iterable[CollectionRow]) -> None:
        for row in collections:
            self.ids_by_slug[row.slug] = row.id
            self.slugs_by_id[row.id] = row.slug

    def value_of(self, folder: str) -> str:
        if not folder:
            return self.by_folder.get(folder, NO_COLLECTION)
        if folder not in self.by_folder:
            collection_id = self.ids_by_slug.get(implied_slug(folder.rstrip("/")))
            self.by_folder[folder] = collection_id or NEW_FOLDER + folder
        return self.by_folder[folder]

    def copy(self) -> "Folders":
        return Folders(dict(self.by_folder), dict(self.ids_by_slug), dict(self.slugs_by_id))

    def folder_of(self, collection_id: str) -> str | None:
        """The folder of a collection."""
        return next((folder for folder, value in self.by_folder.items() if value == collection_id), None)


def parse_page(path: str, text: str, has_written: bool = False, heads: Heads = NO_HEADS) -> FolderPage | None:
    """The page; None for a Markdown file without a title in its front matter, which is not an article.

    A collection without a title has that of its folder. `heads` contains the values of front matter that was
    already read.
    """
    file = split_page(text)
    matter = heads[file.head] if file.head in heads else values_or_problem(file)
    if isinstance(matter, UnreadableFrontMatter):
        raise UnusablePage(f"The front matter can't be read: {matter}.")
    page = FolderPage(path, file, matter, has_written)
    if page.is_collection and matter and "title" not in matter:
        if not page.folder:
            raise UnusablePage("A collection at the top needs a `title`, because its folder has no name.")
        return replace(page, matter={"title": title_of_folder(page.folder), **matter})
    return page if "title" in matter else None


def implied_slug(path: str) -> str:
    """The slug in the name of a file, or of its folder for a collection's page."""
    parts = PurePosixPath(path)
    name = parts.parent.name if parts.name == COLLECTION_FILE else parts.name
    return slugify(slug_of_name(name), "page")


def title_of_folder(folder: str) -> str:
    return slug_of_name(PurePosixPath(folder).name).replace("-", " ").capitalize()


def parent_folder(folder: str) -> str:
    """The parent folder. Folders end with a slash, except the top one, which is empty."""
    above = str(PurePosixPath(folder).parent)
    return "" if above == "." else f"{above}/"


def values_of(page: FolderPage, folders: Folders) -> dict[str, str | None]:
    """The values in a file, by the names of front matter; raises `UnusablePage`."""
    matter = page.matter
    values: dict[str, str | None] = {
        "title": matter["title"],
        "description": matter.get("description"),
        "slug": page.slug,
        "visibility": one_of(matter, "visibility", VISIBILITIES, "public"),
    }
    if page.kind == "collection":
        parent = folders.value_of(parent_folder(page.folder)) if page.folder else NO_COLLECTION
        return {**values, "icon": matter.get("icon"), "parent": parent}
    status = one_of(matter, "status", STATUSES, "published")
    return {**values, "status": status, "collection": collection_value(page, folders)}


def collection_value(page: FolderPage, folders: Folders) -> str:
    slug = page.matter.get("collection")
    if slug is None:
        return folders.value_of(page.folder)
    if slug == NO_COLLECTION:
        return NO_COLLECTION
    if slug not in folders.ids_by_slug:
        raise UnusablePage(f"`collection`: no collection has the slug “{slug}”.")
    return folders.ids_by_slug[slug]


def one_of(matter: dict[str, str], name: str, choices: tuple[str, ...], default: str) -> str:
    value = matter.get(name, default)
    if value not in choices:
        raise UnusablePage(f"`{name}`: it must be {' or '.join(choices)}.")
    return value


def values_of_article(article: SyncedArticle) -> dict[str, str | None]:
    return {
        "title": article.title,
        "description": article.description,
        "slug": article.slug,
        "visibility": article.visibility,
        "status": article.status,
        "collection": article.collection_id or NO_COLLECTION,
    }


def values_of_collection(collection: CollectionRow) -> dict[str, str | None]:
    return {
        "title": collection.title,
        "description": collection.description,
        "slug": collection.slug,
        "visibility": collection.visibility,
        "icon": collection.icon,
        "parent": collection.parent_id or NO_COLLECTION,
    }


def matter_of(path: str, values: Values, folders: Folders) -> dict[str, str | None]:
    """The front matter of a page, None for default values; the folder determines the parent."""
    page = PagePath(path)
    matter = {
        "title": values["title"],
        "description": values["description"],
        "icon": values.get("icon"),
        "slug": unless(values["slug"] or "", implied_slug(path)),
        "visibility": unless(values["visibility"] or "public", "public"),
    }
    if page.is_collection:
        return matter
    collection = values["collection"] or NO_COLLECTION
    is_elsewhere = collection != folders.value_of(page.folder)
    slug = collection_slug(values, folders)
    del matter["icon"]
    return {
        **matter,
        "collection": slug if is_elsewhere else None,
        "status": unless(values["status"] or "published", "published"),
    }


def collection_slug(values: Values, folders: Folders) -> str:
    """The value `collection` of a page that is in the folder of another collection."""
    return folders.slugs_by_id.get(values["collection"] or "", NO_COLLECTION)


def with_values(page: FolderPage, before: Values, after: Values, folders: Folders) -> PageFile:
    """The file with the values of `after`; only lines of values that differ from `before` change."""
    matter, file = matter_of(page.path, after, folders), page.file
    for name, value in matter.items():
        if before.get(name) != after.get(name):
            file = with_value(file, name, value)
    return file

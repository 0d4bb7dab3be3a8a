"""Reads exports of `instep export`, without guessing and without loss."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import PurePosixPath
from typing import TypeVar

from pydantic import BaseModel, Field, TypeAdapter, ValidationError

from instep.platform.web.shapes import Visibility
from instep.transfer.exports.file_contents import (
    FORMAT_VERSION,
    MANIFEST_FILE,
    NO_COLLECTION,
    OUTDATED,
    PARTS_FILE,
    QUESTIONS_FILE,
    REDIRECTS_FILE,
    VERSIONS_FILE,
    PagePath,
    slug_of_name,
)
from instep.transfer.exports.layout import CHANGELOG_FOLDER, FILES_FOLDER
from instep.transfer.exports.page_file import UnreadableFrontMatter, read_values, split_page
from instep.transfer.imports.tree.schemas import (
    ImportedCollection,
    ImportedEntry,
    ImportedPage,
    ImportedPart,
    ImportedQuestion,
    ImportedRedirect,
    ImportedVersion,
    Losses,
    PageStatus,
    Reader,
    SourceFiles,
    Tree,
    UnreadableSource,
)

NAME = "instep"
Value = TypeVar("Value")


class ExportManifest(BaseModel):
    """`instep.json`."""

    format: str
    version: int
    locale: str


class FrontMatter(BaseModel):
    """The allowed front matter of a page."""

    title: str
    description: str | None = None
    icon: str | None = None
    slug: str | None = None
    collection: str | None = None
    visibility: Visibility = "public"
    status: PageStatus = "published"
    translates: str | None = None
    translation: str | None = None
    published: datetime | None = None
    source: str | None = None
    since: str | None = None
    until: str | None = None
    version_of: str | None = Field(default=None, alias="version-of")


@dataclass(frozen=True, slots=True)
class ExportedPage(PagePath):
    """A file with front matter."""

    facts: FrontMatter
    body: str

    @property
    def slug(self) -> str:
        return self.facts.slug or slug_of_name(self.name)


def recognises(files: SourceFiles) -> bool:
    """True if there is the manifest of an export, and not another program's file with the same name."""
    try:
        return bool(json.loads(files.read(MANIFEST_FILE))["format"] == "instep-export")
    except (KeyError, ValueError, TypeError, RecursionError):
        return False


def read(files: SourceFiles, losses: Losses) -> Tree:
    manifest = read_json(files, MANIFEST_FILE, TypeAdapter(ExportManifest))
    if manifest.version > FORMAT_VERSION:
        raise UnreadableSource(
            f"{MANIFEST_FILE} has version {manifest.version}, and this version of Instep reads up to "
            f"{FORMAT_VERSION}: update Instep."
        )
    documents = [read_document(files, path) for path in files.paths() if is_page(path)]
    abouts = sorted((row for row in documents if row.is_collection), key=lambda row: row.folder)
    folders = {row.folder: row for row in abouts}
    entries = [row for row in documents if row.folder == f"{CHANGELOG_FOLDER}/"]
    pages = [row for row in documents if not row.is_collection and row not in entries]
    slugs = {
        row.facts.slug or slug_of_name(PurePosixPath(folder).name): folder for folder, row in folders.items()
    }
    parts = read_json(files, PARTS_FILE, TypeAdapter(list[ImportedPart]), "[]")
    return Tree(
        format=NAME,
        locale=manifest.locale,
        changelog_folder=CHANGELOG_FOLDER,
        pages=tuple(read_pages(pages, folders, slugs, manifest.locale)),
        collections=tuple(collection_of(folder, row, folders) for folder, row in folders.items()),
        entries=tuple(sorted(map(entry_of, entries), key=place_of_entry)),
        redirects=tuple(read_json(files, REDIRECTS_FILE, TypeAdapter(list[ImportedRedirect]))),
        questions=tuple(read_json(files, QUESTIONS_FILE, TypeAdapter(list[ImportedQuestion]))),
        parts=tuple(
            replace(row, locale=row.locale or manifest.locale, path=PARTS_FILE, key=None) for row in parts
        ),
        versions=tuple(read_json(files, VERSIONS_FILE, TypeAdapter(list[ImportedVersion]), "[]")),
    )


def is_page(path: str) -> bool:
    return path.endswith(".md") and not path.startswith(f"{FILES_FOLDER}/")


def read_pages(
    documents: list[ExportedPage], folders: dict[str, ExportedPage], slugs: dict[str, str], locale: str
) -> Iterator[ImportedPage]:
    """The pages in reading order; translations follow their original."""
    by_path = {row.path: row for row in documents}
    originals = {row.path: original_of(row, by_path, locale) for row in documents}
    for row in sorted(documents, key=lambda row: (row.folder, row.group, originals[row.path] or "")):
        original = originals[row.path]
        yield ImportedPage(
            key=row.path,
            path=row.path,
            title=row.facts.title,
            markdown=row.body,
            locale=row.locale or locale,
            slug=row.slug,
            collection=collection_key(row, folders, slugs),
            translation_of=original,
            is_outdated=row.facts.translation == OUTDATED,
            description=row.facts.description,
            status=row.facts.status,
            visibility=row.facts.visibility,
            published_at=row.facts.published,
            since=row.facts.since,
            until=row.facts.until,
            version_of=row.facts.version_of,
        )


def original_of(row: ExportedPage, by_path: dict[str, ExportedPage], default_locale: str) -> str | None:
    """The path of the page that this one translates, if any.

    A page in another language may be the original of one in the help center's language.
    """
    locale = row.facts.translates
    if row.locale is None and locale is None:
        return None
    path = f"{row.group}.{locale}.md" if locale else f"{row.group}.md"
    candidate = by_path.get(path) if path != row.path else None
    is_translation = candidate is not None and candidate.facts.translates == (row.locale or default_locale)
    return None if candidate is None or is_translation else path


def collection_key(row: ExportedPage, folders: dict[str, ExportedPage], slugs: dict[str, str]) -> str | None:
    """The folder of the page's collection: its own folder, unless the page names another collection."""
    if row.facts.collection is None:
        return row.folder if row.folder in folders else None
    if row.facts.collection == NO_COLLECTION:
        return None
    if row.facts.collection not in slugs:
        raise UnreadableSource(f"{row.path}: the export has no collection “{row.facts.collection}”.")
    return slugs[row.facts.collection]


def collection_of(folder: str, row: ExportedPage, folders: dict[str, ExportedPage]) -> ImportedCollection:
    name = PurePosixPath(folder).name
    above = folder[: len(folder) - len(name) - 1]
    return ImportedCollection(
        key=folder,
        title=row.facts.title,
        parent=above if above in folders else None,
        description=row.facts.description,
        slug=row.facts.slug or slug_of_name(name),
        visibility=row.facts.visibility,
        icon=row.facts.icon,
        path=row.path,
    )


def entry_of(row: ExportedPage) -> ImportedEntry:
    return ImportedEntry(
        key=row.path,
        path=row.path,
        title=row.facts.title,
        markdown=row.body,
        published_at=row.facts.published,
        status=row.facts.status,
        slug=row.slug,
        source_url=row.facts.source,
    )


def place_of_entry(entry: ImportedEntry) -> tuple[bool, str, str]:
    """Sort key of entries: by time of publication, unpublished ones last."""
    return entry.published_at is None, str(entry.published_at or ""), entry.path


def read_document(files: SourceFiles, path: str) -> ExportedPage:
    try:
        page = split_page(files.read(path).decode())
        return ExportedPage(path, FrontMatter.model_validate(read_values(page)), page.body)
    except UnicodeDecodeError:
        raise UnreadableSource(f"{path} is not UTF-8: save it as UTF-8.") from None
    except UnreadableFrontMatter as error:
        raise UnreadableSource(f"{path}: its front matter can't be read: {error}.") from None
    except ValidationError as error:
        raise UnreadableSource(f"{path}: its front matter can't be read: {first_problem(error)}.") from None


def read_json(files: SourceFiles, path: str, shape: TypeAdapter[Value], missing: str | None = None) -> Value:
    """The values in a file; those of `missing` if there is none."""
    try:
        content = files.read(path) if missing is None or path in files.paths() else missing
        return shape.validate_json(content, strict=True)
    except KeyError:
        raise UnreadableSource(f"{path} is missing: export the help center again.") from None
    except ValidationError as error:
        raise UnreadableSource(f"{path} can't be read: {first_problem(error)}.") from None


def first_problem(error: ValidationError) -> str:
    problem = error.errors(include_url=False)[0]
    place = ".".join(map(str, problem["loc"]))
    return f"{place}: {problem['msg']}" if place else problem["msg"]


READER = Reader(NAME, "Instep", recognises, read)

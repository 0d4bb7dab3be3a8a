"""Syncs folders and collections, whose title and description are in `_collection.md`."""

from typing import Any

from instep.content.collections import actions as collections
from instep.content.collections.schemas import CollectionCreate, CollectionUpdate
from instep.platform.core.errors import InvalidRequest
from instep.platform.web.errors import body_from
from instep.transfer.exports import queries as export_queries
from instep.transfer.exports.file_contents import NO_COLLECTION
from instep.transfer.exports.layout import COLLECTION_FILE
from instep.transfer.exports.schemas import CollectionRow
from instep.transfer.git_sync.file_refusals import attempt_file
from instep.transfer.git_sync.pages import (
    NEW_FOLDER,
    FolderPage,
    implied_slug,
    parent_folder,
    title_of_folder,
    values_of,
    values_of_collection,
    with_values,
)
from instep.transfer.git_sync.schemas import Action, SyncedFile
from instep.transfer.git_sync.work import (
    SyncWork,
    article_values_of_file,
    mark_in_sync,
    merged_values,
    set_base,
    set_next,
)

# The reported result, by whether Instep changed and whether the file changed.
OUTCOMES: dict[tuple[bool, bool], tuple[Action, str]] = {
    (True, True): ("merged", "Both sides had changed: both now have all changes."),
    (True, False): ("updated", "Instep now has the changes from git."),
    (False, True): ("written", "The file now has the changes from Instep."),
}


async def sync_collections(work: SyncWork) -> None:
    """Sync `_collection.md` files and collections, parents first."""
    await load_collections(work)
    if COLLECTION_FILE in work.pages or COLLECTION_FILE in work.unreadable_paths - work.other_texts.keys():
        # Until its file is synced, everything at the top waits.
        work.folders.by_folder[""] = NEW_FOLDER
    for page in work.pages_of("collection"):
        row = work.rows.get(page.path)
        if row is not None:
            work.folders.by_folder[page.folder] = row.resource_id
    for page in sorted(work.pages_of("collection"), key=lambda page: page.path.count("/")):
        await attempt_file(work, page.path, sync_page(work, page))
    for path, row in list(work.rows.items()):
        if row.kind == "collection" and path not in work.pages:
            forget_file(work, path, row)


async def load_collections(work: SyncWork) -> None:
    rows = await export_queries.list_collections(work.ctx)
    work.collections = {row.id: row for row in rows}
    work.folders.add(rows)


async def sync_page(work: SyncWork, page: FolderPage) -> None:
    row = work.rows.get(page.path)
    if row is None:
        row = await adopt_or_create(work, page)
        if row is None:
            return
    collection = work.collections.get(row.resource_id)
    if collection is None:
        remove_file(work, page, row)
        return
    await merge_collection(work, page, row, collection)


async def adopt_or_create(work: SyncWork, page: FolderPage) -> SyncedFile | None:
    """The row of a collection with the page's slug; None if a new one was created, already in sync."""
    collection_id = work.folders.ids_by_slug.get(page.slug)
    if collection_id is not None and collection_id not in work.synced_ids:
        work.folders.by_folder[page.folder] = collection_id
        row = SyncedFile(page.path, "collection", collection_id)
        work.rows[page.path] = row
        return row
    values = values_of(page, work.folders)
    collection_id = await create(work, values)
    work.folders.by_folder[page.folder] = collection_id
    row = SyncedFile(page.path, "collection", collection_id)
    mark_in_sync(
        row,
        file_text=page.file.text,
        article_text="",
        article_values=values_of_collection(work.collections[collection_id]),
    )
    work.rows[page.path] = row
    work.sync.report(page.path, "created", f"The collection “{values['title']}” is new.")
    return None


async def merge_collection(
    work: SyncWork, page: FolderPage, row: SyncedFile, collection: CollectionRow
) -> None:
    if row.next_file_text is not None and (page.file.text == row.next_file_text or page.has_written):
        row.advance()
    values, current = values_of(page, work.folders), values_of_collection(collection)
    merged = merged_values(work, row, values, current)
    changes = {name: value for name, value in merged.article.items() if current[name] != value}
    if changes:
        await update(work, collection.id, changes)
    file = with_values(page, values, merged.file, work.folders)
    article_values = article_values_of_file(work, row, values)
    if file.text == page.file.text:
        mark_in_sync(row, file_text=file.text, article_text="", article_values=merged.article)
    else:
        set_base(row, page.file.text, "", article_values)
        set_next(row, file.text, "", merged.article)
        work.sync.writes[page.path] = file.text
    report_outcome(work, page.path, bool(changes), file.text != page.file.text, merged.conflicts)


def report_outcome(
    work: SyncWork, path: str, is_changed: bool, is_written: bool, conflicts: list[str], **ids: Any
) -> None:
    if not is_changed and not is_written:
        return
    action, message = OUTCOMES[is_changed, is_written]
    work.sync.report(path, action, message + conflicts_sentence(conflicts), **ids)


def conflicts_sentence(names: list[str]) -> str:
    """A sentence about values that both sides changed, to append to another one."""
    if not names:
        return ""
    listed = ", ".join(f"`{name}`" for name in names)
    return f" Both sides changed {listed}: Instep's value is kept, and git's history has the other."


async def create(work: SyncWork, values: dict[str, str | None]) -> str:
    fields = {
        "title": values["title"],
        "slug": values["slug"],
        "visibility": values["visibility"],
        "parentId": await collection_id_of(work, values["parent"]),
        **{name: values[name] for name in ("description", "icon") if values[name] is not None},
    }
    collection = await collections.create_collection(work.ctx, body_from(CollectionCreate, fields))
    await load_collections(work)
    return collection.id


async def update(work: SyncWork, collection_id: str, changes: dict[str, str | None]) -> None:
    fields: dict[str, Any] = dict(changes)
    if "parent" in fields:
        fields["parentId"] = await collection_id_of(work, fields.pop("parent"))
    await collections.update_collection(work.ctx, collection_id, body_from(CollectionUpdate, fields))
    await load_collections(work)


async def collection_id_of(work: SyncWork, value: str | None) -> str | None:
    """The id of a folder's collection, which is created, with its parents, if it does not exist."""
    if value is None or value == NO_COLLECTION:
        return None
    if not value.startswith(NEW_FOLDER):
        return value
    folder = value.removeprefix(NEW_FOLDER)
    known_value = work.folders.by_folder.get(folder, value)
    if not known_value.startswith(NEW_FOLDER):
        return known_value
    path = folder + COLLECTION_FILE
    if path in work.pages or path in work.unreadable_paths - work.other_texts.keys():
        raise InvalidRequest(f"{path} could not be synced: fix that file first.")
    parent = work.folders.value_of(parent_folder(folder))
    values: dict[str, str | None] = {
        "title": title_of_folder(folder),
        "slug": implied_slug(folder.rstrip("/")),
        "visibility": "public",
        "parent": parent,
        "description": None,
        "icon": None,
    }
    collection_id = await create(work, values)
    work.folders.by_folder[folder] = collection_id
    work.sync.report(path, "created", f"The folder is now the collection “{values['title']}”.")
    return collection_id


def remove_file(work: SyncWork, page: FolderPage, row: SyncedFile) -> None:
    """Delete the file of a collection that was deleted in Instep, unless the file was changed since."""
    if page.file.text in (row.file_text, row.next_file_text):
        work.sync.writes[page.path] = None
        work.sync.report(page.path, "removed", "The collection was deleted in Instep.")
    else:
        work.sync.report(
            page.path, "conflict", "The collection was deleted in Instep: delete the file, or rename it."
        )


def forget_file(work: SyncWork, path: str, row: SyncedFile) -> None:
    """Keep a collection whose file is gone, including its articles."""
    del work.rows[path]
    collection = work.collections.get(row.resource_id)
    if collection is not None and row.file_text is not None:
        work.sync.report(
            path,
            "kept",
            f"The file is gone, but the collection “{collection.title}” is kept: delete it in the dashboard.",
        )

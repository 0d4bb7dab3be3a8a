"""Matches files of the last sync to the current files across renames."""

from collections.abc import Iterator
from contextlib import suppress

from instep.transfer.git_sync.pages import FolderPage, UnusablePage, parse_page
from instep.transfer.git_sync.schemas import SyncedFile
from instep.transfer.git_sync.work import SyncWork


def follow_renames(work: SyncWork) -> None:
    """Move the rows of renamed files to their new paths, and report them."""
    follow_written_moves(work)
    for old, new in list(renames(work)):
        if old not in work.rows or old in work.pages or new not in work.pages or new in work.rows:
            continue
        row = work.rows.pop(old)
        row.path = new
        work.rows[new] = row
        work.former_paths[new] = old
        article_id = row.resource_id if row.kind == "article" else None
        work.sync.report(new, "renamed", f"Renamed from {old}.", article_id=article_id)


def follow_written_moves(work: SyncWork) -> None:
    """Move the rows of files that the last sync moved once git has the moves, without reporting them."""
    for old, row in list(work.rows.items()):
        new = row.next_path
        if new is None or old in work.pages or new not in work.pages or new in work.rows:
            continue
        del work.rows[old]
        row.path = new
        work.rows[new] = row
        work.former_paths[new] = old
        work.followed_paths.add(new)


def renames(work: SyncWork) -> Iterator[tuple[str, str]]:
    """Old and new paths: renames in git, then files with the same text, then with the same slug."""
    for rename in work.request.renames:
        if is_same_kind(work, rename.source, rename.target):
            yield rename.source, rename.target
    lost_rows = [row for path, row in work.rows.items() if path not in work.pages]
    # A file that this sync has not seen in git may have been renamed after it was committed. Another page
    # with its slug is matched to its article, as to any article without a file.
    seen_rows = [row for row in lost_rows if row.file_text is not None]
    new_pages = [page for path, page in work.pages.items() if path not in work.rows]
    for identity_of, rows in ((same_text, lost_rows), (same_slug, seen_rows)):
        keys = {identity_of(page): page.path for page in new_pages}
        for row in rows:
            identities = (identity_of(page) for page in earlier_pages(work, row))
            path = next((keys[identity] for identity in identities if identity in keys), None)
            if path is not None:
                yield row.path, path


def same_text(page: FolderPage) -> tuple[str, ...]:
    return page.kind, page.locale or "", page.file.text


def same_slug(page: FolderPage) -> tuple[str, ...]:
    return page.kind, page.locale or "", page.slug


def is_same_kind(work: SyncWork, source: str, target: str) -> bool:
    row, page = work.rows.get(source), work.pages.get(target)
    return row is not None and page is not None and row.kind == page.kind


def earlier_pages(work: SyncWork, row: SyncedFile) -> Iterator[FolderPage]:
    """The page as the last sync read it, and as it wrote it."""
    for text in filter(None, (row.file_text, row.next_file_text)):
        with suppress(UnusablePage):
            if (page := parse_page(row.path, text, heads=work.heads)) is not None:
                yield page

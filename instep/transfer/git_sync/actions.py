"""Two-way sync between a folder of Markdown files in git and a help center.

Changes in git become edits to the articles, and changes in Instep are written to the files. Both are merged
against the last sync. Conflicts wait for a person; no text is lost.
"""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict

from instep.content.articles.overviews import lock_order
from instep.content.collections.actions import lock_tree
from instep.content.files.kinds import BY_CONTENT_TYPE
from instep.content.files.schemas import path_of_file
from instep.content.product_versions.actions import lock_existing_versions
from instep.drafting.drafts.releasing import settle_live
from instep.platform.core import limits
from instep.platform.core.errors import Conflict, InvalidRequest
from instep.platform.core.page_names import comparable_path
from instep.platform.core.sandbox import TimeLimitExceeded, is_short, run_bounded
from instep.platform.core.statistics import renew_statistics
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.transfer.exports.page_file import UnboundedFrontMatter, read_heads, split_page
from instep.transfer.exports.relative_links import paths_in
from instep.transfer.git_sync import queries
from instep.transfer.git_sync.article_places import sync_places
from instep.transfer.git_sync.article_plans import plan_articles
from instep.transfer.git_sync.article_proposals import dismiss_forgotten
from instep.transfer.git_sync.folder_articles import archive_deleted, sync_articles
from instep.transfer.git_sync.folder_collections import sync_collections
from instep.transfer.git_sync.new_files import place_new_files, write_new_files
from instep.transfer.git_sync.orders import KnownOrder
from instep.transfer.git_sync.pages import Heads, UnusablePage, parse_page
from instep.transfer.git_sync.pairing import follow_renames
from instep.transfer.git_sync.schemas import (
    Sync,
    SyncCreate,
    SyncedFile,
    SyncedFileIn,
    SyncedFileOut,
    SyncedFolder,
    SyncStateOut,
)
from instep.transfer.git_sync.unsynced_fields import report_contradictions
from instep.transfer.git_sync.work import SyncWork


class HistoryRewritten(Conflict):
    """The commit of the last sync is not an ancestor of this one: the history was rewritten, or a newer
    commit was already synced. Sync the newest commit; after a forced push, sync once with `restart`, which
    overwrites nothing and turns differences into drafts.
    """


class DryRunRollback(Exception):
    """Ends the transaction of a dry run."""


async def get_sync_state(ctx: Ctx, folder: str) -> SyncStateOut:
    """Get the state of a folder at its last sync: the next sync sends the changes since then."""
    state = await queries.find_folder(ctx, folder)
    rows = await queries.list_files(ctx, folder)
    return SyncStateOut(
        folder=folder,
        commit=state.commit if state else None,
        synced_at=state.synced_at if state else None,
        files=[file for row in rows for file in _files_out(row)],
    )


@writes
async def sync_folder(ctx: Ctx, request: SyncCreate) -> Sync:
    """Sync a folder of a git repository with the help center, in one transaction.

    Changes in git go live immediately, or with `drafts` wait for review. The response contains the files to
    write to the folder and commit. If both sides changed the same lines, both stay unchanged and a draft is
    queued. The commit of the last sync must be an ancestor of this one.
    """
    sync = Sync(request.folder, request.commit, request.dry_run)
    if not request.dry_run:
        await _run(ctx, request, sync)
        await renew_statistics(ctx.tx, len(request.files))
        return sync
    try:
        async with ctx.tx.transaction():
            await _run(ctx, request, sync)
            raise DryRunRollback
    except DryRunRollback:
        return _without_new_ids(sync)


async def _run(ctx: Ctx, request: SyncCreate, sync: Sync) -> None:
    await queries.lock_syncs(ctx)
    work = await _open_work(ctx, request, sync)
    await _resolve_assets(work)
    if sync.missing_assets:
        return
    # The versions and the order are locked before the articles, as everywhere.
    await lock_existing_versions(ctx)
    await lock_tree(ctx)
    await lock_order(ctx)
    follow_renames(work)
    _forget_unseen(work)
    await sync_collections(work)
    work.articles = {row.id: row for row in await queries.lock_articles(ctx)}
    if request.restart:
        await queries.forget_folder(ctx, request.folder)
        await dismiss_forgotten(work)
    plans = plan_articles(work)
    articles_by_path = place_new_files(work, plans)
    await sync_articles(work, plans)
    await settle_live(ctx, [row.article_id for row in sync.results if row.article_id])
    await archive_deleted(work)
    write_new_files(work, articles_by_path)
    await sync_places(work)
    report_contradictions(work, plans)
    await _save(work)


async def _open_work(ctx: Ctx, request: SyncCreate, sync: Sync) -> SyncWork:
    state = await queries.find_folder(ctx, request.folder)
    rows = {row.path: row for row in await queries.list_files(ctx, request.folder)}
    known_texts = {path: row.file_text for path, row in rows.items()}
    draft_ids = [row.draft_id for row in rows.values() if row.draft_id is not None]
    if request.restart:
        rows = {}
    else:
        _refuse_other_history(state, request)
    work = SyncWork(ctx, request, sync, rows)
    if state is not None and not request.restart:
        work.orders = {key: KnownOrder(**order) for key, order in state.orders.items()}
    texts = {file.path: _text_of(file, known_texts.get(file.path)) for file in request.files}
    work.heads = await _read_heads([*texts.values(), *filter(None, known_texts.values())])
    for path, text in texts.items():
        problem = work.heads[split_page(text).head]
        if isinstance(problem, UnboundedFrontMatter):
            raise InvalidRequest(f"`files`: the front matter of {path} can't be read: {problem}.")
    _read_pages(work, texts)
    work.ids_elsewhere = await queries.list_ids_elsewhere(ctx, request.folder)
    work.pending_drafts = await queries.list_pending_drafts(ctx, draft_ids)
    return work


def _refuse_other_history(state: SyncedFolder | None, request: SyncCreate) -> None:
    previous = request.model_dump().get("previous_commit")
    if state is not None and state.commit not in (previous, request.commit):
        raise HistoryRewritten


async def _read_heads(texts: Iterable[str]) -> Heads:
    """The front matter of the texts; each distinct text is read once."""
    heads = list({split_page(text).head: None for text in texts})
    try:
        values = await run_bounded(
            read_heads, heads, seconds=limits.MAX_FRONT_MATTER_SECONDS, is_small=is_short(*heads)
        )
    except TimeLimitExceeded:
        raise InvalidRequest("`files`: the front matter takes too long to read: shorten it.") from None
    return dict(zip(heads, values, strict=True))


def _read_pages(work: SyncWork, texts: Mapping[str, str]) -> None:
    """Read the folder's Markdown files; files that are not pages are ignored."""
    for file in work.request.files:
        if file.path in work.pages or file.path in work.unreadable_paths:
            raise InvalidRequest(f"`files` names {file.path} twice: send each file once.")
        text = texts[file.path]
        try:
            page = parse_page(file.path, text, file.has_written, work.heads)
        except UnusablePage as refusal:
            work.unreadable_paths.add(file.path)
            work.sync.report(file.path, "refused", refusal.message)
            continue
        if page is not None:
            work.pages[file.path] = page
            continue
        work.unreadable_paths.add(file.path)
        if file.path not in work.rows:
            work.other_texts[file.path] = text
        else:
            work.sync.report(file.path, "refused", "The front matter no longer has a `title`: add one.")


def _text_of(file: SyncedFileIn, known_text: str | None) -> str:
    """The text that was sent, or the text of the last sync if its digest is the same."""
    text: str | None = file.model_dump().get("content", known_text)
    if text is None or digest_of(text) != file.sha256:
        raise InvalidRequest(f"`files`: send the `content` of {file.path} that matches its `sha256`.")
    return text


def _forget_unseen(work: SyncWork) -> None:
    """Write texts again that were written but never committed."""
    for path, row in list(work.rows.items()):
        is_there = path in work.pages or path in work.unreadable_paths
        if not is_there and row.file_text is None:
            del work.rows[path]


async def _resolve_assets(work: SyncWork) -> None:
    """Map images of the folder to stored files; report used images that are not stored."""
    assets = {asset.path: asset for asset in work.request.assets}
    stored = {
        row.sent_sha256: row
        for row in await queries.list_assets(work.ctx, {asset.sha256 for asset in assets.values()})
    }
    for path, asset in assets.items():
        if (row := stored.get(asset.sha256)) is not None:
            kind = BY_CONTENT_TYPE[row.content_type]
            work.site.add(path, path_of_file(work.ctx.bot, row.sha256, kind))
    missing = {path for path, asset in assets.items() if asset.sha256 not in stored}
    if missing:
        texts = [(page.file.body, page.path) for page in work.pages_of("article")]
        targets = await _paths_in(texts)
        work.sync.missing_assets = sorted(path for path in missing if comparable_path(path) in targets)


async def _paths_in(texts: Sequence[tuple[str, str]]) -> set[str]:
    """The files that the texts, each with its path, link to or show."""
    is_small = is_short(*(text for text, _ in texts))
    try:
        return await run_bounded(paths_in, texts, seconds=limits.MAX_LINKS_SECONDS, is_small=is_small)
    except TimeLimitExceeded:
        raise InvalidRequest(
            "`files`: the links in the folder take too long to read: sync a part of it."
        ) from None


async def _save(work: SyncWork) -> None:
    folder = work.request.folder
    orders = {key: asdict(order) for key, order in work.orders.items()}
    await queries.save_folder(work.ctx, folder, work.request.commit, orders)
    await queries.delete_files(work.ctx, folder, work.stored_rows.keys() - work.rows.keys())
    for path, row in work.rows.items():
        if work.stored_rows.get(path) != row:
            await queries.save_file(work.ctx, folder, row)


def _without_new_ids(sync: Sync) -> Sync:
    """Remove the ids of new resources: a dry run has rolled them back."""
    for result in sync.results:
        if result.action in ("created", "conflict", "proposed"):
            result.draft_id = None
        if result.action == "created":
            result.article_id = None
    return sync


def _files_out(row: SyncedFile) -> Iterator[SyncedFileOut]:
    """The file in git, and the written file, which has another path if it was moved."""
    is_written = row.next_file_text is not None and row.draft_id is None
    written_blob = blob_of(row.next_file_text or "") if is_written else None
    sha256 = digest_of(row.file_text) if row.file_text is not None else None
    if row.next_path is None:
        yield SyncedFileOut(path=row.path, sha256=sha256, written_blob=written_blob)
        return
    yield SyncedFileOut(path=row.path, sha256=sha256, written_blob=None)
    yield SyncedFileOut(path=row.next_path, sha256=None, written_blob=written_blob)


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def blob_of(text: str) -> str:
    """The id of a git blob with this text (Pro Git, Git Internals, Git Objects)."""
    data = text.encode()
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()

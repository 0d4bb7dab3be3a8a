"""The SQL of files."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from instep.content.files.schemas import FileUse, PictureSize, SentFile, StoredFile
from instep.content.files.storage import BACKUP_LOCK
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.schemas import Ctx

FILE = """
    f.id, f.name, f.content_type, f.bytes, f.width, f.height, f.sha256, f.object_key, o.location, f.created_at
"""
FILES = """
    from files f join stored_objects o on o.workspace_id = f.workspace_id and o.key = f.object_key
    where f.bot_id = %(bot)s and f.workspace_id = %(workspace)s
"""
ORDER = Order(("f.created_at", "f.id"), descending=True)


@dataclass(frozen=True, slots=True)
class FreedObject:
    """An object in the bucket that belongs to no file."""

    key: str
    workspace_id: str


async def list_page(ctx: Ctx, request: PageRequest) -> Page[StoredFile]:
    page = request.page(ORDER, "files", ctx.bot.id)
    return await page.read(ctx, StoredFile, f"select {FILE} {FILES} and {page.condition} {page.tail}")


async def find(ctx: Ctx, file_id: str, *, lock: bool = False) -> StoredFile | None:
    return await ctx.first(
        StoredFile, f"select {FILE} {FILES} and f.id = %(id)s {'for update of f' if lock else ''}", id=file_id
    )


async def find_by_digest(ctx: Ctx, sha256: str, content_type: str) -> StoredFile | None:
    """The file with these bytes; of several that differed only in metadata, the oldest."""
    return await ctx.first(
        StoredFile,
        f"""
        select {FILE} {FILES} and f.sha256 = %(sha256)s and f.content_type = %(type)s
        order by f.created_at, f.id limit 1
        """,
        sha256=sha256,
        type=content_type,
    )


async def list_sizes(ctx: Ctx, digests: Collection[str]) -> list[PictureSize]:
    """The sizes of the bot's images with these digests."""
    return await ctx.all(
        PictureSize,
        """
        select distinct f.sha256, f.width, f.height from files f
        where f.bot_id = %(bot)s and f.workspace_id = %(workspace)s
          and f.sha256 = any(%(digests)s) and f.width is not null
        """,
        digests=list(digests),
    )


async def find_sent(ctx: Ctx, sent_sha256: str) -> StoredFile | None:
    """The locked file made from these bytes; if no text refers to it, its retention restarts."""
    # The row is always written: this waits for a file that is being removed, and then doesn't find it.
    return await ctx.first(
        StoredFile,
        f"""
        update files f
        set unreferenced_since = case when f.unreferenced_since is not null then %(now)s::timestamptz end
        from stored_objects o
        where f.bot_id = %(bot)s and f.workspace_id = %(workspace)s and f.sent_sha256 = %(sent)s
          and o.workspace_id = f.workspace_id and o.key = f.object_key
        returning {FILE}
        """,
        sent=sent_sha256,
    )


async def list_sent(ctx: Ctx, sent_digests: Collection[str]) -> list[SentFile]:
    """The files that were made from any of these bytes."""
    return await ctx.all(
        SentFile,
        """
        select f.sent_sha256, f.sha256, f.content_type from files f
        where f.bot_id = %(bot)s and f.workspace_id = %(workspace)s and f.sent_sha256 = any(%(digests)s)
        """,
        digests=list(sent_digests),
    )


async def lock_uploads(ctx: Ctx) -> None:
    """Make other uploads to the bot wait until this transaction ends, so that its quota is exact."""
    await ctx.tx.advisory_lock(f"{ctx.bot.id} files")


async def stored_bytes(ctx: Ctx) -> int:
    """The size of all files of the bot together."""
    return await ctx.value(
        """
        select coalesce(sum(bytes), 0)::bigint from files
        where bot_id = %(bot)s and workspace_id = %(workspace)s
        """
    )


async def insert(ctx: Ctx, row: dict[str, Any]) -> None:
    await ctx.execute(
        """
        insert into files (id, workspace_id, bot_id, name, content_type, bytes, width, height, sha256,
            sent_sha256, object_key, unreferenced_since, created_at)
        values (%(id)s, %(workspace)s, %(bot)s, %(name)s, %(content_type)s, %(bytes)s, %(width)s, %(height)s,
            %(sha256)s, %(sent_sha256)s, %(object_key)s, %(now)s, %(now)s)
        """,
        **row,
    )


async def delete(ctx: Ctx, file_id: str) -> None:
    """Remove a file; its object is removed later (see the trigger `files_free_object`)."""
    await ctx.execute(
        "delete from files where bot_id = %(bot)s and workspace_id = %(workspace)s and id = %(id)s",
        id=file_id,
    )


# The articles and entries whose texts, working copies or pending drafts refer to a file.
USES = """
    select a.id, a.title from articles a
    where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null and a.id in (
        select r.source_id from file_references r
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s
          and r.sha256 = f.sha256 and r.source in ('article', 'working_copy')
        union all
        select d.article_id from file_references r
        join drafts d on d.workspace_id = %(workspace)s and d.bot_id = r.bot_id and d.id = r.source_id
          and d.status = 'pending'
        where r.bot_id = %(bot)s and r.workspace_id = %(workspace)s
          and r.sha256 = f.sha256 and r.source = 'draft')
    union all
    select e.id, e.title from changelog_entries e
    join file_references r on r.workspace_id = %(workspace)s and r.source_id = e.id
    where e.bot_id = %(bot)s and e.workspace_id = %(workspace)s
      and r.bot_id = %(bot)s and r.sha256 = f.sha256 and r.source = 'changelog_entry'
    order by title, id limit %(limit)s
"""


async def list_uses(ctx: Ctx, sha256: str, limit: int) -> list[FileUse]:
    """Articles and entries that refer to a file, up to a limit."""
    return (await list_uses_of(ctx, [sha256], limit)).get(sha256, [])


async def list_uses_of(ctx: Ctx, digests: Collection[str], limit: int) -> dict[str, list[FileUse]]:
    """Articles and entries that refer to each of these files, up to a limit, by the files' digests."""
    rows = await ctx.all(
        FileUse,
        f"""
        select f.sha256, u.id, u.title from unnest(%(digests)s::text[]) as f (sha256), lateral ({USES}) as u
        order by u.title, u.id
        """,
        digests=list(digests),
        limit=limit,
    )
    uses: dict[str, list[FileUse]] = {}
    for row in rows:
        uses.setdefault(row.sha256, []).append(row)
    return uses


async def remove_unreferenced(tx: Tx, now: datetime, most: int) -> int:
    """Remove files of all workspaces that have been unreferenced for long enough; return how many."""
    return await tx.value(
        "select remove_unreferenced_files(%(now)s, %(age)s, %(most)s)",
        now=now,
        age=limits.UNREFERENCED_FILE_RETENTION,
        most=most,
    )


async def list_removable(tx: Tx, now: datetime, most: int) -> list[FreedObject]:
    """Objects in the bucket, of all workspaces, that belong to no file; empty during a backup.

    A backup needs the objects of its snapshot, which does not include objects that were already removable.
    """
    return await tx.all(
        FreedObject,
        """
        select key, workspace_id from removable_objects(%(now)s, %(most)s)
        where not exists (
            select from pg_locks l join pg_database d on d.oid = l.database
            where l.locktype = 'advisory' and d.datname = current_database()
              and (l.classid::bigint << 32) + l.objid::bigint = %(lock)s)
        """,
        now=now,
        most=most,
        lock=BACKUP_LOCK,
    )

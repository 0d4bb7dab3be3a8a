"""The SQL of syncs with git."""

from collections.abc import Collection, Sequence
from dataclasses import asdict, fields
from typing import Any

from psycopg.types.json import Jsonb

from instep.platform.identity.schemas import Ctx
from instep.transfer.git_sync.schemas import FileAddress, StoredAsset, SyncedArticle, SyncedFile, SyncedFolder
from instep.transfer.imports.schemas import ArticlePlace

COLUMNS = tuple(field.name for field in fields(SyncedFile))
FILE = ", ".join(COLUMNS)
VALUES = ", ".join(f"%({name})s" for name in COLUMNS)
CHANGES = ", ".join(f"{name} = excluded.{name}" for name in COLUMNS)


async def lock_syncs(ctx: Ctx) -> None:
    """Make other syncs of the bot wait until this transaction ends."""
    await ctx.tx.advisory_lock(f"syncs {ctx.bot.id}")


async def find_folder(ctx: Ctx, folder: str) -> SyncedFolder | None:
    return await ctx.first(
        SyncedFolder,
        """
        select folder, commit, synced_at, orders from synced_folders
        where bot_id = %(bot)s and workspace_id = %(workspace)s and folder = %(folder)s
        """,
        folder=folder,
    )


async def list_files(ctx: Ctx, folder: str) -> list[SyncedFile]:
    return await ctx.all(
        SyncedFile,
        f"""
        select {FILE} from synced_files
        where bot_id = %(bot)s and workspace_id = %(workspace)s and folder = %(folder)s order by path
        """,
        folder=folder,
    )


async def list_folders(ctx: Ctx) -> list[str]:
    folders = await ctx.value(
        """
        select array_agg(folder order by folder) from synced_folders
        where bot_id = %(bot)s and workspace_id = %(workspace)s
        """
    )
    return list(folders or ())


async def list_files_of(ctx: Ctx, folder: str, article_ids: Sequence[str]) -> list[SyncedFile]:
    """The rows of these articles' files."""
    return await ctx.all(
        SyncedFile,
        f"""
        select {FILE} from synced_files
        where bot_id = %(bot)s and workspace_id = %(workspace)s and folder = %(folder)s
          and resource_id = any(%(ids)s) order by path
        """,
        folder=folder,
        ids=list(article_ids),
    )


async def list_addresses(ctx: Ctx, folder: str) -> list[FileAddress]:
    """The files of a folder whose articles are not deleted, with the names in the articles' addresses."""
    return await ctx.all(
        FileAddress,
        """
        select f.path, a.id, a.slug, a.locale from synced_files f
        join articles a on a.workspace_id = %(workspace)s and a.id = f.resource_id
        where f.bot_id = %(bot)s and f.workspace_id = %(workspace)s and f.folder = %(folder)s
          and a.deleted_at is null order by f.path
        """,
        folder=folder,
    )


async def list_ids_elsewhere(ctx: Ctx, folder: str) -> set[str]:
    """The ids of articles and collections in other synced folders of this help center."""
    ids = await ctx.value(
        """
        select array_agg(resource_id) from synced_files
        where bot_id = %(bot)s and workspace_id = %(workspace)s and folder <> %(folder)s
        """,
        folder=folder,
    )
    return set(ids or ())


async def lock_articles(ctx: Ctx) -> list[SyncedArticle]:
    """All articles that are not deleted, in reading order, locked.

    They are locked in the order of their ids, as in every statement that locks several articles.
    """
    await ctx.execute(
        """
        select id from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s and deleted_at is null
        order by id for no key update
        """
    )
    return await ctx.all(
        SyncedArticle,
        """
        select a.id, a.slug, a.locale, a.translation_of, a.title, a.description, a.collection_id, a.position,
            a.visibility, a.status, a.version, a.content_markdown as content, since.slug as since_slug,
            until.slug as until_slug, coalesce(r.version > coalesce(a.translated_version, 0), false)
                as is_outdated
        from articles a
        left join articles r on r.workspace_id = %(workspace)s and r.id = a.translation_of
        left join product_versions since on since.workspace_id = %(workspace)s and since.id = a.since_version
        left join product_versions until on until.workspace_id = %(workspace)s and until.id = a.until_version
        where a.bot_id = %(bot)s and a.workspace_id = %(workspace)s and a.deleted_at is null
        order by a.collection_id, a.position, a.id
        """,
    )


async def list_positions(ctx: Ctx) -> list[ArticlePlace]:
    """The current position of each original, in reading order."""
    return await ctx.all(
        ArticlePlace,
        """
        select id, collection_id, position from articles
        where bot_id = %(bot)s and workspace_id = %(workspace)s
          and deleted_at is null and translation_of is null
        order by position, id
        """,
    )


async def list_pending_drafts(ctx: Ctx, ids: Sequence[str]) -> set[str]:
    """Those of these drafts that are pending."""
    pending = await ctx.value(
        """
        select array_agg(id) from drafts
        where bot_id = %(bot)s and workspace_id = %(workspace)s
          and id = any(%(ids)s) and status = 'pending'
        """,
        ids=list(ids),
    )
    return set(pending or ())


async def list_assets(ctx: Ctx, digests: Collection[str]) -> list[StoredAsset]:
    """The stored files whose sent bytes have these digests."""
    return await ctx.all(
        StoredAsset,
        """
        select sent_sha256, sha256, content_type from files
        where bot_id = %(bot)s and workspace_id = %(workspace)s and sent_sha256 = any(%(digests)s)
        """,
        digests=list(digests),
    )


async def save_folder(ctx: Ctx, folder: str, commit: str, orders: dict[str, Any]) -> None:
    await ctx.execute(
        """
        insert into synced_folders (workspace_id, bot_id, folder, commit, synced_at, orders)
        values (%(workspace)s, %(bot)s, %(folder)s, %(commit)s, %(now)s, %(orders)s)
        on conflict (bot_id, folder, workspace_id) do update set
            commit = excluded.commit, synced_at = excluded.synced_at, orders = excluded.orders
        """,
        folder=folder,
        commit=commit,
        orders=Jsonb(orders),
    )


async def forget_folder(ctx: Ctx, folder: str) -> None:
    await ctx.execute(
        """
        delete from synced_folders
        where bot_id = %(bot)s and workspace_id = %(workspace)s and folder = %(folder)s
        """,
        folder=folder,
    )


async def delete_files(ctx: Ctx, folder: str, paths: Collection[str]) -> None:
    await ctx.execute(
        """
        delete from synced_files
        where bot_id = %(bot)s and workspace_id = %(workspace)s
          and folder = %(folder)s and path = any(%(paths)s)
        """,
        folder=folder,
        paths=list(paths),
    )


async def save_file(ctx: Ctx, folder: str, row: SyncedFile) -> None:
    """Insert or replace the row of a file."""
    columns = {
        name: Jsonb(value) if isinstance(value, dict) else value for name, value in asdict(row).items()
    }
    await ctx.execute(
        f"""
        insert into synced_files (workspace_id, bot_id, folder, {FILE})
        values (%(workspace)s, %(bot)s, %(folder)s, {VALUES})
        on conflict (bot_id, folder, path, workspace_id) do update set {CHANGES}
        """,
        folder=folder,
        **columns,
    )

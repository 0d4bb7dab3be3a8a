"""The storage of files' bytes: PostgreSQL, or a bucket or folder that `INSTEP_FILES` names.

Each object has its own key, which is never reused, and a row in the journal `stored_objects`. An
object whose row has a removal time belongs to no file.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Literal, Protocol

import structlog
from obstore import delete_async, get_range_async, put_async
from obstore.exceptions import BaseError
from obstore.store import ObjectStore, from_url

from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import Unavailable, Unusable
from instep.platform.core.ids import new_id
from instep.platform.core.restarts import between_attempts
from instep.platform.core.settings import Settings
from instep.platform.identity.schemas import Ctx

log = structlog.get_logger()

Location = Literal["database", "bucket"]
CHUNK_BYTES = 256 * 1024
# The number of bytes that one request to a bucket reads.
READ_BYTES = 1024 * 1024
# An upload takes minutes at most; its remains are removed after this time.
UNFINISHED_OBJECT_RETENTION = timedelta(days=1)
REQUEST_SECONDS = 30
CONNECT_SECONDS = 5
MAX_RETRIES = 2
PROBE_KEY = "instep-doctor"
# Backups hold this advisory lock, shared, from before their snapshot until they have copied the bucket.
BACKUP_LOCK = 4_927_001_735


class StorageUnavailable(Unavailable):
    """The storage of files can't be reached: try again in a moment."""


class ObjectMissing(Exception):
    """The object doesn't exist: its file was removed, or the storage has lost it."""


class FileStorage(Protocol):
    """A storage for the bytes of files; each method raises `StorageUnavailable` if it can't be reached."""

    @property
    def location(self) -> Location: ...

    async def store(self, ctx: Ctx, content: bytes, digest: str) -> str:
        """Store an object for a file that the caller's transaction creates; return its key."""
        ...

    def read(self, workspace_id: str, key: str, start: int, end: int) -> AsyncIterator[bytes]:
        """The bytes from `start` up to `end` (exclusive), in pieces; raises `ObjectMissing`."""
        ...

    async def remove(self, workspace_id: str, key: str) -> None:
        """Remove an object; a missing one is not an error."""
        ...


@dataclass(frozen=True, slots=True)
class DatabaseStorage:
    """Objects as rows of chunks: written with their file, and read without holding a connection."""

    database: Database
    location: Location = "database"

    async def store(self, ctx: Ctx, content: bytes, digest: str) -> str:
        key = new_id("obj")
        await record_object(ctx.tx, ctx.workspace_id, key, self.location, None)
        for number, start in enumerate(range(0, len(content), CHUNK_BYTES)):
            await ctx.execute(
                """
                insert into object_chunks (workspace_id, key, number, data)
                values (%(workspace)s, %(key)s, %(number)s, %(data)b)
                """,
                workspace=ctx.workspace_id,
                key=key,
                number=number,
                data=content[start : start + CHUNK_BYTES],
            )
        return key

    async def read(self, workspace_id: str, key: str, start: int, end: int) -> AsyncIterator[bytes]:
        for number in range(start // CHUNK_BYTES, -(-end // CHUNK_BYTES)):
            async with self.database.enter_workspace(workspace_id) as tx:
                chunk = await tx.value(
                    """
                    select data from object_chunks
                    where key = %(key)s and workspace_id = %(workspace)s and number = %(number)s
                    """,
                    key=key,
                    number=number,
                )
            if chunk is None:
                raise ObjectMissing(key)
            first = number * CHUNK_BYTES
            yield chunk[max(start - first, 0) : end - first]

    async def remove(self, workspace_id: str, key: str) -> None:
        async with self.database.enter_workspace(workspace_id) as tx:
            await tx.execute(
                "delete from stored_objects where key = %(key)s and workspace_id = %(workspace)s", key=key
            )


@dataclass(frozen=True, slots=True)
class BucketStorage:
    """Objects in a bucket or folder, below a folder for each workspace."""

    database: Database
    bucket: ObjectStore
    location: Location = "bucket"

    async def store(self, ctx: Ctx, content: bytes, digest: str) -> str:
        put = partial(self.put, ctx.workspace_id, content)
        key = await between_attempts(BucketStorage, (ctx.workspace_id, digest), put)
        # The sweep removes only objects whose time has come, so it has not removed this one.
        claimed_rows = await ctx.execute(
            """
            update stored_objects set removable_at = null
            where workspace_id = %(workspace)s and key = %(key)s and removable_at > now()
            """,
            workspace=ctx.workspace_id,
            key=key,
        )
        if claimed_rows == 0:
            raise StorageUnavailable
        return key

    async def put(self, workspace_id: str, content: bytes) -> str:
        """Put an object that belongs to no file yet; the journal records it before the bucket has it."""
        key = new_id("obj")
        async with self.database.enter_workspace(workspace_id) as tx:
            await record_object(tx, workspace_id, key, self.location, UNFINISHED_OBJECT_RETENTION)
        try:
            await put_async(self.bucket, path_of(workspace_id, key), content)
        except (BaseError, OSError) as error:
            raise outage_of_storage(error) from error
        return key

    async def read(self, workspace_id: str, key: str, start: int, end: int) -> AsyncIterator[bytes]:
        for first in range(start, end, READ_BYTES):
            last = min(first + READ_BYTES, end)
            try:
                piece = await get_range_async(self.bucket, path_of(workspace_id, key), start=first, end=last)
            except FileNotFoundError:
                raise ObjectMissing(key) from None
            except (BaseError, OSError) as error:
                raise outage_of_storage(error) from error
            yield bytes(piece)

    async def remove(self, workspace_id: str, key: str) -> None:
        """Remove an object, and then its row; the lock on the row prevents uploads from claiming it."""
        async with self.database.enter_workspace(workspace_id) as tx, tx.transaction():
            is_removable = await tx.value(
                """
                select true from stored_objects
                where key = %(key)s and workspace_id = %(workspace)s and removable_at <= now()
                for update skip locked
                """,
                key=key,
            )
            if not is_removable:
                return
            await self.delete(path_of(workspace_id, key))
            await tx.execute(
                "delete from stored_objects where key = %(key)s and workspace_id = %(workspace)s", key=key
            )

    async def delete(self, path: str) -> None:
        try:
            await delete_async(self.bucket, path)
        except FileNotFoundError:
            return
        except (BaseError, OSError) as error:
            raise outage_of_storage(error) from error


@dataclass(frozen=True, slots=True)
class Storages:
    """The storages of this installation; files stay where they were stored when the setting changes."""

    database: DatabaseStorage
    bucket: BucketStorage | None

    @property
    def for_new_files(self) -> FileStorage:
        return self.bucket or self.database

    def at(self, location: Location) -> FileStorage:
        """The storage of an existing file."""
        if location == "database":
            return self.database
        if self.bucket is None:
            raise StorageUnavailable
        return self.bucket


def open_storages(settings: Settings, database: Database) -> Storages:
    """The storages according to the settings; nothing is called before the first file."""
    bucket = BucketStorage(database, open_bucket(settings.files)) if settings.files else None
    return Storages(DatabaseStorage(database), bucket)


def open_bucket(url: str, setting: str = "INSTEP_FILES") -> ObjectStore:
    """A bucket or folder by its URL; keys and endpoints come from the provider's own variables.

    Raises `Unusable`, which names the setting of the URL.
    """
    try:
        if url.startswith("file:"):
            return from_url(url, mkdir=True)
        return from_url(
            url,
            client_options={
                "connect_timeout": f"{CONNECT_SECONDS}s",
                "timeout": f"{REQUEST_SECONDS}s",
                # The operator chooses the endpoint, which may be http only if its URL says so.
                "allow_http": True,
            },
            retry_config={"max_retries": MAX_RETRIES, "retry_timeout": timedelta(seconds=REQUEST_SECONDS)},
        )
    except (BaseError, ValueError, OSError) as error:
        raise Unusable(f"{setting} can't be used: {first_line(error)}.") from None


async def check_bucket(url: str, setting: str = "INSTEP_FILES") -> None:
    """Write and remove an object as a check; raises `Unusable` with the reason."""
    bucket = open_bucket(url, setting)
    try:
        await put_async(bucket, PROBE_KEY, b"This object may be removed.")
        await delete_async(bucket, PROBE_KEY)
    except (BaseError, OSError) as error:
        raise Unusable(f"{setting} can't be written: {first_line(error)}.") from None


async def record_object(
    tx: Tx, workspace_id: str, key: str, location: Location, removable_in: timedelta | None
) -> None:
    """Write an object into the journal; without `removable_in` a file needs it from now on."""
    await tx.execute(
        """
        insert into stored_objects (key, workspace_id, location, removable_at)
        values (%(key)s, %(workspace)s, %(location)s, now() + %(removable_in)s::interval)
        """,
        key=key,
        workspace=workspace_id,
        location=location,
        removable_in=removable_in,
    )


def path_of(workspace_id: str, key: str) -> str:
    return f"{workspace_id}/{key}"


def outage_of_storage(error: Exception) -> StorageUnavailable:
    """The error for the caller; the reason is logged for the operator."""
    log.error("the storage of files refuses work", reason=first_line(error))
    return StorageUnavailable()


def first_line(error: Exception) -> str:
    """The first line of an error's message, without the library's own structures."""
    return str(error).partition("\n")[0].rstrip(".")

"""Operations on files: upload, read, delete."""

import hashlib
from collections.abc import Collection, Sequence
from functools import partial

from instep.content.files import queries
from instep.content.files.inspection import Inspection as Inspection
from instep.content.files.inspection import inspect_file
from instep.content.files.kinds import SVG
from instep.content.files.reading import read_file
from instep.content.files.schemas import FileUse, StoredFile, UploadedFile, clean_name
from instep.content.files.storage import FileStorage
from instep.content.files.svg import clean_svg, is_svg
from instep.platform.core import limits
from instep.platform.core.errors import AppError, InvalidRequest, NotFound
from instep.platform.core.ids import new_id
from instep.platform.core.jobs import defer
from instep.platform.core.paging import Page, PageRequest
from instep.platform.core.restarts import between_attempts
from instep.platform.core.sandbox import TimeLimitExceeded, run_in_process
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx

SWEEP_FILES = "sweep_files"
TOO_COSTLY = "Reading this file takes too much time or memory: make it smaller."


class FileInUse(AppError):
    """An article or changelog entry shows this file: remove it there first, or send `force=true`."""

    code = "file_in_use"


async def list_files(ctx: Ctx, page: PageRequest) -> Page[StoredFile]:
    """List the images and downloads, newest first."""
    return await queries.list_page(ctx, page)


async def list_file_uses(ctx: Ctx, files: Sequence[StoredFile]) -> dict[str, list[FileUse]]:
    """List the articles and entries that show these files, by the ids of the files.

    The list has one more per file than a refusal names, so that the refusal can say that there are others.
    """
    uses = await queries.list_uses_of(ctx, {file.sha256 for file in files}, limits.MAX_FILE_USES_NAMED + 1)
    return {file.id: uses.get(file.sha256, []) for file in files}


async def stored_bytes(ctx: Ctx) -> int:
    """The size of all files of the bot together."""
    return await queries.stored_bytes(ctx)


async def get_file(ctx: Ctx, file_id: str) -> StoredFile:
    """Get the data of a file; its bytes are at its `url`."""
    return await _find_file(ctx, file_id)


async def find_sent_files(ctx: Ctx, sent_digests: Collection[str]) -> dict[str, str]:
    """The paths of the files that are already stored, by the SHA-256 digests of the sent bytes."""
    return {file.sent_sha256: file.path(ctx.bot) for file in await queries.list_sent(ctx, sent_digests)}


@writes
async def upload_file(ctx: Ctx, storage: FileStorage, name: str, data: bytes) -> UploadedFile:
    """Upload an image or a download: its bytes are the body of the request.

    The type is detected from the bytes: PNG, JPEG, GIF, WebP and AVIF images are shown in articles; PDF, ZIP,
    CSV, TXT, JSON, MP4 and WebM files are downloads. Metadata is removed from images. Uploading the same
    bytes again returns the same file with 200. A file that no text refers to for 30 days is removed.
    """
    _refuse_large(data)
    sent_sha256 = hashlib.sha256(data).hexdigest()
    if file := await queries.find_sent(ctx, sent_sha256):
        return UploadedFile(file, is_new=False)
    name = clean_name(name)
    return await store_inspected(ctx, storage, name, sent_sha256, await _inspect(data, name, sent_sha256))


@writes
async def upload_logo(ctx: Ctx, storage: FileStorage, name: str, data: bytes) -> UploadedFile:
    """Upload an image for the frame around all pages, which may also be an SVG of plain shapes."""
    if not is_svg(data):
        uploaded = await upload_file(ctx, storage, name, data)
        if not uploaded.file.kind.is_picture:
            raise InvalidRequest(
                f"“{uploaded.file.name}” is not an image: choose an SVG, PNG, JPEG, GIF, WebP or AVIF."
            )
        return uploaded
    try:
        content = await run_in_process(clean_svg, data, seconds=limits.MAX_FILE_SECONDS)
    except TimeLimitExceeded:
        raise InvalidRequest(TOO_COSTLY) from None
    # For texts an SVG with the same bytes is refused, so it must not find this file.
    sent_sha256 = hashlib.sha256(b"logo:" + content).hexdigest()
    return await store_inspected(ctx, storage, name, sent_sha256, Inspection(SVG, content))


async def inspect_upload(name: str, data: bytes) -> Inspection:
    """The stored form of a file, made outside of any transaction; raises `InvalidRequest` to refuse it."""
    _refuse_large(data)
    return await _inspect(data, clean_name(name), hashlib.sha256(data).hexdigest())


async def store_inspected(
    ctx: Ctx, storage: FileStorage, name: str, sent_sha256: str, inspection: Inspection
) -> UploadedFile:
    """Store an inspected file; the caller has checked the right to write."""
    await queries.lock_uploads(ctx)
    # The same bytes may have been stored while these were read.
    if file := await queries.find_sent(ctx, sent_sha256):
        return UploadedFile(file, is_new=False)
    await _refuse_over_quota(ctx, len(inspection.content))
    key = await storage.store(ctx, inspection.content, sent_sha256)
    file_id = new_id("file")
    row = {
        "id": file_id,
        "name": clean_name(name),
        "content_type": inspection.kind.content_type,
        "bytes": len(inspection.content),
        "width": inspection.width,
        "height": inspection.height,
        "sha256": hashlib.sha256(inspection.content).hexdigest(),
        "sent_sha256": sent_sha256,
        "object_key": key,
    }
    await queries.insert(ctx, row)
    return UploadedFile(await _find_file(ctx, file_id), is_new=True)


@writes
async def delete_file(ctx: Ctx, file_id: str, *, is_forced: bool = False) -> str:
    """Delete a file; its URL returns 404 immediately.

    Refused with `file_in_use` while an article or changelog entry shows it, unless `force` is true. Former
    texts of articles do not count: restoring one brings back a reference to a missing file.
    """
    # A transaction that is saving a text with a reference to it locks the row, so this waits for it.
    file = await _find_file(ctx, file_id, lock=True)
    uses = await queries.list_uses(ctx, file.sha256, limits.MAX_FILE_USES_NAMED + 1)
    if uses and not is_forced:
        raise FileInUse(
            f"This file is used in {_named_uses(uses)}: remove it there first, or send `force=true`."
        )
    await queries.delete(ctx, file.id)
    await defer(ctx.tx, SWEEP_FILES, {}, dedupe=SWEEP_FILES)
    return file.id


async def find_by_digest(ctx: Ctx, sha256: str, content_type: str) -> StoredFile | None:
    """The file that its URL names, without checking whether the caller may see it."""
    return await queries.find_by_digest(ctx, sha256, content_type)


def _refuse_large(data: bytes) -> None:
    if len(data) > limits.MAX_FILE_BYTES:
        raise InvalidRequest(f"The file is larger than {limits.MAX_FILE_BYTES} bytes.")


async def _inspect(data: bytes, name: str, sent_sha256: str) -> Inspection:
    """The inspected file, read in a process that can be killed."""
    try:
        return await between_attempts(inspect_file, (sent_sha256, name), partial(read_file, data, name))
    except TimeLimitExceeded:
        raise InvalidRequest(TOO_COSTLY) from None


async def _refuse_over_quota(ctx: Ctx, added_bytes: int) -> None:
    if await queries.stored_bytes(ctx) + added_bytes > limits.MAX_BOT_FILES_BYTES:
        raise InvalidRequest(
            f"The files of this help center would exceed {limits.MAX_BOT_FILES_BYTES // 1024**3} GiB: delete "
            "some that are no longer needed."
        )


async def _find_file(ctx: Ctx, file_id: str, *, lock: bool = False) -> StoredFile:
    file = await queries.find(ctx, file_id, lock=lock)
    if file is None:
        raise NotFound.of("file")
    return file


def _named_uses(uses: list[FileUse]) -> str:
    names = [f"“{use.title}” ({use.id})" for use in uses[: limits.MAX_FILE_USES_NAMED]]
    more = " and more" if len(uses) > len(names) else ""
    return ", ".join(names) + more

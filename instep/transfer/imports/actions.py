"""Operations on imports: start one, review and confirm its plan, get its result."""

import hashlib
import re

from instep.content.files.storage import FileStorage
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest, InvalidState, NotFound
from instep.platform.core.ids import new_id
from instep.platform.core.jobs import defer
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.transfer.imports import queries
from instep.transfer.imports.report_forms import as_stored
from instep.transfer.imports.schemas import ImportReport, ImportRow
from instep.transfer.imports.source.formats import format_names
from instep.transfer.imports.tree.url_parts import split_url

RUN_IMPORT = "run_import"
HOST = re.compile(r"[\w.-]+(?::\d+)?")


@writes
async def upload_import(
    ctx: Ctx, storage: FileStorage, name: str, archive: bytes, format: str | None, site: str | None = None
) -> ImportRow:
    """Store an archive for a worker to read; nothing is imported before someone confirms the plan.

    `format` is the name of a reader; without it, the format is detected from the archive's content. `site` is
    the URL of the old site, if the configuration in the archive doesn't contain it.
    """
    site = valid_site(site)
    if not archive:
        raise InvalidRequest("Choose a ZIP archive.")
    if len(archive) > limits.MAX_IMPORT_ARCHIVE_BYTES:
        raise InvalidRequest(
            f"The archive is larger than {limits.MAX_IMPORT_ARCHIVE_BYTES // 1024**2} MB: import it with "
            "`instep import` on the server."
        )
    if format is not None and format not in format_names():
        raise InvalidRequest(f"“{format}” is not a known format: choose one from the list.")
    key = await storage.store(ctx, archive, hashlib.sha256(archive).hexdigest())
    import_id = new_id("imp")
    row = {
        "id": import_id,
        "name": name[-limits.MAX_FILE_NAME_CHARACTERS :],
        "format": format,
        "state": "reading",
        "site": site,
        "object_key": key,
        "bytes": len(archive),
    }
    await queries.insert(ctx, row)
    await _defer(ctx, import_id)
    return await find_import(ctx, import_id)


@writes
async def confirm_import(ctx: Ctx, import_id: str, *, prunes: bool = False) -> ImportRow:
    """Confirm a plan: a worker imports the archive. `prunes` archives articles missing from the source."""
    row = await find_import(ctx, import_id, lock=True)
    if row.state != "ready":
        raise InvalidState("This import has already started.")
    await queries.set_state(ctx, row.id, "importing")
    await queries.change(ctx, row.id, {"prunes": prunes})
    await _defer(ctx, row.id)
    return await find_import(ctx, row.id)


@writes
async def discard_import(ctx: Ctx, import_id: str) -> str:
    """Delete a plan and its archive without importing anything."""
    row = await find_import(ctx, import_id, lock=True)
    if row.state != "ready":
        raise InvalidState("Only an import that is waiting for confirmation can be discarded.")
    await queries.delete(ctx, row.id)
    return row.id


@writes
async def end_by_command(ctx: Ctx, import_id: str, report: ImportReport) -> str:
    """Store the result of an import by command."""
    await queries.end(ctx, import_id, as_stored(report), None)
    return import_id


async def list_imports(ctx: Ctx) -> list[ImportRow]:
    """List the last imports, newest first."""
    return await queries.list_newest(ctx)


async def find_import(ctx: Ctx, import_id: str, *, lock: bool = False) -> ImportRow:
    row = await queries.find(ctx, import_id, lock=lock)
    if row is None:
        raise NotFound.of("import")
    return row


@writes
async def begin_by_command(
    ctx: Ctx, name: str, format: str, source: str, total: int, site: str | None = None
) -> ImportRow:
    """The row of an import by command: of an interrupted run, or a new one."""
    row = await queries.find_unended(ctx, name, source)
    if row is None:
        import_id = new_id("imp")
        values = {"id": import_id, "name": name, "format": format, "source": source, "site": site}
        await queries.insert(ctx, {**values, "state": "importing"})
        row = await find_import(ctx, import_id)
    await queries.set_state(ctx, row.id, "importing", total)
    return row


def valid_site(text: str | None) -> str | None:
    """The address of the source's site: a URL without a trailing slash, or a path such as "/docs".

    None if the text is empty; raises `InvalidRequest` for anything else.
    """
    site = (text or "").strip()
    if site in ("", "/"):
        return None
    if "://" not in site and not site.startswith("/"):
        site = f"https://{site}"
    parts = split_url(site)
    is_path = not parts.scheme and not parts.netloc and site.startswith("/")
    is_address = parts.scheme in ("http", "https") and HOST.fullmatch(parts.netloc) is not None
    if len(site) > limits.MAX_IMPORT_SITE_CHARACTERS or not site.isprintable() or not (is_path or is_address):
        raise InvalidRequest(
            "Enter the URL of the old site, such as https://example.com/docs, or just its path, such as "
            "/docs."
        )
    return (f"{parts.scheme}://{parts.netloc}" if is_address else "") + parts.path.rstrip("/")


async def _defer(ctx: Ctx, import_id: str) -> None:
    payload = {"workspace": ctx.workspace_id, "bot": str(ctx.bot.id), "import": import_id}
    await defer(ctx.tx, RUN_IMPORT, payload)

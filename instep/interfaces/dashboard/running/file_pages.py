"""Images and downloads: the list, where they are used, and how to add and delete some."""

from starlette.responses import Response

from instep.content.files import actions
from instep.content.files.actions import FileInUse
from instep.content.files.schemas import StoredFile
from instep.content.files.storage import Storages
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.running.listing import links_between
from instep.interfaces.dashboard.shell import pages
from instep.platform.core import limits
from instep.platform.core.errors import AppError, InvalidRequest
from instep.platform.identity.scopes import Role
from instep.platform.web.forms import FormFile

BYTE_UNITS = ("bytes", "KB", "MB", "GB")
UNIT_BYTES = 1024
router = PageRouter("files")


@router.get()
async def show_files(
    page: BotPage, refusal: AppError | None = None, in_use: StoredFile | None = None
) -> Response:
    rows = await actions.list_files(page.ctx, page.rows_at_cursor(limits.DEFAULT_PAGE_SIZE))
    files = [*rows.rows, *([in_use] if in_use else [])]
    return await page.show(
        "running/files.html",
        refusal.status if refusal else 200,
        files=rows.rows,
        uses=await actions.list_file_uses(page.ctx, files),
        max_uses=limits.MAX_FILE_USES_NAMED,
        total_bytes=await actions.stored_bytes(page.ctx),
        quota_bytes=limits.MAX_BOT_FILES_BYTES,
        refusal=refusal,
        in_use=in_use,
        links=links_between(page, "files", rows.next_cursor),
    )


def size_in_words(size: int) -> str:
    """For example `1.5 MB`; a kilobyte has 1,024 bytes."""
    exponent = 0
    while size >= UNIT_BYTES ** (exponent + 1) and exponent < len(BYTE_UNITS) - 1:
        exponent += 1
    number = f"{size / UNIT_BYTES**exponent:.1f}".removesuffix(".0")
    return f"{number} {BYTE_UNITS[exponent]}"


pages.pages.environment.filters["size"] = size_in_words


@router.post(role=Role.EDITOR, refused=show_files, form_bytes=limits.MAX_FILE_FORM_BYTES, takes_files=True)
async def upload(page: BotPage) -> Response:
    storages: Storages = page.request.app.state.storages
    sent_file = page.form.files.get("file", FormFile("", b""))
    if not sent_file.name:
        raise InvalidRequest("Choose a file first.")
    uploaded = await actions.upload_file(page.ctx, storages.for_new_files, sent_file.name, sent_file.content)
    name = uploaded.file.name
    return page.leave("files", f"Uploaded “{name}”." if uploaded.is_new else f"“{name}” already exists.")


@router.post("{file_id}/delete", Role.EDITOR)
async def delete_file(page: BotPage) -> Response:
    file = await actions.get_file(page.ctx, page.param("file_id"))
    try:
        async with page.ctx.tx.transaction():
            await actions.delete_file(page.ctx, file.id)
    except FileInUse as refusal:
        return await show_files(page, refusal, in_use=file)
    return page.leave("files", f"Deleted “{file.name}”.")

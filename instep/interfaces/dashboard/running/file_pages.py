"""Images and downloads: the list, where they are used, and how to add and delete some."""

from starlette.responses import Response
from starlette.routing import Route

from instep.content.files import actions
from instep.content.files.actions import FileInUse
from instep.content.files.kinds import UnsupportedType
from instep.content.files.schemas import StoredFile
from instep.content.files.storage import Storages
from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.interfaces.dashboard.running.listing import links_between
from instep.interfaces.dashboard.shell import pages
from instep.platform.core import limits
from instep.platform.core.errors import AppError, InvalidRequest
from instep.platform.identity.scopes import Role
from instep.platform.web.multipart import FormFile

BYTE_UNITS = ("bytes", "KB", "MB", "GB")
UNIT_BYTES = 1024


@bot_page("files")
async def show_files(page: BotPage) -> Response:
    return await render_files(page)


@bot_page("files", Role.EDITOR, form_bytes=limits.MAX_FILE_FORM_BYTES, takes_files=True)
async def upload(page: BotPage) -> Response:
    storages: Storages = page.request.app.state.storages
    sent_file = page.form.files.get("file", FormFile("", b""))
    try:
        if not sent_file.name:
            raise InvalidRequest("Choose a file first.")
        # Roll back what a refused upload has begun.
        async with page.ctx.tx.transaction():
            uploaded = await actions.upload_file(
                page.ctx, storages.for_new_files, sent_file.name, sent_file.content
            )
    except (InvalidRequest, UnsupportedType) as refusal:
        return await render_files(page, refusal)
    name = uploaded.file.name
    return page.leave("files", f"Uploaded “{name}”." if uploaded.is_new else f"“{name}” already exists.")


@bot_page("files", Role.EDITOR)
async def delete_file(page: BotPage) -> Response:
    file = await actions.get_file(page.ctx, page.request.path_params["file_id"])
    try:
        async with page.ctx.tx.transaction():
            await actions.delete_file(page.ctx, file.id)
    except FileInUse as refusal:
        return await render_files(page, refusal, in_use=file)
    return page.leave("files", f"Deleted “{file.name}”.")


async def render_files(
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
routes = [
    Route("/app/{bot_slug}/files", show_files, methods=["GET"]),
    Route("/app/{bot_slug}/files", upload, methods=["POST"]),
    Route("/app/{bot_slug}/files/{file_id}/delete", delete_file, methods=["POST"]),
]

"""Imports: upload an archive, check its plan, confirm, and see the result."""

from pathlib import PurePath

from starlette.responses import Response
from starlette.routing import Route

from instep.content.files.storage import Storages
from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.platform.core import limits
from instep.platform.core.errors import AppError, InvalidRequest
from instep.platform.identity.scopes import Role
from instep.platform.web.multipart import FormFile
from instep.transfer.api_references import actions as api_references
from instep.transfer.imports import actions, report_forms
from instep.transfer.imports.schemas import ImportRow
from instep.transfer.imports.source.formats import READERS

PATH = "/app/{bot_slug}/import"
STATES = {
    "reading": "being read",
    "ready": "ready to review",
    "importing": "being imported",
    "completed": "imported",
    "failed": "failed",
}


@bot_page("articles", Role.EDITOR)
async def show_imports(page: BotPage) -> Response:
    return await render_imports(page)


@bot_page("articles", Role.EDITOR, form_bytes=limits.MAX_IMPORT_FORM_BYTES, takes_files=True)
async def upload_archive(page: BotPage) -> Response:
    storages: Storages = page.request.app.state.storages
    sent_file = page.form.files.get("file", FormFile("", b""))
    name, format = PurePath(sent_file.name).name, page.form.get("format") or None
    try:
        # Roll back what a refused upload has begun.
        async with page.ctx.tx.transaction():
            row = await actions.upload_import(
                *(page.ctx, storages.for_new_files, name, sent_file.content, format),
                page.form.get("site"),
            )
    except InvalidRequest as refusal:
        return await render_imports(page, refusal)
    return page.leave(f"import/{row.id}")


@bot_page("articles", Role.EDITOR)
async def show_import(page: BotPage) -> Response:
    row = await import_of(page)
    report = report_forms.read_stored(row.report) if row.report else None
    return await page.show(
        "running/import.html",
        row=row,
        report=report,
        states=STATES,
        summary=list(report_forms.summary_lines(report)) if report else [],
        tree="\n".join(report_forms.tree_lines(report)) if report else "",
        losses=report.losses[: limits.MAX_SHOWN_LOSSES] if report else [],
    )


@bot_page("articles", Role.EDITOR)
async def show_import_progress(page: BotPage) -> Response:
    """The progress of an import, for a page that waits for its end; then the page is reloaded."""
    row = await import_of(page)
    response = page.show_part("running/import_progress.html", row=row)
    if not row.is_under_way:
        response.headers["HX-Refresh"] = "true"
    return response


@bot_page("articles", Role.EDITOR)
async def confirm_import(page: BotPage) -> Response:
    import_id = page.request.path_params["import_id"]
    row = await actions.confirm_import(page.ctx, import_id, prunes=page.form.get("prune") == "true")
    return page.leave(f"import/{row.id}")


@bot_page("articles", Role.EDITOR)
async def discard_import(page: BotPage) -> Response:
    await actions.discard_import(page.ctx, page.request.path_params["import_id"])
    return page.leave("import", "Discarded: nothing was imported.")


@bot_page("articles", Role.EDITOR)
async def follow_address(page: BotPage) -> Response:
    try:
        async with page.ctx.tx.transaction():
            await api_references.follow_api_description(page.ctx, page.form.get("url", ""))
    except InvalidRequest as refusal:
        return await render_imports(page, refusal)
    return page.leave("import", "The API reference is being imported.")


@bot_page("articles", Role.EDITOR)
async def update_reference(page: BotPage) -> Response:
    await api_references.update_api_reference_now(page.ctx, page.request.path_params["reference_id"])
    return page.leave("import", "The API reference is being updated.")


@bot_page("articles", Role.EDITOR)
async def unfollow_address(page: BotPage) -> Response:
    await api_references.unfollow_api_description(page.ctx, page.request.path_params["reference_id"])
    return page.leave("import", "The address is no longer followed. Its articles stay.")


async def render_imports(page: BotPage, refusal: AppError | None = None) -> Response:
    return await page.show(
        "running/imports.html",
        refusal.status if refusal else 200,
        imports=await actions.list_imports(page.ctx),
        references=await api_references.list_all_api_references(page.ctx),
        url=page.form.get("url", "") if refusal else "",
        states=STATES,
        formats=[("", "Detect automatically"), *sorted((reader.name, reader.title) for reader in READERS)],
        site=page.form.get("site", "") if refusal else "",
        max_megabytes=limits.MAX_IMPORT_ARCHIVE_BYTES // 1024**2,
        refusal=refusal,
    )


async def import_of(page: BotPage) -> ImportRow:
    return await actions.find_import(page.ctx, page.request.path_params["import_id"])


routes = [
    Route(PATH, show_imports, methods=["GET"]),
    Route(PATH, upload_archive, methods=["POST"]),
    Route(f"{PATH}/references", follow_address, methods=["POST"]),
    Route(f"{PATH}/references/{{reference_id}}/update", update_reference, methods=["POST"]),
    Route(f"{PATH}/references/{{reference_id}}/remove", unfollow_address, methods=["POST"]),
    Route(f"{PATH}/{{import_id}}", show_import, methods=["GET"]),
    Route(f"{PATH}/{{import_id}}/progress", show_import_progress, methods=["GET"]),
    Route(f"{PATH}/{{import_id}}/confirm", confirm_import, methods=["POST"]),
    Route(f"{PATH}/{{import_id}}/discard", discard_import, methods=["POST"]),
]

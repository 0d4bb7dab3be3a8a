"""Imports: upload an archive, check its plan, confirm, and see the result."""

from pathlib import PurePath

from starlette.responses import Response

from instep.content.files.storage import Storages
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.platform.core import limits
from instep.platform.core.errors import AppError
from instep.platform.identity.scopes import Role
from instep.platform.web.forms import FormFile
from instep.transfer.api_references import actions as api_references
from instep.transfer.imports import actions, report_forms
from instep.transfer.imports.schemas import ImportRow
from instep.transfer.imports.source.formats import READERS

STATES = {
    "reading": "being read",
    "ready": "ready to review",
    "importing": "being imported",
    "completed": "imported",
    "failed": "failed",
}
router = PageRouter("import", Role.EDITOR, section="articles")


@router.get()
async def show_imports(page: BotPage, refusal: AppError | None = None) -> Response:
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


@router.post(refused=show_imports, form_bytes=limits.MAX_IMPORT_FORM_BYTES, takes_files=True)
async def upload_archive(page: BotPage) -> Response:
    storages: Storages = page.request.app.state.storages
    sent_file = page.form.files.get("file", FormFile("", b""))
    name, format = PurePath(sent_file.name).name, page.form.get("format") or None
    row = await actions.upload_import(
        *(page.ctx, storages.for_new_files, name, sent_file.content, format), page.form.get("site")
    )
    return page.leave(f"import/{row.id}")


@router.get("{import_id}")
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


@router.get("{import_id}/progress")
async def show_import_progress(page: BotPage) -> Response:
    """The progress of an import, for a page that waits for its end; then the page is reloaded."""
    row = await import_of(page)
    response = page.show_part("running/import_progress.html", row=row)
    if not row.is_under_way:
        response.headers["HX-Refresh"] = "true"
    return response


@router.post("{import_id}/confirm")
async def confirm_import(page: BotPage) -> Response:
    import_id = page.param("import_id")
    row = await actions.confirm_import(page.ctx, import_id, prunes=page.form.get("prune") == "true")
    return page.leave(f"import/{row.id}")


@router.post("{import_id}/discard")
async def discard_import(page: BotPage) -> Response:
    await actions.discard_import(page.ctx, page.param("import_id"))
    return page.leave("import", "Discarded: nothing was imported.")


@router.post("references", refused=show_imports)
async def follow_address(page: BotPage) -> Response:
    await api_references.follow_api_description(page.ctx, page.form.get("url", ""))
    return page.leave("import", "The API reference is being imported.")


@router.post("references/{reference_id}/update")
async def update_reference(page: BotPage) -> Response:
    await api_references.update_api_reference_now(page.ctx, page.param("reference_id"))
    return page.leave("import", "The API reference is being updated.")


@router.post("references/{reference_id}/remove")
async def unfollow_address(page: BotPage) -> Response:
    await api_references.unfollow_api_description(page.ctx, page.param("reference_id"))
    return page.leave("import", "The address is no longer followed. Its articles stay.")


async def import_of(page: BotPage) -> ImportRow:
    return await actions.find_import(page.ctx, page.param("import_id"))

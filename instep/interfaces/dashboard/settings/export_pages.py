"""The whole help center as a ZIP file, for its owner."""

from starlette.responses import Response, StreamingResponse

from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.platform.identity.scopes import Role
from instep.transfer.exports.actions import prepare_export
from instep.transfer.exports.archive import zip_pieces

router = PageRouter("settings/export", Role.OWNER)


@router.post(recent_sign_in=True, open_while_paused=True)
async def export_help_center(page: BotPage) -> Response:
    """Stream the ZIP file as a download, so that no other page follows."""
    export = await prepare_export(page.ctx)
    state = page.request.app.state
    return StreamingResponse(
        zip_pieces(export, state.database, state.storages),
        media_type="application/zip",
        headers={
            "Content-Disposition": 'attachment; filename="help-center.zip"',
            "Cache-Control": "no-store",
        },
    )

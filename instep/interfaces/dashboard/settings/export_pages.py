"""The whole help center as a ZIP file, for its owner."""

from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from instep.interfaces.dashboard.bot_pages import BotPage, bot_page
from instep.platform.identity.scopes import Role
from instep.platform.web.recent_sign_in import require_recent_sign_in
from instep.transfer.exports.actions import prepare_export
from instep.transfer.exports.archive import zip_pieces


@bot_page("settings", Role.OWNER, open_while_paused=True)
async def export_help_center(page: BotPage) -> Response:
    """Stream the ZIP file as a download, so that no other page follows."""
    require_recent_sign_in(page.request)
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


routes = [Route("/app/{bot_slug}/settings/export", export_help_center, methods=["POST"])]

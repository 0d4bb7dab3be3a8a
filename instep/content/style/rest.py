"""The style of the help center over REST."""

from fastapi.responses import Response

from instep.content.style import actions
from instep.content.style.schemas import HelpCenterStyleOut, Style
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, reply

router = ApiRouter()


@router.operation("GET /style", actions.get_style, HelpCenterStyleOut)
async def get_style(ctx: Ctx) -> Response:
    return reply(await actions.get_style(ctx))


@router.operation("PATCH /style", actions.update_style, HelpCenterStyleOut)
async def update_style(ctx: Ctx, body: Style) -> Response:
    return reply(await actions.update_style(ctx, body))

"""The bots of a key over REST."""

from fastapi.responses import Response

from instep.accounts.workspaces import actions
from instep.accounts.workspaces.schemas import CoveredBotOut, covered_bot_out
from instep.platform.core.paging import Page
from instep.platform.web.api import ApiRouter, reply_list
from instep.platform.web.call import CurrentCall
from instep.platform.web.shapes import ListOut

router = ApiRouter()


@router.operation("GET /bots", actions.list_bots, ListOut[CoveredBotOut], needs_bot=False, needs_scope=False)
async def list_bots(call: CurrentCall) -> Response:
    assert call.auth.key_id is not None, "authentication lets only keys in"
    bots = await actions.list_bots(call.tx, call.auth.key_id)
    return reply_list(Page(bots, None), covered_bot_out)

"""The bots of a key over REST."""

from fastapi.responses import Response

from instep.core.paging import Page
from instep.web.api import ApiRouter, reply_list
from instep.web.call import CurrentCall
from instep.web.shapes import ListOut
from instep.workspaces import actions
from instep.workspaces.schemas import CoveredBotOut, covered_bot_out

router = ApiRouter()


@router.operation("GET /bots", actions.list_bots, ListOut[CoveredBotOut], needs_bot=False, needs_scope=False)
async def list_bots(call: CurrentCall) -> Response:
    assert call.auth.key_id is not None, "authentication lets only keys in"
    bots = await actions.list_bots(call.tx, call.auth.key_id)
    return reply_list(Page(bots, None), covered_bot_out)

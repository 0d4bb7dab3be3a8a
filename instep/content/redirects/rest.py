"""Redirects over REST."""

from fastapi.responses import Response

from instep.content.redirects import actions
from instep.content.redirects.schemas import RedirectCreate, RedirectDeletedOut, RedirectOut
from instep.platform.core import limits
from instep.platform.web.api import ApiRouter, PageSize, StartCursor, reply, reply_list
from instep.platform.web.call import CurrentCall
from instep.platform.web.shapes import ListOut

router = ApiRouter()


@router.operation("GET /redirects", actions.list_redirects, ListOut[RedirectOut])
async def list_redirects(
    call: CurrentCall, page_size: PageSize = limits.DEFAULT_PAGE_SIZE, start_cursor: StartCursor = None
) -> Response:
    async with call.begin() as ctx:
        redirects = await actions.list_redirects(ctx, call.page(page_size, start_cursor))
        return reply_list(redirects, lambda row: RedirectOut.of(row, ctx.bot))


@router.operation("POST /redirects", actions.create_redirect, RedirectOut, status=201)
async def create_redirect(call: CurrentCall, body: RedirectCreate) -> Response:
    async with call.begin() as ctx:
        return reply(RedirectOut.of(await actions.create_redirect(ctx, body), ctx.bot), 201)


@router.operation("DELETE /redirects/{id}", actions.delete_redirect, RedirectDeletedOut)
async def delete_redirect(call: CurrentCall, id: str) -> Response:
    async with call.begin() as ctx:
        return reply(RedirectDeletedOut(id=await actions.delete_redirect(ctx, id), deleted=True))

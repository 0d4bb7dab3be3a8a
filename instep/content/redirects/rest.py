"""Redirects over REST."""

from fastapi.responses import Response

from instep.content.redirects import actions
from instep.content.redirects.schemas import RedirectCreate, RedirectDeletedOut, RedirectOut
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, reply, reply_list
from instep.platform.web.shapes import ListOut

router = ApiRouter()


@router.operation("GET /redirects", actions.list_redirects, ListOut[RedirectOut])
async def list_redirects(ctx: Ctx, page: PageRequest) -> Response:
    redirects = await actions.list_redirects(ctx, page)
    return reply_list(redirects, lambda row: RedirectOut.of(row, ctx.bot))


@router.operation("POST /redirects", actions.create_redirect, RedirectOut, status=201)
async def create_redirect(ctx: Ctx, body: RedirectCreate) -> Response:
    return reply(RedirectOut.of(await actions.create_redirect(ctx, body), ctx.bot), 201)


@router.operation("DELETE /redirects/{id}", actions.delete_redirect, RedirectDeletedOut)
async def delete_redirect(ctx: Ctx, id: str) -> Response:
    return reply(RedirectDeletedOut(id=await actions.delete_redirect(ctx, id), deleted=True))

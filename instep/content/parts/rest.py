"""Parts and variables over REST."""

from fastapi.responses import Response

from instep.content.parts import actions
from instep.content.parts.schemas import (
    PartCreate,
    PartDeletedOut,
    PartOut,
    PartUpdate,
    PartUsesOut,
    uses_out,
)
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, IfMatch, IfNoneMatch, reply, reply_list, reply_with_etag
from instep.platform.web.shapes import ListOut

router = ApiRouter()


@router.operation("GET /parts", actions.list_parts, ListOut[PartOut])
async def list_parts(ctx: Ctx, page: PageRequest) -> Response:
    return reply_list(await actions.list_parts(ctx, page), lambda part: PartOut.of(part, ctx.bot.id))


@router.operation("POST /parts", actions.create_part, PartOut, status=201)
async def create_part(ctx: Ctx, body: PartCreate) -> Response:
    return reply(PartOut.of(await actions.create_part(ctx, body), ctx.bot.id), 201)


@router.operation("GET /parts/{id}", actions.get_part, PartOut)
async def get_part(ctx: Ctx, id: str, if_none_match: IfNoneMatch = None) -> Response:
    part = await actions.get_part(ctx, id)
    return reply_with_etag(PartOut.of(part, ctx.bot.id), part.etag, if_none_match)


@router.operation("PATCH /parts/{id}", actions.update_part, PartOut)
async def update_part(ctx: Ctx, id: str, body: PartUpdate, if_match: IfMatch = None) -> Response:
    part = await actions.update_part(ctx, id, body, if_match)
    return reply_with_etag(PartOut.of(part, ctx.bot.id), part.etag)


@router.operation("DELETE /parts/{id}", actions.delete_part, PartDeletedOut)
async def delete_part(ctx: Ctx, id: str, if_match: IfMatch = None) -> Response:
    return reply(PartDeletedOut(id=await actions.delete_part(ctx, id, if_match), deleted=True))


@router.operation("GET /parts/{id}/uses", actions.list_part_uses, PartUsesOut)
async def list_part_uses(ctx: Ctx, id: str) -> Response:
    return reply(uses_out(await actions.list_part_uses(ctx, id)))

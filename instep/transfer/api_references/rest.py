"""API references over REST."""

from fastapi.responses import Response

from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, reply, reply_list
from instep.platform.web.shapes import ListOut
from instep.transfer.api_references import actions
from instep.transfer.api_references.schemas import (
    ApiReferenceCreate,
    ApiReferenceDeletedOut,
    ApiReferenceOut,
    api_reference_out,
)

router = ApiRouter()


@router.operation("GET /api-references", actions.list_api_references, ListOut[ApiReferenceOut])
async def list_api_references(ctx: Ctx, page: PageRequest) -> Response:
    return reply_list(await actions.list_api_references(ctx, page), api_reference_out)


@router.operation("POST /api-references", actions.follow_api_description, ApiReferenceOut, status=201)
async def follow_api_description(ctx: Ctx, body: ApiReferenceCreate) -> Response:
    return reply(api_reference_out(await actions.follow_api_description(ctx, body.url)), 201)


@router.operation(
    "POST /api-references/{id}/update", actions.update_api_reference_now, ApiReferenceOut, status=202
)
async def update_api_reference_now(ctx: Ctx, id: str) -> Response:
    return reply(api_reference_out(await actions.update_api_reference_now(ctx, id)), 202)


@router.operation("DELETE /api-references/{id}", actions.unfollow_api_description, ApiReferenceDeletedOut)
async def unfollow_api_description(ctx: Ctx, id: str) -> Response:
    return reply(ApiReferenceDeletedOut(id=await actions.unfollow_api_description(ctx, id), deleted=True))

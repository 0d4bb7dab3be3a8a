"""Collections over REST."""

from fastapi.responses import Response

from instep.content.collections import actions
from instep.content.collections.schemas import (
    CollectionCreate,
    CollectionDeletedOut,
    CollectionOut,
    CollectionUpdate,
)
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, IfMatch, IfNoneMatch, reply, reply_list, reply_with_etag
from instep.platform.web.shapes import ListOut

router = ApiRouter()


@router.operation("GET /collections", actions.list_collections, ListOut[CollectionOut], reads_replica=True)
async def list_collections(ctx: Ctx, page: PageRequest) -> Response:
    collections = await actions.list_collections(ctx, page)
    return reply_list(collections, lambda row: CollectionOut.of(row, ctx.bot))


@router.operation("POST /collections", actions.create_collection, CollectionOut, status=201)
async def create_collection(ctx: Ctx, body: CollectionCreate) -> Response:
    return reply(CollectionOut.of(await actions.create_collection(ctx, body), ctx.bot), 201)


@router.operation("GET /collections/{id}", actions.get_collection, CollectionOut)
async def get_collection(ctx: Ctx, id: str, if_none_match: IfNoneMatch = None) -> Response:
    collection = await actions.get_collection(ctx, id)
    return reply_with_etag(CollectionOut.of(collection, ctx.bot), collection.etag, if_none_match)


@router.operation("PATCH /collections/{id}", actions.update_collection, CollectionOut)
async def update_collection(ctx: Ctx, id: str, body: CollectionUpdate, if_match: IfMatch = None) -> Response:
    collection = await actions.update_collection(ctx, id, body, if_match)
    return reply_with_etag(CollectionOut.of(collection, ctx.bot), collection.etag)


@router.operation("DELETE /collections/{id}", actions.delete_collection, CollectionDeletedOut)
async def delete_collection(ctx: Ctx, id: str, if_match: IfMatch = None) -> Response:
    return reply(CollectionDeletedOut(id=await actions.delete_collection(ctx, id, if_match), deleted=True))

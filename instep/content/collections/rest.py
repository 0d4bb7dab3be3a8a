"""Collections over REST."""

from fastapi.responses import Response

from instep.content.collections import actions
from instep.content.collections.schemas import (
    CollectionCreate,
    CollectionDeletedOut,
    CollectionOut,
    CollectionUpdate,
)
from instep.platform.core import limits
from instep.platform.web.api import (
    ApiRouter,
    IfMatch,
    IfNoneMatch,
    PageSize,
    StartCursor,
    reply,
    reply_list,
    reply_with_etag,
)
from instep.platform.web.call import CurrentCall
from instep.platform.web.shapes import ListOut

router = ApiRouter()


@router.operation("GET /collections", actions.list_collections, ListOut[CollectionOut])
async def list_collections(
    call: CurrentCall, page_size: PageSize = limits.DEFAULT_PAGE_SIZE, start_cursor: StartCursor = None
) -> Response:
    async with call.begin_reading() as ctx:
        collections = await actions.list_collections(ctx, call.page(page_size, start_cursor))
        return reply_list(collections, lambda row: CollectionOut.of(row, ctx.bot))


@router.operation("POST /collections", actions.create_collection, CollectionOut, status=201)
async def create_collection(call: CurrentCall, body: CollectionCreate) -> Response:
    async with call.begin() as ctx:
        return reply(CollectionOut.of(await actions.create_collection(ctx, body), ctx.bot), 201)


@router.operation("GET /collections/{id}", actions.get_collection, CollectionOut)
async def get_collection(call: CurrentCall, id: str, if_none_match: IfNoneMatch = None) -> Response:
    async with call.begin() as ctx:
        collection = await actions.get_collection(ctx, id)
        return reply_with_etag(CollectionOut.of(collection, ctx.bot), collection.etag, if_none_match)


@router.operation("PATCH /collections/{id}", actions.update_collection, CollectionOut)
async def update_collection(
    call: CurrentCall, id: str, body: CollectionUpdate, if_match: IfMatch = None
) -> Response:
    async with call.begin() as ctx:
        collection = await actions.update_collection(ctx, id, body, if_match)
        return reply_with_etag(CollectionOut.of(collection, ctx.bot), collection.etag)


@router.operation("DELETE /collections/{id}", actions.delete_collection, CollectionDeletedOut)
async def delete_collection(call: CurrentCall, id: str) -> Response:
    async with call.begin() as ctx:
        return reply(CollectionDeletedOut(id=await actions.delete_collection(ctx, id), deleted=True))

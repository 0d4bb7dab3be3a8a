"""Product versions over REST."""

from fastapi.responses import Response

from instep.content.product_versions import actions
from instep.content.product_versions.schemas import (
    ProductVersionCreate,
    ProductVersionDeletedOut,
    ProductVersionOut,
    ProductVersionUpdate,
)
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, reply, reply_list
from instep.platform.web.shapes import ListOut

router = ApiRouter()


@router.operation("GET /product-versions", actions.list_product_versions, ListOut[ProductVersionOut])
async def list_product_versions(ctx: Ctx, page: PageRequest) -> Response:
    versions = await actions.list_product_versions(ctx, page)
    return reply_list(versions, lambda row: ProductVersionOut.of(row, ctx.bot.id))


@router.operation("POST /product-versions", actions.create_product_version, ProductVersionOut, status=201)
async def create_product_version(ctx: Ctx, body: ProductVersionCreate) -> Response:
    return reply(ProductVersionOut.of(await actions.create_product_version(ctx, body), ctx.bot.id), 201)


@router.operation("GET /product-versions/{id}", actions.get_product_version, ProductVersionOut)
async def get_product_version(ctx: Ctx, id: str) -> Response:
    return reply(ProductVersionOut.of(await actions.get_product_version(ctx, id), ctx.bot.id))


@router.operation("PATCH /product-versions/{id}", actions.update_product_version, ProductVersionOut)
async def update_product_version(ctx: Ctx, id: str, body: ProductVersionUpdate) -> Response:
    return reply(ProductVersionOut.of(await actions.update_product_version(ctx, id, body), ctx.bot.id))


@router.operation("DELETE /product-versions/{id}", actions.delete_product_version, ProductVersionDeletedOut)
async def delete_product_version(ctx: Ctx, id: str) -> Response:
    return reply(ProductVersionDeletedOut(id=await actions.delete_product_version(ctx, id), deleted=True))

"""Places over REST."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from instep.drafting.places import actions
from instep.drafting.places.schemas import PlaceDismiss, PlaceOut, PlaceStatus, place_out
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, reply, reply_list
from instep.platform.web.shapes import ListOut

router = ApiRouter()

ArticleFilter = Annotated[str | None, Query(description="Only places of this article, by its id or slug.")]
TaskFilter = Annotated[str | None, Query(description="Only places found by this task.")]


@router.operation("GET /places", actions.list_places, ListOut[PlaceOut])
async def list_places(
    ctx: Ctx,
    page: PageRequest,
    status: PlaceStatus = "open",
    article_id: ArticleFilter = None,
    task_id: TaskFilter = None,
) -> Response:
    page = page
    return reply_list(await actions.list_places(ctx, status, article_id, task_id, page), place_out)


@router.operation("GET /places/{id}", actions.get_place, PlaceOut)
async def get_place(ctx: Ctx, id: str) -> Response:
    return reply(place_out(await actions.get_place(ctx, id)))


@router.operation("POST /places/{id}/resolve", actions.resolve_place, PlaceOut)
async def resolve_place(ctx: Ctx, id: str) -> Response:
    return reply(place_out(await actions.resolve_place(ctx, id)))


@router.operation("POST /places/{id}/dismiss", actions.dismiss_place, PlaceOut)
async def dismiss_place(ctx: Ctx, id: str, body: PlaceDismiss | None = None) -> Response:
    return reply(place_out(await actions.dismiss_place(ctx, id, body or actions.NO_REASON)))


@router.operation("POST /places/{id}/reopen", actions.reopen_place, PlaceOut)
async def reopen_place(ctx: Ctx, id: str) -> Response:
    return reply(place_out(await actions.reopen_place(ctx, id)))

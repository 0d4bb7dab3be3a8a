"""Places as tools of the workspace's MCP server."""

from functools import partial
from typing import Annotated

from pydantic import Field

from instep.drafting.places import actions
from instep.drafting.places.schemas import PlaceDismiss, PlaceOut, PlaceStatus, place_out
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.mcp.budget import list_within_budget
from instep.platform.web.mcp.tools import Toolbox
from instep.platform.web.shapes import ListOut, Text

toolbox = Toolbox()
PlaceId = Annotated[Text, Field(description="The place: `plc_…`.")]
StatusFilter = Annotated[PlaceStatus, Field(description="Only places with this status.")]
ArticleFilter = Annotated[Text | None, Field(description="Only places of this article, by its id or slug.")]
TaskFilter = Annotated[Text | None, Field(description="Only places found by this task.")]


@toolbox.tool(actions.list_places, ListOut[PlaceOut], "List places that need writing")
async def list_places(
    ctx: Ctx,
    page: PageRequest,
    status: StatusFilter = "open",
    article_id: ArticleFilter = None,
    task_id: TaskFilter = None,
) -> ListOut[PlaceOut]:
    """List places where an article needs text: section, line, reason, lines of code.

    To write them, read the article with `get_article`, call `propose_edit`, and then `resolve_place`.
    """
    ask = partial(actions.list_places, ctx, status, article_id, task_id)
    return await list_within_budget(ask, place_out, page)


@toolbox.tool(actions.resolve_place, PlaceOut, "Resolve a place", additive=True)
async def resolve_place(ctx: Ctx, id: PlaceId) -> PlaceOut:
    """Mark a place as written: the article now has the text, or already had it. It leaves the queue."""
    return place_out(await actions.resolve_place(ctx, id))


@toolbox.tool(actions.dismiss_place, PlaceOut, "Dismiss a place", additive=True)
async def dismiss_place(ctx: Ctx, id: PlaceId, body: PlaceDismiss) -> PlaceOut:
    """Mark a place as not needed. Only when the person asked for it."""
    return place_out(await actions.dismiss_place(ctx, id, body))

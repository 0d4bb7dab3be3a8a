"""Collections as tools of the workspace's MCP server."""

from functools import partial

from instep.content.collections import actions
from instep.content.collections.schemas import CollectionCreate, CollectionOut
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.mcp.budget import list_within_budget
from instep.platform.web.mcp.tools import Toolbox
from instep.platform.web.shapes import ListOut

toolbox = Toolbox()


@toolbox.tool(actions.list_collections, ListOut[CollectionOut], "List the collections")
async def list_collections(ctx: Ctx, page: PageRequest) -> ListOut[CollectionOut]:
    """List the sections of the help center in reading order; `parentId` names the parent section.

    An article's `collectionId` puts it into one of them.
    """
    read_page = partial(actions.list_collections, ctx)
    return await list_within_budget(read_page, lambda row: CollectionOut.of(row, ctx.bot), page)


@toolbox.tool(actions.create_collection, CollectionOut, "Create a collection", additive=True)
async def create_collection(ctx: Ctx, body: CollectionCreate) -> CollectionOut:
    """Create a section of the help center; readers see it once it contains a live article.

    List the collections first: the topic may already have one.
    """
    return CollectionOut.of(await actions.create_collection(ctx, body), ctx.bot)

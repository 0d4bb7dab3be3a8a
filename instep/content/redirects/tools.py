"""Redirects as tools of the workspace's MCP server."""

from functools import partial
from typing import Annotated

from pydantic import Field

from instep.content.redirects import actions
from instep.content.redirects.schemas import RedirectCreate, RedirectDeletedOut, RedirectOut
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.mcp.budget import list_within_budget
from instep.platform.web.mcp.tools import Toolbox
from instep.platform.web.shapes import ListOut, Text

toolbox = Toolbox()
RedirectId = Annotated[Text, Field(description="The redirect: `rdr_…`.")]


@toolbox.tool(actions.list_redirects, ListOut[RedirectOut], "List the redirects")
async def list_redirects(ctx: Ctx, page: PageRequest) -> ListOut[RedirectOut]:
    """List the redirects of addresses without a page, newest first."""
    read_page = partial(actions.list_redirects, ctx)
    return await list_within_budget(read_page, lambda row: RedirectOut.of(row, ctx.bot), page)


@toolbox.tool(actions.create_redirect, RedirectOut, "Create a redirect", additive=True)
async def create_redirect(ctx: Ctx, body: RedirectCreate) -> RedirectOut:
    """Redirect readers of an old address to exactly one of `articleId` and `url`.

    A page at the address has priority. A former slug of an article needs no redirect.
    """
    return RedirectOut.of(await actions.create_redirect(ctx, body), ctx.bot)


@toolbox.tool(actions.delete_redirect, RedirectDeletedOut, "Delete a redirect")
async def delete_redirect(ctx: Ctx, id: RedirectId) -> RedirectDeletedOut:
    """Delete a redirect: its address is then not found. Only when the person asked for it."""
    return RedirectDeletedOut(id=await actions.delete_redirect(ctx, id), deleted=True)

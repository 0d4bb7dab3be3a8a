"""Redirects as tools of the workspace's MCP server."""

from functools import partial
from typing import Annotated

from pydantic import Field

from instep.content.redirects import actions
from instep.content.redirects.schemas import RedirectCreate, RedirectDeletedOut, RedirectOut
from instep.platform.core import limits
from instep.platform.web.call import Call
from instep.platform.web.mcp.budget import list_within_budget
from instep.platform.web.mcp.tools import Cursor, Limit, Toolbox
from instep.platform.web.shapes import ListOut, Text

toolbox = Toolbox()
RedirectId = Annotated[Text, Field(description="The redirect: `rdr_…`.")]


@toolbox.tool(actions.list_redirects, ListOut[RedirectOut], "List the redirects")
async def list_redirects(
    call: Call, limit: Limit = limits.DEFAULT_TOOL_ROWS, cursor: Cursor = None
) -> ListOut[RedirectOut]:
    """List the redirects of addresses without a page, newest first."""
    async with call.begin() as ctx:
        read_page = partial(actions.list_redirects, ctx)
        return await list_within_budget(
            read_page, lambda row: RedirectOut.of(row, ctx.bot), call.page(limit, cursor)
        )


@toolbox.tool(actions.create_redirect, RedirectOut, "Create a redirect", additive=True)
async def create_redirect(call: Call, body: RedirectCreate) -> RedirectOut:
    """Redirect readers of an old address to exactly one of `articleId` and `url`.

    A page at the address has priority. A former slug of an article needs no redirect.
    """
    async with call.begin() as ctx:
        return RedirectOut.of(await actions.create_redirect(ctx, body), ctx.bot)


@toolbox.tool(actions.delete_redirect, RedirectDeletedOut, "Delete a redirect")
async def delete_redirect(call: Call, id: RedirectId) -> RedirectDeletedOut:
    """Delete a redirect: its address is then not found. Only when the person asked for it."""
    async with call.begin() as ctx:
        return RedirectDeletedOut(id=await actions.delete_redirect(ctx, id), deleted=True)

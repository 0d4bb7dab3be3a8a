"""Comments as tools of the workspace's MCP server."""

from functools import partial
from typing import Annotated

from pydantic import Field

from instep.drafting.comments import actions
from instep.drafting.comments.schemas import CommentCreate, CommentOut, comment_out
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.mcp.budget import list_within_budget
from instep.platform.web.mcp.tools import Toolbox
from instep.platform.web.shapes import ListOut, Text

toolbox = Toolbox()
SubjectId = Annotated[Text, Field(description="A draft, place or article.")]


@toolbox.tool(actions.list_comments, ListOut[CommentOut], "List comments")
async def list_comments(ctx: Ctx, page: PageRequest, subject: SubjectId) -> ListOut[CommentOut]:
    """List the comments of people on a draft, place or article, oldest first."""
    return await list_within_budget(partial(actions.list_comments, ctx, subject), comment_out, page)


@toolbox.tool(actions.add_comment, CommentOut, "Add a comment", additive=True)
async def add_comment(ctx: Ctx, subject: SubjectId, body: CommentCreate) -> CommentOut:
    """Comment on a draft, place or article, or reply to a comment on it."""
    return comment_out(await actions.add_comment(ctx, subject, body))

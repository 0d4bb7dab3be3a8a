"""Files as tools of the workspace's MCP server. Bytes use the API, because agents can't write them out."""

from functools import partial
from typing import Annotated

from pydantic import Field

from instep.content.files import actions
from instep.content.files.schemas import FileDeletedOut, FileOut
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.mcp.budget import list_within_budget
from instep.platform.web.mcp.tools import Toolbox
from instep.platform.web.shapes import ListOut, Text

toolbox = Toolbox()
FileId = Annotated[Text, Field(description="The file: `file_…`.")]
Force = Annotated[bool, Field(description="Delete it even if an article or changelog entry uses it.")]


@toolbox.tool(actions.list_files, ListOut[FileOut], "List images and downloads")
async def list_files(ctx: Ctx, page: PageRequest) -> ListOut[FileOut]:
    """List the images and downloads, newest first.

    To show one in an article, put its `url` into the Markdown.
    """
    read_page = partial(actions.list_files, ctx)
    return await list_within_budget(read_page, lambda row: FileOut.of(row, ctx.bot), page)


@toolbox.tool(actions.get_file, FileOut, "Look up an image or download")
async def get_file(ctx: Ctx, id: FileId) -> FileOut:
    """Get the URL, type and size of one image or download."""
    return FileOut.of(await actions.get_file(ctx, id), ctx.bot)


@toolbox.tool(actions.delete_file, FileDeletedOut, "Delete an image or download")
async def delete_file(ctx: Ctx, id: FileId, force: Force = False) -> FileDeletedOut:
    """Delete an image or download for good. Refused while an article shows it, unless `force` is true.

    Only when the person asked for it.
    """
    deleted_id = await actions.delete_file(ctx, id, is_forced=force)
    return FileDeletedOut(id=deleted_id, deleted=True)

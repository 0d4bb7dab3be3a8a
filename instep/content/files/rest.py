"""Files over REST."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response
from starlette.requests import Request

from instep.content.files import actions
from instep.content.files.schemas import FileDeletedOut, FileOut
from instep.content.files.storage import Storages
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest
from instep.platform.web.api import ApiRouter, PageSize, StartCursor, reply, reply_list
from instep.platform.web.call import CurrentCall
from instep.platform.web.shapes import ListOut

router = ApiRouter()
FileName = Annotated[
    str,
    Query(
        min_length=1,
        max_length=limits.MAX_FILE_NAME_CHARACTERS,
        description="The file's name, without folders; its extension decides between CSV, TXT and JSON.",
        examples=["dashboard.png"],
    ),
]
Force = Annotated[bool, Query(description="Delete it even if an article or changelog entry uses it.")]


@router.operation("GET /files", actions.list_files, ListOut[FileOut])
async def list_files(
    call: CurrentCall, page_size: PageSize = limits.DEFAULT_PAGE_SIZE, start_cursor: StartCursor = None
) -> Response:
    async with call.begin() as ctx:
        files = await actions.list_files(ctx, call.page(page_size, start_cursor))
        return reply_list(files, lambda row: FileOut.of(row, ctx.bot))


@router.operation(
    "POST /files",
    actions.upload_file,
    FileOut,
    status=201,
    body_bytes=limits.MAX_FILE_BYTES,
    takes_file=True,
    repeated_status=200,
)
async def upload_file(call: CurrentCall, request: Request, name: FileName) -> Response:
    refuse_form(request)
    storages: Storages = request.app.state.storages
    async with call.begin() as ctx:
        uploaded = await actions.upload_file(ctx, storages.for_new_files, name, await request.body())
        return reply(FileOut.of(uploaded.file, ctx.bot), 201 if uploaded.is_new else 200)


@router.operation("GET /files/{id}", actions.get_file, FileOut)
async def get_file(call: CurrentCall, id: str) -> Response:
    async with call.begin() as ctx:
        return reply(FileOut.of(await actions.get_file(ctx, id), ctx.bot))


@router.operation("DELETE /files/{id}", actions.delete_file, FileDeletedOut)
async def delete_file(call: CurrentCall, id: str, force: Force = False) -> Response:
    async with call.begin() as ctx:
        return reply(FileDeletedOut(id=await actions.delete_file(ctx, id, is_forced=force), deleted=True))


def refuse_form(request: Request) -> None:
    """Refuse multipart forms: the form itself would be stored as text."""
    if request.headers.get("content-type", "").lower().startswith("multipart/"):
        raise InvalidRequest("Send the bytes of the file as the body of the request, not in a form.")

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
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, reply, reply_list
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
async def list_files(ctx: Ctx, page: PageRequest) -> Response:
    files = await actions.list_files(ctx, page)
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
async def upload_file(ctx: Ctx, request: Request, name: FileName) -> Response:
    refuse_form(request)
    storages: Storages = request.app.state.storages
    uploaded = await actions.upload_file(ctx, storages.for_new_files, name, await request.body())
    return reply(FileOut.of(uploaded.file, ctx.bot), 201 if uploaded.is_new else 200)


@router.operation("GET /files/{id}", actions.get_file, FileOut)
async def get_file(ctx: Ctx, id: str) -> Response:
    return reply(FileOut.of(await actions.get_file(ctx, id), ctx.bot))


@router.operation("DELETE /files/{id}", actions.delete_file, FileDeletedOut)
async def delete_file(ctx: Ctx, id: str, force: Force = False) -> Response:
    return reply(FileDeletedOut(id=await actions.delete_file(ctx, id, is_forced=force), deleted=True))


def refuse_form(request: Request) -> None:
    """Refuse multipart forms: the form itself would be stored as text."""
    if request.headers.get("content-type", "").lower().startswith("multipart/"):
        raise InvalidRequest("Send the bytes of the file as the body of the request, not in a form.")

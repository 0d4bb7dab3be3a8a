"""Comments over REST."""

from typing import Annotated

from fastapi import Query
from fastapi.responses import Response

from instep.drafting.comments import actions
from instep.drafting.comments.schemas import CommentCreate, CommentOut, CommentUpdate, comment_out
from instep.platform.core.paging import PageRequest
from instep.platform.identity.schemas import Ctx
from instep.platform.web.api import ApiRouter, reply, reply_list
from instep.platform.web.shapes import ListOut, Text

router = ApiRouter()

Subject = Annotated[Text, Query(description="The id of a draft, a place or an article.")]


@router.operation("GET /comments", actions.list_comments, ListOut[CommentOut])
async def list_comments(ctx: Ctx, page: PageRequest, subject: Subject) -> Response:
    return reply_list(await actions.list_comments(ctx, subject, page), comment_out)


@router.operation("POST /comments", actions.add_comment, CommentOut, status=201)
async def add_comment(ctx: Ctx, subject: Subject, body: CommentCreate) -> Response:
    return reply(comment_out(await actions.add_comment(ctx, subject, body)), 201)


@router.operation("PATCH /comments/{id}", actions.update_comment, CommentOut)
async def update_comment(ctx: Ctx, id: str, body: CommentUpdate) -> Response:
    return reply(comment_out(await actions.update_comment(ctx, id, body)))


@router.operation("POST /comments/{id}/resolve", actions.resolve_comment, CommentOut)
async def resolve_comment(ctx: Ctx, id: str) -> Response:
    return reply(comment_out(await actions.resolve_comment(ctx, id)))


@router.operation("POST /comments/{id}/reopen", actions.reopen_comment, CommentOut)
async def reopen_comment(ctx: Ctx, id: str) -> Response:
    return reply(comment_out(await actions.reopen_comment(ctx, id)))


@router.operation("DELETE /comments/{id}", actions.delete_comment, CommentOut)
async def delete_comment(ctx: Ctx, id: str) -> Response:
    return reply(comment_out(await actions.delete_comment(ctx, id)))

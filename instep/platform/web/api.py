"""Routes of the management API and their responses."""

import json
from collections.abc import Callable, Mapping
from inspect import Parameter
from typing import Annotated, Any, Final

from fastapi import APIRouter, Header, Query
from fastapi.responses import Response
from pydantic import BaseModel
from pydantic_core import to_json

from instep.platform.core import limits
from instep.platform.core.etags import matches_any_etag
from instep.platform.core.markdown import Format
from instep.platform.core.paging import Page
from instep.platform.identity.access import scope_of
from instep.platform.web.authenticated_route import AuthenticatedRoute, literal_paths, route_metadata
from instep.platform.web.call import Access, in_context

PageSize = Annotated[int, Query(ge=1, le=limits.MAX_PAGE_SIZE, description="At most this many rows.")]
IfMatch = Annotated[str | None, Header(description="Refuse the change unless the text has this ETag.")]
IfNoneMatch = Annotated[str | None, Header(description="Answer 304 if this is still the ETag.")]
Form = Annotated[Format, Query(alias="format", description="The format of the text in the answer.")]
StartCursor = Annotated[str | None, Query(description="The `next_cursor` of the previous page.")]

# Request parameters for a handler's `page`.
PAGE: Final = (
    Parameter("page_size", Parameter.KEYWORD_ONLY, default=limits.DEFAULT_PAGE_SIZE, annotation=PageSize),
    Parameter("start_cursor", Parameter.KEYWORD_ONLY, default=None, annotation=StartCursor),
)

# The description of a raw file body (OpenAPI 3.1, section 4.8.14.4).
FILE_BODY = {
    "description": "The bytes of the file.",
    "required": True,
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}


class ApiRouter(APIRouter):
    """Routes of the management API, each tied to the action that it exposes."""

    def __init__(self) -> None:
        super().__init__(prefix="/v1", route_class=AuthenticatedRoute, redirect_slashes=False)

    def operation(
        self,
        method_and_path: str,
        action: Callable[..., Any],
        answer: Any,
        *,
        status: int = 200,
        needs_bot: bool = True,
        needs_scope: bool = True,
        body_bytes: int = limits.MAX_BODY_BYTES,
        may_warn: bool = False,
        takes_file: bool = False,
        reads_replica: bool = False,
        repeated_status: int | None = None,
    ) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register a handler under the action's name and docstring, with the scope that the action needs.

        `in_context` says what a handler takes. `takes_file`: the body is a raw file. `reads_replica`: the
        action only reads articles, collections or changelog entries of its bot. `repeated_status`: the status
        of a request that an earlier one has already done.
        """
        method, path = method_and_path.split(" ")
        if "{" not in path:
            literal_paths.add(self.prefix + path)

        def register(function: Callable[..., Any]) -> Callable[..., Any]:
            handler = in_context(function, PAGE, reads_replica=reads_replica)
            handler.__dict__["access"] = Access(
                scope_of(action), needs_bot, needs_scope, body_bytes, may_warn
            )
            self.add_api_route(
                path,
                handler,
                methods=[method],
                status_code=status,
                response_model=answer,
                tags=[path.split("/")[1]],
                responses={repeated_status: {"model": answer}} if repeated_status else None,
                openapi_extra={"requestBody": FILE_BODY} if takes_file else None,
                **route_metadata(action),
            )
            return handler

        return register


# The body of a response: a model, or the JSON value of one.
JsonBody = BaseModel | Mapping[str, Any]


def reply(out: JsonBody, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """The response as bytes; the model is valid by construction, so FastAPI need not validate it again."""
    return Response(as_json(out), status, dict(headers or {}), "application/json")


def reply_with_etag(out: JsonBody, etag: str, if_none_match: str | None = None) -> Response:
    """The response with its entity tag, or 304 without a body if the caller already has that state."""
    headers = {"ETag": etag}
    if if_none_match is not None and matches_any_etag(etag, if_none_match):
        return Response(status_code=304, headers=headers)
    return reply(out, headers=headers)


def reply_list(page: Page[Any], shape: Callable[[Any], JsonBody] = lambda row: row) -> Response:
    """A page of rows in the list envelope, joined from the serialized rows."""
    parts = [b'{"results":[']
    for row in page.rows:
        parts += (as_json(shape(row)), b",")
    if page.rows:
        parts.pop()
    more = json.dumps(page.next_cursor is not None)
    parts.append(f'],"has_more":{more},"next_cursor":{json.dumps(page.next_cursor)}}}'.encode())
    return Response(b"".join(parts), media_type="application/json")


def as_json(out: JsonBody) -> bytes:
    """The bytes of `model_dump_json`, without decoding them to a string."""
    if not isinstance(out, BaseModel):
        return to_json(out)
    body: bytes = out.__pydantic_serializer__.to_json(out, by_alias=True)
    return body

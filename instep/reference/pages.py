"""Where the API describes itself: `/v1/openapi.json` for programs, `/docs/api` for people."""

import json
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.core.markdown import render
from instep.reference.chapters import chapters_of, fields_of
from instep.reference.document import Json, describe_api
from instep.reference.visitor_api import describe_visitor_api
from instep.web.pages import Pages, document, sanitised
from instep.web.public import public

pages = Pages.below(Path(__file__).parent / "templates")


@public
async def openapi(request: Request) -> Response:
    """The description of the management API (OpenAPI 3.1)."""
    text = json.dumps(document_of(request), ensure_ascii=False)
    return document(request, text.encode(), "application/json")


@public
async def openapi_of_answers(request: Request) -> Response:
    """The description of the answer API (OpenAPI 3.1)."""
    state = request.app.state
    if not hasattr(state, "openapi_of_answers"):
        described = describe_visitor_api(request.app.routes, state.settings.base_url)
        state.openapi_of_answers = json.dumps(described, ensure_ascii=False).encode()
    return document(request, state.openapi_of_answers, "application/json")


@public
async def show_reference(request: Request) -> Response:
    """The same document as a page to read."""
    state = request.app.state
    if not hasattr(state, "reference"):
        state.reference = values_of(document_of(request))
    return pages.render(request, "reference.html", **state.reference)


def values_of(api: Json) -> Json:
    shapes = [
        (name, schema.get("description"), fields_of(schema))
        for name, schema in api["components"]["schemas"].items()
        if "properties" in schema
    ]
    return {
        "title": api["info"]["title"],
        "version": api["info"]["version"],
        "base_url": api["servers"][0]["url"],
        "introduction": sanitised(render(api["info"]["description"])),
        "chapters": chapters_of(api),
        "shapes": shapes,
    }


def document_of(request: Request) -> Json:
    """Made once in a process: it depends on nothing that changes while it runs."""
    state = request.app.state
    if not hasattr(state, "openapi"):
        state.openapi = describe_api(request.app.routes, state.settings.base_url)
    described: Json = state.openapi
    return described


routes = [
    Route("/v1/openapi.json", openapi),
    Route("/openapi.json", openapi_of_answers),
    Route("/docs/api", show_reference),
]

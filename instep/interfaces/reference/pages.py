"""The API's own documentation: `/v1/openapi.json` for programs, `/docs/api` for people."""

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from instep.interfaces.reference.chapters import chapters_of, fields_of
from instep.interfaces.reference.document import Json, describe_api
from instep.interfaces.reference.visitor_api import describe_visitor_api
from instep.platform.core.markdown import render
from instep.platform.web.pages import Pages, document, sanitised
from instep.platform.web.public import public

pages = Pages.below(Path(__file__).parent / "templates")


class Descriptions:
    """The descriptions of the APIs, made once, at the first request."""

    def __init__(self, routes: Sequence[BaseRoute], base_url: str) -> None:
        self.routes = routes
        self.base_url = base_url

    @cached_property
    def management_api(self) -> Json:
        return describe_api(self.routes, self.base_url)

    @cached_property
    def answer_api(self) -> Json:
        return describe_visitor_api(self.routes, self.base_url)

    @cached_property
    def page_values(self) -> Json:
        return values_of(self.management_api)


def descriptions_of(request: Request) -> Descriptions:
    descriptions: Descriptions = request.app.state.descriptions
    return descriptions


@public
async def openapi(request: Request) -> Response:
    """The description of the management API (OpenAPI 3.1)."""
    return render_description(request, descriptions_of(request).management_api)


@public
async def openapi_of_answers(request: Request) -> Response:
    """The description of the answer API (OpenAPI 3.1)."""
    return render_description(request, descriptions_of(request).answer_api)


def render_description(request: Request, api: Json) -> Response:
    return document(request, json.dumps(api, ensure_ascii=False).encode(), "application/json")


@public
async def show_reference(request: Request) -> Response:
    """The same document as a page to read."""
    return pages.render(request, "reference.html", **descriptions_of(request).page_values)


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


routes = [
    Route("/v1/openapi.json", openapi),
    Route("/openapi.json", openapi_of_answers),
    Route("/docs/api", show_reference),
]

"""The script that customers' pages load, and its types, at URLs that never change."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.platform.core import limits
from instep.platform.core.etags import matches_any_etag
from instep.platform.web.assets import built_response, manifest
from instep.platform.web.public import public

CACHE_CONTROL = (
    f"public, max-age={limits.WIDGET_FRESH_SECONDS}, stale-while-revalidate={limits.WIDGET_STALE_SECONDS}"
)


@public
async def show_widget_script(request: Request) -> Response:
    """The launcher; the panel that it loads has a URL that changes with its content."""
    return kept_by_etag(request, "widget.js")


@public
async def show_widget_types(request: Request) -> Response:
    """The type declarations of the widget, for customers' TypeScript."""
    return kept_by_etag(request, "widget-types.ts")


def kept_by_etag(request: Request, name: str) -> Response:
    file = manifest()[name]
    # The name contains a hash of the content, which is sent in several codings.
    headers = {"Cache-Control": CACHE_CONTROL, "ETag": f'W/"{file}"'}
    if matches_any_etag(f'"{file}"', request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    return built_response(request, file, headers)


routes = [Route("/widget.js", show_widget_script), Route("/widget.d.ts", show_widget_types)]

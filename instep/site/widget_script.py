"""The script that customers' pages load, at an address that never changes."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.core import limits
from instep.core.etags import matches_any_etag
from instep.web.assets import built_response, manifest
from instep.web.public import public

CACHE_CONTROL = (
    f"public, max-age={limits.WIDGET_FRESH_SECONDS}, stale-while-revalidate={limits.WIDGET_STALE_SECONDS}"
)


@public
async def show_widget_script(request: Request) -> Response:
    """The launcher; the panel that it loads has an address that changes with its content."""
    file = manifest()["widget.js"]
    # The name holds a hash of the content.
    headers = {"Cache-Control": CACHE_CONTROL, "ETag": f'W/"{file}"'}
    if matches_any_etag(headers["ETag"], request.headers.get("if-none-match", "")):
        return Response(status_code=304, headers=headers)
    return built_response(request, file, headers)


routes = [Route("/widget.js", show_widget_script)]

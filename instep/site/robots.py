"""`robots.txt` (RFC 9309): programs may read everything public, and find the sitemaps."""

from starlette.requests import Request
from starlette.responses import Response

from instep.core.config import settings
from instep.site import queries
from instep.site.schemas import FrontPage
from instep.web.pages import document
from instep.web.public import public


@public
async def show_robots(request: Request) -> Response:
    """Name the sitemaps of the only workspace; of several it names none, as the front page does."""
    async with request.app.state.database.enter(FrontPage, queries.ENTER_FRONT_PAGE) as (front, tx):
        help_centers = await queries.list_help_centers(tx) if front.workspace_id else []
    urls = [f"{settings().base_url}/help/{center.slug}/sitemap.xml" for center in help_centers]
    lines = ["User-agent: *", "Disallow:", *(f"Sitemap: {url}" for url in urls)]
    return document(request, "".join(f"{line}\n" for line in lines).encode(), "text/plain; charset=utf-8")

"""`robots.txt` (RFC 9309): programs may read everything public, and find the sitemaps."""

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site import entrances, queries
from instep.interfaces.site.schemas import FrontPage
from instep.interfaces.site.visits import help_center
from instep.interfaces.site.xml import as_uri
from instep.platform.core.config import settings
from instep.platform.web.pages import document
from instep.platform.web.public import public


@public
async def show_robots(request: Request) -> Response:
    """Name the sitemaps of the only workspace; name none of several, like the front page."""
    async with request.app.state.database.enter(FrontPage, entrances.ENTER_FRONT_PAGE) as (front, tx):
        help_centers = await queries.list_help_centers(tx) if front.workspace_id else []
    home = f"{settings().base_url}/help"
    return robots_text(request, [f"{home}/{center.slug}/sitemap.xml" for center in help_centers])


@public
async def show_robots_of_domain(request: Request) -> Response:
    """The same for a help center on its own host name."""
    async with help_center(request) as visit:
        return robots_text(request, [f"{visit.ctx.bot.help_url}/sitemap.xml"])


def robots_text(request: Request, sitemaps: list[str]) -> Response:
    lines = ["User-agent: *", "Disallow:", *(f"Sitemap: {as_uri(url)}" for url in sitemaps)]
    return document(request, "".join(f"{line}\n" for line in lines).encode(), "text/plain; charset=utf-8")

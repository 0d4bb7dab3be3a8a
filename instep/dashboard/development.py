"""All parts with all their states, and samples of whole pages: for those who develop Instep."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.core.errors import NotFound
from instep.dashboard.shell import pages, section_links
from instep.web.public import public

PATH = "/app/_parts"
SCHEMES = ("light", "dark")
MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
# What the navigation of the samples counts.
COUNTS = {"review": 14, "articles": 312, "questions": 9, "conversations": 3}


def in_development(
    page: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    """Declare that a page exists only where `INSTEP_DEVELOPMENT` is true; anybody may see it there."""

    @public
    async def show(request: Request) -> Response:
        if not request.app.state.settings.development:
            raise NotFound
        return await page(request)

    return show


@in_development
async def show_parts(request: Request) -> Response:
    return pages.show(request, "parts_page.html", schemes=SCHEMES, moment=MOMENT)


@in_development
async def show_sample_review(request: Request) -> Response:
    return pages.show(request, "sample_review.html", sections=section_links("acme", "review", COUNTS))


routes = [Route(PATH, show_parts), Route(f"{PATH}/review", show_sample_review)]

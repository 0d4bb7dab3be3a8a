"""All components in all states, and samples of whole pages, for developers of Instep."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

from markupsafe import escape
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.interfaces.dashboard.shell import pages, section_links
from instep.platform.core.errors import NotFound
from instep.platform.identity.schemas import Person
from instep.platform.web.public import public
from instep.platform.web.signed_in import form_of, require_person

PATH = "/app/_parts"
SCHEMES = ("light", "dark")
MOMENT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
# The counts in the samples' navigation.
COUNTS = {"review": 14, "articles": 312, "questions": 9, "conversations": 3}


def in_development(
    page: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    """Declare that a page exists only if `INSTEP_DEVELOPMENT` is true; anyone may then see it."""

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
    sections = section_links("acme", "review", COUNTS)
    return pages.show(request, "sample_review.html", sections=sections, bots=[], bot=None, notice=None)


@require_person()
async def show_sample_session(request: Request, person: Person) -> Response:
    """A form whose session may have ended in the meantime."""
    if not request.app.state.settings.development:
        raise NotFound
    if request.method == "POST":
        return Response(escape(f"Saved: {form_of(request)['text']}"), media_type="text/html")
    return pages.show(
        request, "sample_session.html", person=person, sections=[], bots=[], bot=None, notice=None
    )


routes = [
    Route(PATH, show_parts),
    Route(f"{PATH}/review", show_sample_review),
    Route(f"{PATH}/session", show_sample_session, methods=["GET", "POST"]),
]

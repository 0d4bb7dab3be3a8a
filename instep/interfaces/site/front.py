"""The root page of an installation: it leads to the help center, or shows an operator the next step."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from instep.interfaces.site import entrances, queries
from instep.interfaces.site.rendering import render_page
from instep.interfaces.site.schemas import FrontPage
from instep.platform.web.catalogues import SOURCE_LANGUAGE
from instep.platform.web.pages import NO_STORE, SECURITY_HEADERS
from instep.platform.web.public import public


@public
async def show_front_page(request: Request) -> Response:
    """Redirect to the only help center, or list those of the only workspace; list none of several."""
    async with request.app.state.database.enter(FrontPage, entrances.ENTER_FRONT_PAGE) as (front, tx):
        help_centers = await queries.list_help_centers(tx) if front.workspace_id else []
    if len(help_centers) == 1:
        return redirect(f"/help/{help_centers[0].slug}/")
    return render_page(
        request,
        "front.html",
        locale=SOURCE_LANGUAGE,
        heading="Help centers" if front.has_bots else "Instep is ready",
        has_bots=front.has_bots,
        help_centers=[center for center in help_centers if center.has_articles],
    )


@public
async def show_documentation(request: Request) -> Response:
    """Redirect to the API reference, which people look for at this path."""
    return redirect("/docs/api")


def redirect(path: str) -> Response:
    """A temporary redirect, because the target may be another page later."""
    return RedirectResponse(path, 302, {**SECURITY_HEADERS, **NO_STORE})

"""Errors in the dashboard: a page with a link, or a toast if htmx requests a part of a page."""

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from instep.interfaces.dashboard.shell import pages
from instep.platform.core.errors import AppError
from instep.platform.identity.sessions import Session
from instep.platform.web.signed_in import (
    SomeoneElsesForm,
    asks_for_part,
    page_of_form,
    private_headers,
    wants_json,
    with_query,
)

PATH = "/app/"
# An error appears among the toasts of the page, not in the requested part.
TO_TOASTS = {"HX-Retarget": "#toasts", "HX-Reswap": "beforeend", "HX-Reselect": ".toast"}


HEADINGS = {
    403: "Not allowed",
    404: "Not found",
    405: "Not allowed here",
    429: "Too many requests",
    503: "Temporarily unavailable",
}
OTHER_HEADING = "Something went wrong"


def is_for_dashboard(request: Request) -> bool:
    return request.url.path.startswith(PATH)


def refuse_page(request: Request, error: AppError) -> Response:
    """The error's sentence as a page that links to the dashboard, or to signing in and back to the form."""
    session: Session | None = getattr(request.state, "session", None)
    response = pages.show(
        request,
        "refused.html",
        error.status,
        person=session.person if session else None,
        heading=HEADINGS.get(error.status, OTHER_HEADING),
        message=error.message,
        form_page=with_query(*page_of_form(request)) if isinstance(error, SomeoneElsesForm) else None,
    )
    response.headers.update(error.headers)
    return response


def is_for_part(request: Request) -> bool:
    """True if htmx requests a part of a dashboard page."""
    return is_for_dashboard(request) and asks_for_part(request)


def refuse_part(request: Request, error: AppError) -> Response:
    """The error's sentence as a toast, or as JSON for our own scripts; the page does not change."""
    if wants_json(request):
        return JSONResponse({"message": error.message}, error.status, {**private_headers(), **error.headers})
    response = pages.show(request, "refused_part.html", error.status, message=error.message)
    response.headers.update({**error.headers, **TO_TOASTS})
    return response

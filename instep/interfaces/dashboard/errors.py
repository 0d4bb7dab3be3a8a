"""Refusals in the dashboard: a page with a way on, and a toast where htmx asks for a part of a page."""

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.dashboard.shell import pages
from instep.platform.core.errors import AppError
from instep.platform.web.signed_in import asks_for_part

PATH = "/app/"
# A refusal is shown among the toasts of the page, not in the part that was asked for.
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
    """The sentence of the error as a page that leads to the dashboard."""
    heading = HEADINGS.get(error.status, OTHER_HEADING)
    response = pages.show(request, "refused.html", error.status, heading=heading, message=error.message)
    response.headers.update(error.headers)
    return response


def is_for_part(request: Request) -> bool:
    """True if htmx asks for a part of a page of the dashboard."""
    return is_for_dashboard(request) and asks_for_part(request)


def refuse_part(request: Request, error: AppError) -> Response:
    """The sentence of the error as a toast; the page stays as it is."""
    response = pages.show(request, "refused_part.html", error.status, message=error.message)
    response.headers.update({**error.headers, **TO_TOASTS})
    return response

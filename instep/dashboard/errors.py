"""Refusals of requests that htmx makes: it would put a whole page where a part of one belongs."""

from starlette.requests import Request
from starlette.responses import Response

from instep.core.errors import AppError
from instep.dashboard.shell import pages
from instep.web.signed_in import asks_for_part

PATH = "/app/"
# Whatever part was asked for, a refusal goes to the toasts of the page.
TO_TOASTS = {"HX-Retarget": "#toasts", "HX-Reswap": "beforeend", "HX-Reselect": ".toast"}


def is_for_part(request: Request) -> bool:
    """Whether htmx asks for a part of a page of the dashboard."""
    return request.url.path.startswith(PATH) and asks_for_part(request)


def refuse_part(request: Request, error: AppError) -> Response:
    """The sentence of the error as a toast; the page stays as it is."""
    response = pages.show(request, "refused_part.html", error.status, message=error.message)
    response.headers.update({**error.headers, **TO_TOASTS})
    return response

"""Decides which page requests count as visits: those of people, as far as robots identify themselves."""

import re

from starlette.requests import Request

from instep.interfaces.site.visits import Visit
from instep.visitors.insights.visits.counter import Occasion, VisitCounter

# User agents of programs that load pages as browsers do, without a person.
ROBOT = re.compile(
    r"bot\b|bot[/_-]|crawl|spider|slurp|archiver|preview|fetch|scan|monitor|headless|lighthouse|validator"
    r"|externalhit|embedly|compatible;",
    re.IGNORECASE,
)
# The headers with which browsers mark requests for pages that are not shown yet.
PURPOSES = ("sec-purpose", "purpose", "x-moz")


def count_view(request: Request, occasion: Occasion, article_id: str) -> None:
    """Count that a visitor opened an article."""
    if is_visit(request):
        counter_of(request).count_view(occasion, article_id)


def count_words(visit: Visit, query: str, *, is_empty: bool) -> None:
    """Count a visitor's search."""
    if is_visit(visit.request):
        counter_of(visit.request).count_search(visit.ctx, query, is_empty=is_empty)


def counter_of(request: Request) -> VisitCounter:
    counter: VisitCounter = request.app.state.visit_counter
    return counter


def is_visit(request: Request) -> bool:
    """True if a person sees the page: not for robots, HEAD requests and prefetches."""
    headers = request.headers
    browser = headers.get("user-agent", "")
    return (
        request.method == "GET"
        and browser.startswith("Mozilla/")
        and not ROBOT.search(browser)
        and not any("prefetch" in headers.get(name, "") for name in PURPOSES)
        and headers.get("sec-fetch-dest", "document") == "document"
    )

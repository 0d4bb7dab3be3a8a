"""Pages that were rendered before: answered with nothing but the state of the help center."""

from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response

from instep.core.clock import utc_now
from instep.identity.schemas import Bot
from instep.site.page_cache import page_cache
from instep.site.shared_arrivals import Arrivals
from instep.site.visit_counts import count_view
from instep.web.custom_domains import custom_domain


@dataclass(frozen=True, slots=True)
class KeptVisit:
    """A visit that needs no context."""

    bot: Bot
    now: datetime

    @property
    def workspace_id(self) -> str:
        return self.bot.workspace_id


async def kept_page(request: Request) -> Response | None:
    """The page at this address as it was rendered before, if nothing has changed since; else None."""
    name = request.path_params["bot"]
    is_in_place = custom_domain(request) == (name if "." in name else None)
    if not is_in_place or not page_cache.holds(request):
        return None
    arrivals: Arrivals = request.app.state.arrivals
    arrival = await arrivals.find(request.app.state.database, name)
    page = page_cache.find(request, arrival) if arrival else None
    if arrival is None or page is None:
        return None
    if page.article_id:
        count_view(request, KeptVisit(arrival.bot, utc_now()), page.article_id)
    return page.respond(request)

"""Pages that were rendered before: answered with nothing but the state of the help center, before routing."""

from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from instep.core.clock import utc_now
from instep.identity.schemas import Bot
from instep.site.page_cache import RenderedPage, page_cache
from instep.site.representations import prefers_markdown
from instep.site.shared_states import SharedStates
from instep.site.visit_counts import counter_of, is_visit
from instep.web.custom_domains import custom_domain


@dataclass(frozen=True, slots=True)
class KeptVisit:
    """A visit that needs no context."""

    bot: Bot
    now: datetime

    @property
    def workspace_id(self) -> str:
        return self.bot.workspace_id


class KeptPages:
    """Answers with the page at an address as it was rendered before, if nothing has changed since.

    It comes after everything that may refuse a request, and before compression: a page is kept compressed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        page = await kept_page(Request(scope)) if scope["type"] == "http" else None
        if page is None:
            await self.app(scope, receive, send)
            return
        # What the request is counted as.
        scope["endpoint"] = page.endpoint
        await page.response_to(Request(scope))(scope, receive, send)


async def kept_page(request: Request) -> RenderedPage | None:
    """The page at the address of a request as everybody sees it, counted as read; else None."""
    page = page_cache.find(request) if request.method in ("GET", "HEAD") else None
    if page is None or not is_in_place(request, page) or prefers_markdown(request):
        return None
    states: SharedStates = request.app.state.site_states
    state = await states.find(request.app.state.database, page.slug)
    if state is None or not page_cache.renew(request, page, state):
        return None
    if page.article_id and is_visit(request):
        counter_of(request).count_view(KeptVisit(state.bot, utc_now()), page.article_id)
    return page


def is_in_place(request: Request, page: RenderedPage) -> bool:
    """Whether a help center was asked for at the host that its address names."""
    return custom_domain(request) == (page.slug if "." in page.slug else None)

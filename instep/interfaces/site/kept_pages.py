"""Serves cached pages with nothing but the state of the help center, before routing."""

import asyncio
from dataclasses import dataclass
from datetime import datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from instep.interfaces.site import entrances
from instep.interfaces.site.page_cache import RenderedPage, page_cache
from instep.interfaces.site.representations import prefers_markdown
from instep.interfaces.site.schemas import SiteState
from instep.interfaces.site.visit_counts import counter_of, is_visit
from instep.platform.core.clock import utc_now
from instep.platform.core.database import Database
from instep.platform.identity.schemas import Bot
from instep.platform.web.custom_domains import custom_domain


class SharedStates:
    """Reads the state of help centers, with one statement for all who ask while another one is running.

    A caller gets the result of a statement that began after the call, so that nobody sees a page that was
    withdrawn before they requested it.
    """

    def __init__(self) -> None:
        # The next reading and the running one, by slug or host name.
        self.next: dict[str, asyncio.Task[SiteState | None]] = {}
        self.current: dict[str, asyncio.Task[SiteState | None]] = {}

    async def find(self, database: Database, slug: str) -> SiteState | None:
        reading = self.next.get(slug)
        if reading is None:
            reading = self.next[slug] = asyncio.create_task(self.read(database, slug))
        # A caller who leaves does not cancel the reading for the others.
        return await asyncio.shield(reading)

    async def read(self, database: Database, slug: str) -> SiteState | None:
        if before := self.current.get(slug):
            await asyncio.wait([before])
        reading = self.current[slug] = self.next.pop(slug)
        try:
            async with database.enter(SiteState, entrances.SITE_STATE, slug=slug) as (state, _):
                return state
        finally:
            if self.current.get(slug) is reading:
                del self.current[slug]


@dataclass(frozen=True, slots=True)
class KeptVisit:
    """A visit that needs no context."""

    bot: Bot
    now: datetime

    @property
    def workspace_id(self) -> str:
        return self.bot.workspace_id


class KeptPages:
    """Serves the cached page at a URL, if nothing has changed since it was rendered.

    It runs after everything that may refuse a request, and before compression: pages are cached compressed.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        app = await kept_response(Request(scope)) if scope["type"] == "http" else None
        await (app or self.app)(scope, receive, send)


async def kept_response(request: Request) -> Response | None:
    """The public page at a request's URL, counted as read; None if it is not cached."""
    page = page_cache.find(request) if request.method in ("GET", "HEAD") else None
    if page is None or not is_in_place(request, page) or prefers_markdown(request):
        return None
    states: SharedStates = request.app.state.site_states
    state = await states.find(request.app.state.database, page.slug)
    page = page_cache.find_current(request, state) if state else None
    if state is None or page is None:
        return None
    if page.article_id and is_visit(request):
        counter_of(request).count_view(KeptVisit(state.bot, utc_now()), page.article_id)
    # The name that the request is counted under.
    request.scope["endpoint"] = page.endpoint
    return page.response_to(request)


def is_in_place(request: Request, page: RenderedPage) -> bool:
    """True if a help center was requested on the host of its URL."""
    return custom_domain(request) == (page.slug if "." in page.slug else None)

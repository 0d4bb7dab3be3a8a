"""The pages of a public help center."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from instep.core.clock import utc_now
from instep.core.errors import AppError, NotFound
from instep.identity.schemas import Actor, Ctx, SiteEntry
from instep.site import queries
from instep.web.pages import CACHE, Pages, moved_to, sanitised
from instep.web.public import public

HERE = Path(__file__).parent
HEADINGS = {404: "Not found", 405: "Not possible", 503: "Back in a moment"}
MESSAGES = {404: "There is no page at this address. It may have moved, or it is not public."}
VISITOR = Actor("visitor", "Visitor", can_write=False)
pages = Pages.below(HERE / "templates")


@asynccontextmanager
async def help_center(request: Request) -> AsyncIterator[Ctx]:
    """The context of the help center that the address names."""
    if any("\0" in part for part in request.path_params.values()):
        # PostgreSQL refuses the character instead of finding nothing.
        raise NotFound
    slug = request.path_params["bot"]
    async with request.app.state.database.enter(
        SiteEntry, "select * from enter_site(%(slug)s)", slug=slug
    ) as (entry, tx):
        if entry is None:
            raise NotFound
        yield Ctx(tx, entry.bot, VISITOR, utc_now())


@public
async def show_home(request: Request) -> Response:
    async with help_center(request) as ctx:
        sections = await queries.list_sections(ctx, ctx.bot.locale)
        return pages.render(request, "home.html", bot=ctx.bot, locale=ctx.bot.locale, sections=sections)


@public
async def show_collection(request: Request) -> Response:
    async with help_center(request) as ctx:
        sections = await queries.list_sections(ctx, ctx.bot.locale, request.path_params["slug"])
        if not sections:
            raise NotFound
        return pages.render(
            request, "collection.html", bot=ctx.bot, locale=ctx.bot.locale, section=sections[0]
        )


@public
async def show_article(request: Request) -> Response:
    slug = request.path_params["slug"]
    async with help_center(request) as ctx:
        locale = request.path_params.get("locale", ctx.bot.locale)
        article = await queries.find_article(ctx, slug, locale)
        if article is not None:
            html = sanitised(article.html)
            return pages.render(
                request, "article.html", bot=ctx.bot, locale=locale, article=article, html=html
            )
        moved = await queries.find_moved(ctx, slug, locale)
        if moved is None:
            raise NotFound
        prefix = "" if locale == ctx.bot.locale else f"/{locale}"
        return moved_to(f"{ctx.bot.help_url}{prefix}/articles/{moved}")


def refused(request: Request, refusal: AppError) -> Response:
    """The page in place of one that can't be shown."""
    page = pages.render(
        request,
        "refused.html",
        refusal.status,
        locale="en",
        heading=HEADINGS.get(refusal.status, "Error"),
        message=MESSAGES.get(refusal.status, refusal.message),
    )
    page.headers.update(refusal.headers)
    return page


@public
async def add_slash(request: Request) -> Response:
    """People leave the slash away; relative addresses need it."""
    return moved_to(f"{request.url.path}/")


class Assets(StaticFiles):
    """Files that a cache asks for again, so that a new version's pages don't meet an old version's style."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers.update({"Cache-Control": CACHE, "X-Content-Type-Options": "nosniff"})
        return response


routes = [
    Route("/help/{bot}", add_slash),
    Route("/help/{bot}/", show_home),
    Route("/help/{bot}/articles/{slug}", show_article),
    Route("/help/{bot}/collections/{slug}", show_collection),
    Route("/help/{bot}/{locale}/articles/{slug}", show_article),
    Mount("/static", public(Assets(directory=HERE / "static")), name="static"),
]

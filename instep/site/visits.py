"""A visit: the help center that an address names, and the rendering of its pages."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from instep.core import limits
from instep.core.clock import utc_now
from instep.core.errors import NotFound
from instep.core.locales import direction, valid_locale
from instep.identity.schemas import Actor, Bot, Ctx
from instep.site import queries
from instep.site.accents import accent_path
from instep.site.schemas import Arrival, ask_path, search_path
from instep.web.pages import Pages

VISITOR = Actor("visitor", "Visitor", can_write=False)


def day(timestamp: datetime) -> str:
    return timestamp.astimezone(UTC).strftime("%Y-%m-%d")


pages = Pages.below(Path(__file__).parent / "templates")
pages.environment.filters.update(day=day, direction=direction)


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of a visitor, in the help center that its address names."""

    request: Request
    ctx: Ctx
    has_changelog: bool
    accent_path: str | None

    def page(self, template: str, locale: str | None = None, **values: Any) -> Response:
        bot = self.ctx.bot
        locale = locale or bot.locale
        common_values = {
            "bot": bot,
            "locale": locale,
            "has_changelog": self.has_changelog,
            "accent_path": self.accent_path,
            "search_path": search_path(bot, locale),
            "ask_path": ask_path(bot, locale),
            "longest_query": limits.MAX_QUERY_CHARACTERS,
            "query": "",
        }
        return pages.render(self.request, template, **{**common_values, **values})


def canonical_locale(locale: str) -> str:
    """The canonical spelling of a language code; an invalid one is not found (404)."""
    try:
        return valid_locale(locale)
    except ValueError:
        raise NotFound from None


def requested_locale(request: Request, bot: Bot) -> tuple[str, bool]:
    """The language that an address names, or the bot's own, and whether it is spelt as its links are."""
    path_locale = request.path_params.get("locale")
    locale = bot.locale if path_locale is None else canonical_locale(path_locale)
    return locale, path_locale == (None if locale == bot.locale else locale)


@asynccontextmanager
async def help_center(request: Request) -> AsyncIterator[Visit]:
    if any("\0" in part for part in request.path_params.values()):
        # PostgreSQL refuses the character instead of finding nothing.
        raise NotFound
    slug = request.path_params["bot"]
    async with request.app.state.database.enter(Arrival, queries.ARRIVE, slug=slug) as (arrival, tx):
        if arrival is None:
            raise NotFound
        style = accent_path(*arrival.accent) if arrival.accent else None
        yield Visit(request, Ctx(tx, arrival.bot, VISITOR, utc_now()), arrival.has_changelog, style)

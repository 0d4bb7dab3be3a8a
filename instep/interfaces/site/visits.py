"""A visit: the help center in a URL, its language, and its reader."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site import entrances
from instep.interfaces.site.schemas import Arrival, path_in, root_path
from instep.interfaces.site.versioned_addresses import requested_version, version_path
from instep.platform.core.clock import utc_now
from instep.platform.core.errors import AppError, NotFound
from instep.platform.core.locales import valid_locale
from instep.platform.core.replica import Replica
from instep.platform.identity.schemas import Actor, Bot, Ctx, ReadVersion
from instep.platform.web.catalogues import Catalogue, catalogue_of
from instep.platform.web.custom_domains import custom_domain
from instep.platform.web.forms import cookie_name
from instep.platform.web.pages import moved_to
from instep.search.schemas import Audience
from instep.visitors.answers.visitor_tokens import proven_claims

# A signed-in visitor also has an id.
VISITOR = Actor("visitor", "Visitor", can_write=False)


class Moved(AppError):
    """This page has another address, permanently or temporarily."""

    status = 301

    def __init__(self, url: str, *, is_permanent: bool = True) -> None:
        super().__init__()
        self.url = url
        self.is_permanent = is_permanent


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of a visitor, in the help center that its URL names."""

    request: Request
    ctx: Ctx
    arrival: Arrival
    # The token of the visitor's session, if it is valid.
    session: str | None = None

    @property
    def has_changelog(self) -> bool:
        return self.arrival.has_changelog

    @property
    def accent(self) -> str | None:
        """The accent for the light scheme; None means Instep blue."""
        return self.arrival.accent[0] if self.arrival.accent else None

    @property
    def version(self) -> ReadVersion | None:
        """The product version that the visitor reads; None in a help center without versions."""
        return self.ctx.bot.version

    @property
    def locales(self) -> Sequence[str]:
        """The languages of live articles."""
        return self.arrival.locales

    @property
    def is_signed_in(self) -> bool:
        return self.session is not None

    @property
    def audience(self) -> Audience:
        return "authenticated" if self.is_signed_in else "public"

    @property
    def locale(self) -> str:
        """The language in the URL, or the help center's own."""
        path_locale = self.request.path_params.get("locale")
        return self.ctx.bot.locale if path_locale is None else canonical_locale(path_locale)

    @property
    def catalogue(self) -> Catalogue:
        return catalogue_of(self.locale)

    @property
    def root(self) -> str:
        """The path prefix of pages in this language."""
        return root_path(self.ctx.bot, self.locale)

    @property
    def rest_of_path(self) -> str:
        """The path of this page below the root of its language."""
        return f"/{below_help_center(self.request)}".removeprefix(path_in(self.ctx.bot, self.locale))


def session_cookie(bot: Bot) -> str:
    """The name of the cookie of a visitor's session: each help center on a host has its own."""
    return f"visitor-{bot.id.hex}"


def canonical_locale(locale: str) -> str:
    """The canonical spelling of a language code; an invalid one is not found (404)."""
    try:
        return valid_locale(locale)
    except ValueError:
        raise NotFound from None


def requested_locale(request: Request, bot: Bot) -> tuple[str, bool]:
    """The language in the URL, or the bot's own, and whether it is spelled as in links."""
    path_locale = request.path_params.get("locale")
    locale = bot.locale if path_locale is None else canonical_locale(path_locale)
    return locale, path_locale == (None if locale == bot.locale else locale)


def moved_to_usual_spelling(visit: Visit) -> Response | None:
    """The redirect from a URL whose language is spelled differently from links; otherwise None."""
    locale, is_canonical = requested_locale(visit.request, visit.ctx.bot)
    if is_canonical:
        return None
    rest = below_help_center(visit.request).partition("/")[2]
    return moved_to(f"{root_path(visit.ctx.bot, locale)}/{rest}")


def below_help_center(request: Request) -> str:
    """The path of a request below its help center, without a leading slash."""
    path: str = request.scope["path"]
    return path.split("/", 3)[3]


def own_address(request: Request, bot: Bot) -> str | None:
    """The URL of the requested page on the help center's own host name.

    None if it was requested there. Other help centers don't exist on such a host (404).
    """
    domain, (_, place, name, _) = custom_domain(request), request.scope["path"].split("/", 3)
    if domain not in (None, bot.domain):
        raise NotFound
    if bot.domain is None or place != "help" or name == domain:
        return None
    return address_at(request, bot.help_url + version_path(request))


def address_at(request: Request, home: str) -> str:
    """The URL or path of the requested page below another home page."""
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{home}/{quote(below_help_center(request))}{query}"


@asynccontextmanager
async def help_center(
    request: Request, *, recognise: bool = False, only_reads: bool = False
) -> AsyncIterator[Visit]:
    """The visit to the help center in the URL.

    Only with `recognise` it may be a signed-in visitor's, who sees more than the public;
    feeds, sitemaps and other lists for programs are the same for all. With `only_reads` a
    replica of the database may answer.
    """
    if any("\0" in part for part in request.path_params.values()):
        # PostgreSQL refuses the character instead of finding nothing.
        raise NotFound
    slug = request.path_params["bot"]
    async with request.app.state.database.enter(Arrival, entrances.ARRIVE, slug=slug) as (arrival, tx):
        if arrival is None:
            raise NotFound
        if url := own_address(request, arrival.bot):
            raise Moved(url)
        visit = in_requested_version(Visit(request, Ctx(tx, arrival.bot, VISITOR, utc_now()), arrival))
        # Errors from here on are reported in this language.
        request.state.locale = visit.locale
        visit = await recognised(visit) if recognise else visit
        request.state.visit = visit
        replica: Replica | None = request.app.state.replica if only_reads else None
        if replica is None:
            yield visit
            return
        async with replica.enter(arrival.state, entrances.SITE_STATE, slug=slug) as replica_tx:
            if replica_tx is None:
                yield visit
            else:
                await tx.release()
                yield replace(visit, ctx=replace(visit.ctx, tx=replica_tx))


def in_requested_version(visit: Visit) -> Visit:
    """The visit in the product version that its address names, by default the current one.

    The address of the current version leads to the page without a version, one of an unknown version nowhere.
    """
    versions, slug = visit.arrival.read_versions, requested_version(visit.request)
    current = next((version for version in versions if version.is_current), None)
    visit = replace(visit, ctx=with_version(visit.ctx, current))
    if slug is None:
        return visit
    chosen = next((version for version in versions if version.slug == slug), None)
    if chosen is None:
        # The page that says so has the frame of the help center, if that has versions.
        visit.request.state.visit = visit if versions else None
        raise NotFound
    if chosen.is_current:
        raise Moved(address_at(visit.request, visit.ctx.bot.home_path), is_permanent=False)
    return replace(visit, ctx=with_version(visit.ctx, chosen))


def with_version(ctx: Ctx, version: ReadVersion | None) -> Ctx:
    """The context that reads a product version, or all of them."""
    return replace(ctx, bot=ctx.bot.in_version(version))


async def recognised(visit: Visit) -> Visit:
    """The same visit as a signed-in visitor's, if the browser's cookie proves a session."""
    name = cookie_name(visit.request.app.state.settings, session_cookie(visit.ctx.bot))
    session = visit.request.cookies.get(name)
    claims = session and await proven_claims(visit.ctx, session)
    if not claims:
        return visit
    return replace(visit, ctx=replace(visit.ctx, actor=replace(VISITOR, id=claims["sub"])), session=session)

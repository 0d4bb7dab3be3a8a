"""A visit: the help center that an address names, and the rendering of its pages."""

import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site import entrances
from instep.interfaces.site.accents import style_of_accent
from instep.interfaces.site.alert_titles import translate_alert_titles
from instep.interfaces.site.diagrams import fold_diagrams
from instep.interfaces.site.languages import language_links
from instep.interfaces.site.page_cache import first_response, page_cache
from instep.interfaces.site.schemas import Arrival, ask_path, path_in, root_path, search_path
from instep.interfaces.site.structured_data import og_locale
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.config import settings
from instep.platform.core.errors import AppError, NotFound
from instep.platform.core.etags import etag_of
from instep.platform.core.locales import direction, valid_locale
from instep.platform.core.markdown import heading_fragment
from instep.platform.core.replica import Replica
from instep.platform.identity.schemas import Actor, Bot, Ctx
from instep.platform.web.assets import InlineStyle, built_style
from instep.platform.web.catalogues import Catalogue, catalogue_of, page_language
from instep.platform.web.custom_domains import custom_domain
from instep.platform.web.forms import cookie_name
from instep.platform.web.pages import (
    NO_STORE,
    SECURITY_HEADERS,
    Pages,
    moved_to,
    sanitised,
    validated_headers,
)
from instep.search.schemas import Audience
from instep.visitors.answers.visitor_tokens import proven_claims

NO_HEADERS: Mapping[str, str] = MappingProxyType({})
# A visitor who has signed in has an id, too.
VISITOR = Actor("visitor", "Visitor", can_write=False)


@pass_context
def day(context: Context, moment: datetime) -> str:
    """The day as the page's language writes it."""
    return catalogue_of(context["locale"]).date(moment)


class Moved(AppError):
    """This page has another address now."""

    status = 301

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url


@lru_cache(limits.MAX_CACHED_ACCENTS)
def policy_with(accent: InlineStyle | None = None) -> str:
    """The Content-Security-Policy: the pages' own styles and script only, and no HTML from it."""
    styles = " ".join(style.source for style in (built_style("site.css"), accent) if style)
    policy = SECURITY_HEADERS["Content-Security-Policy"].replace("style-src 'self'", f"style-src {styles}")
    return (
        f"{policy}; script-src 'self'; connect-src 'self';"
        " require-trusted-types-for 'script'; trusted-types 'none'"
    )


@pass_context
def number(context: Context, number: int) -> str:
    return catalogue_of(context["locale"]).number(number)


@cache
def pages_in(language: str) -> Pages:
    """The pages of help centers in the words of a language."""
    pages = Pages.below(Path(__file__).parent / "templates", language=language, policy=policy_with())
    pages.environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    pages.environment.filters.update(day=day, number=number, direction=direction, og_locale=og_locale)
    return pages


@dataclass(frozen=True, slots=True)
class Visit:
    """One request of a visitor, in the help center that its address names."""

    request: Request
    ctx: Ctx
    arrival: Arrival
    # The token of the visitor's session, where it is valid.
    session: str | None = None

    @property
    def has_changelog(self) -> bool:
        return self.arrival.has_changelog

    @property
    def accent(self) -> str | None:
        """The accent for the light scheme; None stands for the product's blue."""
        return self.arrival.accent[0] if self.arrival.accent else None

    @property
    def accent_style(self) -> InlineStyle | None:
        return style_of_accent(*self.arrival.accent) if self.arrival.accent else None

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
        """The language that the address names, or the help center's own."""
        path_locale = self.request.path_params.get("locale")
        return self.ctx.bot.locale if path_locale is None else canonical_locale(path_locale)

    @property
    def catalogue(self) -> Catalogue:
        return catalogue_of(self.locale)

    @property
    def root(self) -> str:
        """What the paths of pages in this language begin with."""
        return root_path(self.ctx.bot, self.locale)

    def text(self, html: str) -> Markup:
        """The sanitised HTML of a text as its page shows it.

        Alerts have titles in its language, links stay at the own host and lead to headings.
        """
        bot = self.ctx.bot
        site = re.escape(settings().base_url)
        home = rf'href="(?:{site})?/help/{re.escape(bot.slug)}/'
        page = rf'(?:{home}|href="{re.escape(bot.help_url)}/)[^"#]*'
        html = re.sub(rf'({page}#)([^"]+)', lambda match: match[1] + heading_fragment(match[2]), html)
        if bot.domain is not None:
            html = re.sub(home, 'href="/', html)
            html = re.sub(rf'((?:href|src)=")(?:{site})(/files/{re.escape(bot.slug)}/)', r"\1\2", html)
        return sanitised(fold_diagrams(translate_alert_titles(html, self.locale), self.locale))

    def lasting_page(
        self,
        template: str,
        locale: str | None = None,
        *,
        paths: Mapping[str, str] | None = None,
        headers: Mapping[str, str] = NO_HEADERS,
        article_id: str = "",
        **values: Any,
    ) -> Response:
        """A page that depends on nothing but its address and what is public, so that it is rendered once."""
        if self.is_signed_in:
            return self.page(template, locale, paths=paths, **values)
        common_values = self.common_values(locale, paths)
        html = pages_in(page_language(common_values["locale"])).html_of(
            template, **{**common_values, **values}
        )
        policy = {"Content-Security-Policy": policy_with(self.accent_style)}
        all_headers = {**validated_headers(etag_of(html)), **policy, **cdn_headers(self.ctx.bot), **headers}
        page_cache.keep(self.request, self.arrival.state, html, all_headers, article_id)
        return first_response(self.request, html, all_headers)

    def page(
        self,
        template: str,
        locale: str | None = None,
        *,
        paths: Mapping[str, str] | None = None,
        rest: str | None = None,
        **values: Any,
    ) -> Response:
        """A page, with links to the same one in other languages.

        Those have the same path below their language, or `rest`; or else the `paths` of each.
        """
        common_values = self.common_values(locale, paths, rest)
        page = render_page(self.request, template, **{**common_values, **values})
        page.headers["Content-Security-Policy"] = policy_with(self.accent_style)
        return kept_private(page) if self.is_signed_in else page

    def part(self, template: str, locale: str | None = None, **values: Any) -> str:
        """A piece of a page."""
        common_values = self.common_values(locale)
        pages = pages_in(page_language(common_values["locale"]))
        return pages.html_of(template, **{**common_values, **values}).decode()

    def common_values(
        self, locale: str | None, paths: Mapping[str, str] | None = None, rest: str | None = None
    ) -> dict[str, Any]:
        """The values that the templates of all pages need."""
        bot = self.ctx.bot
        locale = locale or self.locale
        if rest is None:
            rest = self.rest_of_path if paths is None else ""
        return {
            "bot": bot,
            "locale": locale,
            "root": root_path(bot, locale),
            "languages": language_links(bot, locale, self.locales, rest, paths),
            "has_changelog": self.has_changelog,
            "accent_style": self.accent_style,
            "frame": self.arrival.site_frame,
            "search_path": search_path(bot, locale),
            "ask_path": ask_path(bot, locale),
            "longest_query": limits.MAX_QUERY_CHARACTERS,
            "query": "",
            "link_card": None,
            "structured_data": None,
            "is_signed_in": self.is_signed_in,
        }

    @property
    def rest_of_path(self) -> str:
        """The path of this page below the root of its language."""
        return f"/{below_help_center(self.request)}".removeprefix(path_in(self.ctx.bot, self.locale))


def render_page(
    request: Request, template: str, status: int = 200, *, locale: str, **values: Any
) -> Response:
    """A page in the words of a locale."""
    pages = pages_in(page_language(locale))
    return pages.render(request, template, status, locale=locale, **values)


def cdn_headers(bot: Bot) -> dict[str, str]:
    """How long caches in front of this installation may show a page without asking again (RFC 9213).

    The bot's id, which webhooks name, is the tag by which a CDN purges all pages of the help center.
    """
    seconds, tag = settings().cdn_seconds, str(bot.id)
    if not seconds:
        return {}
    return {"CDN-Cache-Control": f"public, max-age={seconds}", "Cache-Tag": tag, "Surrogate-Key": tag}


def content_addressed_headers(bot: Bot) -> dict[str, str]:
    """The caching of public bytes that never change at their address: for a year in a browser.

    A shared cache asks again soon, since the text that shows them may become private.
    """
    age = f"max-age=31536000, s-maxage={limits.SHARED_CACHE_SECONDS}"
    return {"Cache-Control": f"public, {age}, immutable", **cdn_headers(bot)}


def kept_private(page: Response) -> Response:
    """The same for one visitor's eyes: no cache keeps it, and no search engine lists it."""
    page.headers.update({**NO_STORE, "X-Robots-Tag": "noindex"})
    return page


def session_cookie(bot: Bot) -> str:
    """The name of the cookie of a visitor's session: help centers on one host have one each."""
    return f"visitor-{bot.id.hex}"


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


def moved_to_usual_spelling(visit: Visit) -> Response | None:
    """The redirect from an address whose language is spelt otherwise than links have it; else None."""
    locale, is_canonical = requested_locale(visit.request, visit.ctx.bot)
    if is_canonical:
        return None
    rest = below_help_center(visit.request).partition("/")[2]
    return moved_to(f"{root_path(visit.ctx.bot, locale)}/{rest}")


def below_help_center(request: Request) -> str:
    """The path of a request below its help center, without a slash at its beginning."""
    path: str = request.scope["path"]
    return path.split("/", 3)[3]


def own_address(request: Request, bot: Bot) -> str | None:
    """Where a help center with a host name of its own has the page that was asked for elsewhere.

    None where it is asked for in its place. At such a host there are no other help centers (404).
    """
    domain, (_, place, name, _) = custom_domain(request), request.scope["path"].split("/", 3)
    if domain not in (None, bot.domain):
        raise NotFound
    if bot.domain is None or place != "help" or name == domain:
        return None
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{bot.help_url}/{quote(below_help_center(request))}{query}"


@asynccontextmanager
async def help_center(
    request: Request, *, recognise: bool = False, only_reads: bool = False
) -> AsyncIterator[Visit]:
    """The visit to the help center that the address names.

    Only where `recognise` is set it may be one of a signed-in visitor, who sees what not everybody may see;
    feeds, sitemaps and other lists for programs are the same for all. What `only_reads` may be answered by a
    replica of the database.
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
        visit = Visit(request, Ctx(tx, arrival.bot, VISITOR, utc_now()), arrival)
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


async def recognised(visit: Visit) -> Visit:
    """The same visit, as the signed-in visitor whose session the browser's cookie proves."""
    name = cookie_name(visit.request.app.state.settings, session_cookie(visit.ctx.bot))
    session = visit.request.cookies.get(name)
    claims = session and await proven_claims(visit.ctx, session)
    if not claims:
        return visit
    return replace(visit, ctx=replace(visit.ctx, actor=replace(VISITOR, id=claims["sub"])), session=session)

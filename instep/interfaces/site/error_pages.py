"""The pages that a help center shows instead of missing pages or pages that can't be shown.

Other spellings of an address, and former addresses, redirect instead.
"""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match

from instep.content.redirects.actions import find_redirect_url
from instep.content.redirects.path_patterns import joined, segments_of
from instep.interfaces.site import entrances, queries
from instep.interfaces.site.public_forms import TOO_MANY_REQUESTS, VisitorMistake
from instep.interfaces.site.public_routes import routes
from instep.interfaces.site.rendering import render_page, visitor_page
from instep.interfaces.site.representations import EXTENSION, MARKDOWN_TYPE, VARY, prefers_markdown
from instep.interfaces.site.versioned_addresses import path_with_version, version_path
from instep.interfaces.site.visits import VISITOR, Moved, Visit
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.errors import AppError
from instep.platform.identity.schemas import Ctx, SiteAccess
from instep.platform.web.catalogues import LANGUAGES, SOURCE_LANGUAGE, Catalogue, catalogue_of, message
from instep.platform.web.custom_domains import custom_domain
from instep.platform.web.pages import NO_STORE, document, moved_to

SITE_AND_PATH = re.compile(r"/help/([^/]+)(/.+)")
# The home page that another page's path begins with.
BELOW_HELP_CENTER = re.compile(r"/help/[^/]+/(?=.)")
HEADINGS = {
    404: message("Not found"),
    405: message("Not allowed"),
    429: message("Too many requests"),
    503: message("Temporarily unavailable"),
}
OTHER_HEADING = message("Error")
MESSAGES = {
    404: message("There is no page at this address. It may have moved, or it is not public."),
    429: TOO_MANY_REQUESTS,
}


async def moved_page(request: Request) -> Response | None:
    """The redirect (301) from the address of a request without a page; None without one.

    It depends only on the path: nothing from the visitor becomes a part of the target.
    """
    match = SITE_AND_PATH.fullmatch(request.scope["path"])
    if match is None or request.method not in ("GET", "HEAD") or not match[0].isprintable():
        return None
    slug, below = match.groups()
    version = version_path(request)
    database = request.app.state.database
    async with database.enter(SiteAccess, entrances.ENTER_SITE, slug=slug) as (access, tx):
        if access is None or custom_domain(request) not in (None, access.bot.domain):
            return None
        # The page that says that nothing is here is in this language.
        request.state.locale = access.bot.locale
        ctx = Ctx(tx, access.bot, VISITOR, utc_now())
        url = await find_redirect_url(ctx, version + below)
        if url is None and version:
            url = await find_redirect_url(ctx, below)
        if url is None and await queries.has_language(ctx, below[1:]):
            url = f"{access.bot.home_path}{version}{below}/"
    return moved_to(url) if url else None


def respelled_page(request: Request, routes: Sequence[BaseRoute]) -> Response | None:
    """The redirect (301) to a page whose address was requested with other slashes, or not in NFC."""
    path, segments = request.scope["path"], segments_of(request.scope["path"])
    usual_path = joined(segments if len(segments) > 2 else [*segments, ""])
    if path == usual_path or not usual_path.startswith("/help/") or not path.isprintable():
        return None
    if request.method not in ("GET", "HEAD"):
        return None
    address = {"type": "http", "method": "GET", "path": usual_path, "headers": []}
    if all(route.matches(address)[0] is Match.NONE for route in routes):
        return None
    usual_path = path_with_version(request, usual_path)
    query = f"?{request.url.query}" if request.url.query else ""
    return moved_to(f"{quote(usual_path)}{query}")


async def answer_error(request: Request, error: AppError) -> Response:
    """A redirect from an address without a page, if one exists; otherwise the page of the error."""
    if isinstance(error, Moved):
        return moved_elsewhere(request, error.url, is_permanent=error.is_permanent)
    if error.status != 404:
        return error_page(request, error)
    try:
        return respelled_page(request, routes) or await moved_page(request) or error_page(request, error)
    except AppError as outage:
        return error_page(request, outage)


def error_page(request: Request, error: AppError) -> Response:
    """The page that is shown instead of one that can't be.

    It is in the frame of the help center if that is known. Otherwise a help center's path links to its
    home page and its search, whether or not the help center exists.
    """
    if is_for_program(request):
        return error_text(request, error)
    visit: Visit | None = getattr(request.state, "visit", None)
    home = home_of_error(request, visit) if error.status == 404 else None
    locale = locale_of_error(request)
    heading, sentence = words_of(error, catalogue_of(locale))
    values: dict[str, Any] = {
        "status": error.status,
        "code": error.status,
        "help_path": home and home + path_language(request),
        "longest_query": limits.MAX_QUERY_CHARACTERS,
        "heading": heading,
        "message": sentence,
    }
    if visit is None:
        page = render_page(request, "refused.html", locale=locale, **values)
    else:
        # The page doesn't exist in another language either, so the languages link to the home pages.
        page = visitor_page(visit, "refused.html", locale, rest="", **values)
    page.headers.update({**VARY, **error.headers})
    return page


def home_of_error(request: Request, visit: Visit | None) -> str | None:
    """The home page of the help center in a path, in the version of the visit."""
    if visit is not None and visit.version is not None:
        return f"{visit.ctx.bot.home_path}/"
    match = BELOW_HELP_CENTER.match(request.url.path)
    return "/" if match and custom_domain(request) else match and match[0]


def moved_elsewhere(request: Request, url: str, *, is_permanent: bool) -> Response:
    """Redirect to the same page at another address; 307 and 308 keep what a form sends."""
    page = moved_to(url)
    codes = (301, 308) if is_permanent else (302, 307)
    page.status_code = codes[request.method not in ("GET", "HEAD")]
    if request.url.query:
        # It may be a sign-in token.
        page.headers.update(NO_STORE)
    return page


def locale_of_error(request: Request) -> str:
    """The language in the path, or that of the help center if known; otherwise English."""
    known_locale: str = getattr(request.state, "locale", SOURCE_LANGUAGE)
    return path_language(request).removesuffix("/") or known_locale


def path_language(request: Request) -> str:
    """The first segment of a path below a help center, with a slash, if it names a supported language."""
    match = BELOW_HELP_CENTER.match(request.url.path)
    step, slash, _ = request.url.path[match.end() if match else 0 :].partition("/")
    return f"{step}/" if match and slash and step in LANGUAGES else ""


def words_of(error: AppError, catalogue: Catalogue) -> tuple[str, str]:
    """The heading and the sentence of an error's page."""
    heading = catalogue.gettext(HEADINGS.get(error.status, OTHER_HEADING))
    if error.status in MESSAGES:
        return heading, catalogue.gettext(MESSAGES[error.status])
    if isinstance(error, VisitorMistake):
        return heading, catalogue.gettext(error.text, **error.values)
    return heading, catalogue.gettext(error.message)


def is_for_program(request: Request) -> bool:
    """True if Markdown is requested below a help center, by the path or by `Accept`."""
    path = request.url.path
    return bool(BELOW_HELP_CENTER.match(path)) and (path.endswith(EXTENSION) or prefers_markdown(request))


def error_text(request: Request, error: AppError) -> Response:
    """The same as `error_page`, in Markdown."""
    heading, sentence = words_of(error, catalogue_of(SOURCE_LANGUAGE))
    text = f"# {heading}\n\n{sentence}\n"
    page = document(request, text.encode(), MARKDOWN_TYPE, error.status)
    page.headers.update({**VARY, **error.headers})
    return page

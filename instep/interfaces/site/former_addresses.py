"""Addresses of a help center without a page: other spellings of an address, and former ones."""

import re
from collections.abc import Sequence
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Match

from instep.content.redirects.actions import find_redirect_url
from instep.content.redirects.path_patterns import joined, segments_of
from instep.interfaces.site import entrances, queries
from instep.interfaces.site.versioned_addresses import path_with_version, version_path
from instep.interfaces.site.visits import VISITOR
from instep.platform.core.clock import utc_now
from instep.platform.identity.schemas import Ctx, SiteAccess
from instep.platform.web.custom_domains import custom_domain
from instep.platform.web.pages import moved_to

BELOW_HELP_CENTER = re.compile(r"/help/([^/]+)(/.+)")


async def moved_page(request: Request) -> Response | None:
    """The redirect (301) from the address of a request without a page; None without one.

    It depends only on the path: nothing from the visitor becomes a part of the target.
    """
    match = BELOW_HELP_CENTER.fullmatch(request.scope["path"])
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

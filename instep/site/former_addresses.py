"""Addresses of a help center where no page answers: a redirect may lead on from them."""

import re

from starlette.requests import Request
from starlette.responses import Response

from instep.core.clock import utc_now
from instep.identity.schemas import Ctx, SiteAccess
from instep.redirects.actions import find_redirect_url
from instep.site import entrances
from instep.site.visits import VISITOR
from instep.web.custom_domains import custom_domain
from instep.web.pages import moved_to

BELOW_HELP_CENTER = re.compile(r"/help/([^/]+)(/.+)")


async def moved_page(request: Request) -> Response | None:
    """The redirect (301) from the address of a request that no page answered; None if there is none.

    It does not depend on anything but the path: what a visitor sends never becomes a part of the address.
    """
    match = BELOW_HELP_CENTER.fullmatch(request.scope["path"])
    if match is None or request.method not in ("GET", "HEAD") or not match[1].isprintable():
        return None
    slug, path = match.groups()
    database = request.app.state.database
    async with database.enter(SiteAccess, entrances.ENTER_SITE, slug=slug) as (access, tx):
        if access is None or custom_domain(request) not in (None, access.bot.domain):
            return None
        # The page that says that nothing is here is in this language.
        request.state.locale = access.bot.locale
        url = await find_redirect_url(Ctx(tx, access.bot, VISITOR, utc_now()), path)
    return moved_to(url) if url else None

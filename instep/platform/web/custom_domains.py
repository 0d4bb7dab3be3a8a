"""Help centers on their own host names: a request to one serves only that help center."""

import re
from urllib.parse import urlsplit

from cachetools import TTLCache
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.domains import domain_or_none
from instep.platform.core.outbound.networks import is_within
from instep.platform.core.settings import Settings
from instep.platform.web.client_addresses import read_address
from instep.platform.web.public import public
from instep.platform.web.public_limit import refuse_too_many

# The scope key of the requested host's name, if it is a custom domain.
KEY = "instep.custom_domain"
# The same for all help centers: links in texts that name their help center, and health checks.
AT_ANY_HOST = re.compile(r"/static/|/(?:favicon\.ico|healthz|readyz|metrics)$|/(?:help|files)/[^/]+/")


def known_hosts() -> TTLCache[str, bool]:
    """The hosts that a process has looked up, and whether each is a custom domain."""
    return TTLCache(limits.MAX_CACHED_HOSTS, limits.CUSTOM_DOMAIN_CACHE_SECONDS)


class CustomDomains:
    """Routes a request to a custom domain to its help center's pages: `/` is its `/help/{domain}/`.

    The check whether a host is one is cached; the visit's own statement finds its help center.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            domain = domain_or_none(requested_host(scope))
            if domain is not None and await self.is_known(scope, domain):
                scope[KEY] = domain
                if not AT_ANY_HOST.match(scope["path"]):
                    scope["path"] = f"/help/{domain}{scope['path']}"
        await self.app(scope, receive, send)

    async def is_known(self, scope: Scope, domain: str) -> bool:
        state = scope["app"].state
        if state.settings.is_reserved(domain):
            return False
        answer: bool | None = state.known_hosts.get(domain)
        if answer is None:
            # A lookup counts as a request: otherwise anyone could cause endless database lookups.
            refuse_too_many(Request(scope))
            answer = state.known_hosts[domain] = await is_custom_domain(state.database, domain)
        return answer


def requested_host(scope: Scope) -> str:
    """The host of a request, as sent by the client; a trusted proxy may name another one."""
    headers = Headers(scope=scope)
    if (forwarded := headers.get("x-forwarded-host")) and scope.get("client"):
        peer = read_address(scope["client"][0])
        if peer is not None and is_within(peer, scope["app"].state.settings.proxies):
            # Each proxy appends a name, so the last one is from the trusted proxy.
            return forwarded.rpartition(",")[2].strip()
    return headers.get("host", "")


def own_host(settings: Settings) -> str:
    return urlsplit(settings.base_url).hostname or ""


def custom_domain(request: Request) -> str | None:
    """The custom domain of a request; None on the installation's own host."""
    domain: str | None = request.scope.get(KEY)
    return domain


def site_url(request: Request) -> str:
    """The URL of the requested site, without a path."""
    settings: Settings = request.app.state.settings
    domain = custom_domain(request)
    return settings.base_url if domain is None else settings.url_at(domain)


async def is_custom_domain(database: Database, domain: str) -> bool:
    async with database.enter_workspace("") as tx:
        return await tx.value("select is_custom_domain(%(host)s)", host=domain)


@public
async def tell_known(request: Request) -> Response:
    """Answer whether a proxy may get a certificate for `domain`: 200 for a custom domain, otherwise 404."""
    domain = domain_or_none(request.query_params.get("domain", ""))
    state = request.app.state
    is_free = domain is not None and not state.settings.is_reserved(domain)
    is_known = is_free and domain is not None and await is_custom_domain(state.database, domain)
    return Response(status_code=200 if is_known else 404, headers={"Cache-Control": "no-store"})


routes = [Route("/domains/known", tell_known)]

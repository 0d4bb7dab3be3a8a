"""CORS of the visitor API: the pages that may call it, and their response headers (contract section 6)."""

from collections.abc import Sequence

from fastapi.responses import Response
from starlette.requests import Request

from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.settings import Settings
from instep.platform.identity.keys import is_origin_of_a_bot
from instep.platform.identity.schemas import Bot, Ctx
from instep.platform.web.origins import origin_of, parsed_origin
from instep.platform.web.visitors.errors import OriginNotAllowed

EXPOSED_HEADERS = "RateLimit, RateLimit-Policy, Request-Id, Retry-After"
EXPOSED_MCP_HEADERS = f"{EXPOSED_HEADERS}, WWW-Authenticate, Mcp-Session-Id, MCP-Protocol-Version"
JSON_HEADERS = "Content-Type"
# Requests without a body: others could read a visitor token in a URL.
READ_HEADERS = "Visitor-Token"
MCP_HEADERS = (
    "Content-Type, Accept, Authorization, MCP-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name,"
    " Last-Event-ID"
)
# A caller may send any number of origins, so only the newest are kept.
NOTE = """
    with newest as (
        select origin from refused_origins where workspace_id = %(workspace)s and bot_id = %(bot)s
        order by refused_at desc, origin limit %(most)s - 1
    ), older as (
        delete from refused_origins
        where workspace_id = %(workspace)s and bot_id = %(bot)s and origin <> %(origin)s
            and origin not in (select origin from newest)
    )
    insert into refused_origins (workspace_id, bot_id, origin, refused_at)
    values (%(workspace)s, %(bot)s, %(origin)s, now())
    on conflict (workspace_id, bot_id, origin) do update set refused_at = excluded.refused_at
"""


def is_open_to(request: Request, origins: Sequence[str], settings: Settings) -> bool:
    """True if the caller's origin may call; servers send none and may call."""
    if "origin" not in request.headers:
        return True
    origin = sent_origin(request)
    return origin is not None and origin in (*origins, origin_of(settings.base_url))


def sent_origin(request: Request) -> str | None:
    """The origin of the calling page; None if the header is not an origin or is repeated."""
    values = request.headers.getlist("origin")
    return parsed_origin(values[0]) if len(values) == 1 else None


def cors_headers(request: Request) -> dict[str, str]:
    """The headers that let a page read the response; its origin must have been allowed."""
    origin = request.headers.get("origin")
    if origin is None:
        return {}
    return {"Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED_HEADERS}


async def answer_preflight(
    request: Request, methods: set[str], allowed_headers: str | None = None
) -> Response:
    """Answer a preflight request: it names no bot, so an origin of any bot is allowed."""
    if allowed_headers is None:
        allowed_headers = READ_HEADERS if "GET" in methods else JSON_HEADERS
    headers = {"Allow": ", ".join(sorted(methods))}
    if "origin" in request.headers:
        await refuse_foreign(request)
        headers |= cors_headers(request) | {
            "Access-Control-Allow-Methods": ", ".join(sorted(methods - {"OPTIONS"})),
            "Access-Control-Allow-Headers": allowed_headers,
            "Access-Control-Max-Age": str(limits.PREFLIGHT_CACHE_SECONDS),
        }
    return Response(status_code=204, headers=headers)


async def refuse_foreign(request: Request) -> None:
    state, origin = request.app.state, sent_origin(request)
    service_origin = origin_of(state.settings.base_url)
    if origin is None or (origin != service_origin and not await is_origin_of_a_bot(state.database, origin)):
        raise OriginNotAllowed


async def note_refused_origin(tx: Tx, bot: Bot, origin: str) -> None:
    """Record that a page of this origin was refused."""
    await tx.execute(NOTE, bot=bot.id, origin=origin, most=limits.MAX_REFUSED_ORIGINS)


async def list_refused_origins(ctx: Ctx) -> list[str]:
    """The refused origins that the owner may have forgotten to allow, the last refused first."""
    return await ctx.value(
        """
        select coalesce(array_agg(r.origin order by r.refused_at desc, r.origin), '{}')
        from refused_origins r join bots b on b.workspace_id = r.workspace_id and b.id = r.bot_id
        where r.workspace_id = %(workspace)s and r.bot_id = %(bot)s and r.origin <> all (b.origins)
        """
    )

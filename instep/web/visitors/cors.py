"""Which pages may call the answer API, and what tells their browsers so (contract section 6)."""

from collections.abc import Sequence

from fastapi.responses import Response
from starlette.requests import Request

from instep.core import limits
from instep.core.config import Settings
from instep.identity.keys import is_origin_of_a_bot
from instep.web.origins import origin_of, parsed_origin
from instep.web.visitors.errors import OriginNotAllowed

EXPOSED = "RateLimit, RateLimit-Policy, Request-Id, Retry-After"
JSON_HEADERS = "Content-Type"
MCP_HEADERS = "Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name"


def is_open_to(request: Request, origins: Sequence[str], settings: Settings) -> bool:
    """Whether pages of the caller's origin may ask; servers send none and may."""
    if "origin" not in request.headers:
        return True
    origin = sent_origin(request)
    return origin is not None and origin in (*origins, origin_of(settings.base_url))


def sent_origin(request: Request) -> str | None:
    """The origin of the calling page; None for what is none, and for several at once."""
    sent = request.headers.getlist("origin")
    return parsed_origin(sent[0]) if len(sent) == 1 else None


def cors_headers(request: Request) -> dict[str, str]:
    """What lets a page read the answer; its origin has been found to be allowed."""
    sent = request.headers.get("origin")
    if sent is None:
        return {}
    return {"Access-Control-Allow-Origin": sent, "Access-Control-Expose-Headers": EXPOSED}


async def answer_preflight(request: Request, methods: set[str], accepted: str = JSON_HEADERS) -> Response:
    """Tell a browser whether it may send: to any bot that is open to its page, for it has not named one."""
    headers = {"Allow": ", ".join(sorted(methods))}
    if "origin" in request.headers:
        await refuse_foreign(request)
        headers |= cors_headers(request) | {
            "Access-Control-Allow-Methods": ", ".join(sorted(methods - {"OPTIONS"})),
            "Access-Control-Allow-Headers": accepted,
            "Access-Control-Max-Age": str(limits.PREFLIGHT_CACHE_SECONDS),
        }
    return Response(status_code=204, headers=headers)


async def refuse_foreign(request: Request) -> None:
    state, origin = request.app.state, sent_origin(request)
    own = origin_of(state.settings.base_url)
    if origin is None or (origin != own and not await is_origin_of_a_bot(state.database, origin)):
        raise OriginNotAllowed

"""Authorization server metadata (RFC 8414)."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.oauth.schemas import GRANT_TYPES, TOKEN_EXCHANGE
from instep.platform.core import limits
from instep.platform.identity.scopes import Scope
from instep.platform.web.public import public

AUTHORIZE, TOKEN, REGISTER, REVOKE = (
    f"/oauth/{name}" for name in ("authorize", "token", "register", "revoke")
)


def authorization_server(site: str) -> dict[str, Any]:
    return {
        "issuer": site,
        "authorization_endpoint": site + AUTHORIZE,
        "token_endpoint": site + TOKEN,
        "registration_endpoint": site + REGISTER,
        "revocation_endpoint": site + REVOKE,
        "scopes_supported": list(Scope),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": [*GRANT_TYPES, TOKEN_EXCHANGE],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "client_id_metadata_document_supported": True,
        "authorization_response_iss_parameter_supported": True,
    }


@public
async def get_authorization_server(request: Request) -> Response:
    headers = {
        "Access-Control-Allow-Origin": "*",
        "Cache-Control": f"public, max-age={limits.DISCOVERY_CACHE_SECONDS}",
    }
    body = json.dumps(authorization_server(request.app.state.settings.base_url))
    return Response(body, 200, headers, "application/json")


routes = [
    Route("/.well-known/oauth-authorization-server", get_authorization_server),
    # Clients that only know OpenID Connect look here.
    Route("/.well-known/openid-configuration", get_authorization_server),
]

"""Endpoints that apps call: token, revocation (RFC 7009) and registration (RFC 7591)."""

import base64
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import wraps
from urllib.parse import parse_qsl, unquote_plus

from fastapi.responses import Response
from pydantic import ValidationError
from starlette.requests import ClientDisconnect, Request
from starlette.routing import Route

from instep.accounts.oauth import actions, metadata
from instep.accounts.oauth.actions import CodeGrant, RefreshGrant
from instep.accounts.oauth.errors import NO_STORE, OAuthRefusal, render_oauth_error
from instep.accounts.oauth.queries import ENTER_GRANT, GrantAuth
from instep.accounts.oauth.schemas import GRANT_TYPES, TOKEN_EXCHANGE, App, AppMetadata, Tokens
from instep.accounts.trusts.actions import WiderScope, exchange_token
from instep.accounts.trusts.schemas import ACCESS_TOKEN, ID_TOKEN, JWT, TokenExchange
from instep.platform.core import limits
from instep.platform.core.database import Tx
from instep.platform.core.errors import RateLimited
from instep.platform.core.rate_window import count_hit
from instep.platform.identity.access_tokens import resource_of
from instep.platform.identity.keys import hash_key
from instep.platform.web.call import AppAccess
from instep.platform.web.client_addresses import client_address
from instep.platform.web.errors import as_app_error, first_fault
from instep.platform.web.origins import origin_of
from instep.platform.web.strict_request import StrictRequest

FORM = "application/x-www-form-urlencoded"
Fields = dict[str, str]
Endpoint = Callable[[StrictRequest], Awaitable[Response]]


def for_apps(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    """Declare an endpoint for apps, whose errors have OAuth's form."""

    @wraps(endpoint)
    async def enter(request: Request) -> Response:
        strict = StrictRequest(request.scope, request.receive)
        try:
            await strict.read(limits.MAX_OAUTH_BODY_BYTES)
            strict.refuse_too_large(limits.MAX_OAUTH_BODY_BYTES)
            return await endpoint(strict)
        except ClientDisconnect:
            raise
        except Exception as error:
            return render_oauth_error(as_app_error(error))

    enter.__dict__["access"] = AppAccess()
    return enter


@for_apps
async def token(request: StrictRequest) -> Response:
    fields = await read_fields(request)
    read_client(request, fields)
    kind = required(fields, "grant_type")
    if kind == TOKEN_EXCHANGE:
        return await exchange(request, fields)
    client_id = required(fields, "client_id")
    refuse_foreign_resource(request, fields)
    if kind not in GRANT_TYPES:
        kinds = ", ".join((*GRANT_TYPES, TOKEN_EXCHANGE))
        raise OAuthRefusal("unsupported_grant_type", f"`grant_type` must be one of {kinds}.")
    if kind == "authorization_code":
        code, uri, verifier = (required(fields, name) for name in ("code", "redirect_uri", "code_verifier"))
        async with grant_context(request, code) as (tx, grant_id):
            return token_response(
                await actions.redeem_code(tx, grant_id, CodeGrant(client_id, code, uri, verifier))
            )
    refresh_token = required(fields, "refresh_token")
    async with grant_context(request, refresh_token) as (tx, grant_id):
        grant = RefreshGrant(client_id, refresh_token, fields.get("scope"))
        return token_response(await actions.refresh_tokens(tx, grant_id, grant))


async def exchange(request: StrictRequest, fields: Fields) -> Response:
    """Exchange the ID token of a CI job for a short-lived API key (RFC 8693)."""
    refuse_other_exchange(request, fields)
    request_in = TokenExchange(
        required(fields, "subject_token"), fields.get("client_id"), fields.get("scope")
    )
    state = request.app.state
    async with state.database.enter_workspace("") as tx:
        window = await count_hit(tx, "oauth", client_address(request), limits.REQUEST_WINDOW_SECONDS)
    refuse_spent(window.hits, limits.TOKEN_CALLS_PER_MINUTE, window.seconds_left)
    try:
        exchanged = await exchange_token(state.database, state.issuers, request_in)
    except WiderScope as refusal:
        raise OAuthRefusal("invalid_scope", refusal.message) from None
    return Response(exchanged.model_dump_json(), 200, NO_STORE, "application/json")


def refuse_other_exchange(request: StrictRequest, fields: Fields) -> None:
    """Refuse tokens of other types, and tokens for other servers (RFC 8693 sections 2.1 and 2.2.2)."""
    if fields.get("subject_token_type") not in (ID_TOKEN, JWT):
        raise OAuthRefusal("invalid_request", f"`subject_token_type` must be {ID_TOKEN}.")
    if fields.get("requested_token_type", ACCESS_TOKEN) != ACCESS_TOKEN or "actor_token" in fields:
        raise OAuthRefusal("invalid_request", "An ID token can only be exchanged for an access token.")
    site = request.app.state.settings.base_url
    target = fields.get("resource", fields.get("audience", site))
    if not any(is_own_resource(target, address) for address in (site, f"{site}/v1")):
        raise OAuthRefusal("invalid_target", f"Tokens are for {site} only.")


@for_apps
async def revoke(request: StrictRequest) -> Response:
    """Revoke a token; the response is the same for an unknown one (RFC 7009 section 2.2)."""
    fields = await read_fields(request)
    read_client(request, fields)
    revoked_token, client_id = required(fields, "token"), required(fields, "client_id")
    async with grant_context(request, revoked_token) as (tx, grant_id):
        await actions.revoke_token(tx, grant_id, client_id)
    return Response("{}", 200, NO_STORE, "application/json")


@for_apps
async def register(request: StrictRequest) -> Response:
    metadata_in = read_metadata(await read_json(request))
    async with request.app.state.database.enter_workspace("") as tx:
        seconds = limits.REGISTRATION_WINDOW_SECONDS
        window = await count_hit(tx, "oauth-register", client_address(request), seconds)
        refuse_spent(window.hits, limits.REGISTRATIONS_PER_HOUR, window.seconds_left)
        app = await actions.register_app(tx, metadata_in)
    return Response(json.dumps(registration_response(app)), 201, NO_STORE, "application/json")


def read_metadata(document: object) -> AppMetadata:
    try:
        app_metadata = AppMetadata.model_validate(document)
    except ValidationError as error:
        place, sentence = first_fault(error)
        code = "invalid_redirect_uri" if place.startswith("redirect_uris") else "invalid_client_metadata"
        raise OAuthRefusal(code, f"{place or 'the body'}: {sentence}") from None
    if not app_metadata.is_supported:
        raise OAuthRefusal(
            "invalid_client_metadata", "Request authorization codes: this server supports no other grant."
        )
    return app_metadata


def registration_response(app: App) -> dict[str, object]:
    """The registration response (RFC 7591 section 3.2.1); apps get no secret and use PKCE."""
    return {
        "client_id": app.id,
        "client_name": app.name,
        "redirect_uris": app.redirect_uris,
        "grant_types": list(GRANT_TYPES),
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    }


@asynccontextmanager
async def grant_context(request: Request, credential: str) -> AsyncIterator[tuple[Tx, str | None]]:
    """A connection in the workspace of a code or token, and the id of its grant; the call is counted."""
    async with request.app.state.database.enter(
        GrantAuth,
        ENTER_GRANT,
        hash=hash_key(credential),
        address=client_address(request),
        seconds=limits.REQUEST_WINDOW_SECONDS,
    ) as (auth, tx):
        refuse_spent(auth.hits, limits.TOKEN_CALLS_PER_MINUTE, auth.seconds_left)
        yield tx, auth.grant_id


def refuse_spent(hits: int, quota: int, seconds_left: int) -> None:
    if hits > quota:
        raise RateLimited(headers={"Retry-After": str(seconds_left)})


def token_response(tokens: Tokens) -> Response:
    return Response(tokens.model_dump_json(), 200, NO_STORE, "application/json")


async def read_fields(request: StrictRequest) -> Fields:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != FORM:
        raise OAuthRefusal("invalid_request", f"Send the request as `{FORM}`.")
    try:
        text = (await request.body()).decode()
        parameters = parse_qsl(
            text, keep_blank_values=True, errors="strict", max_num_fields=limits.MAX_OAUTH_PARAMETERS
        )
    except ValueError:
        raise OAuthRefusal("invalid_request", "The form can't be read.") from None
    return unique_parameters(parameters)


def unique_parameters(parameters: list[tuple[str, str]]) -> Fields:
    """The parameters as a mapping; a repeated one is refused (RFC 6749 section 3.1)."""
    fields = dict(parameters)
    if len(fields) < len(parameters):
        raise OAuthRefusal("invalid_request", "Send each parameter once.")
    if any("\0" in value for value in fields.values()):
        raise OAuthRefusal("invalid_request", "A parameter contains a NUL character.")
    return fields


async def read_json(request: StrictRequest) -> object:
    try:
        document: object = await request.json()
    except ValueError:
        raise OAuthRefusal("invalid_client_metadata", "The body is not valid JSON.") from None
    return document


def required(fields: Fields, name: str) -> str:
    if not fields.get(name):
        code = "invalid_client" if name == "client_id" else "invalid_request"
        raise OAuthRefusal(code, f"`{name}` is missing.", 401 if name == "client_id" else 400)
    return fields[name]


def read_client(request: Request, fields: Fields) -> None:
    """Add the `client_id` from HTTP Basic to the fields; a secret is refused, because apps have none here.

    Some clients send Basic with an empty secret although they are public (RFC 6749 section 2.3.1).
    """
    if "authorization" not in request.headers:
        return
    scheme, _, credentials = request.headers["authorization"].partition(" ")
    try:
        pair = (
            base64.b64decode(credentials.strip(), validate=True).decode() if scheme.lower() == "basic" else ""
        )
    except ValueError:
        pair = ""
    client_id, colon, secret = pair.partition(":")
    client_id = unquote_plus(client_id)
    if not colon or secret or fields.setdefault("client_id", client_id) != client_id:
        raise OAuthRefusal(
            "invalid_client", "Apps have no secret here: send only `client_id` in the form.", 401
        )


def refuse_foreign_resource(request: Request, fields: Fields) -> None:
    resource = resource_of(request.app.state.settings)
    if not is_own_resource(fields.get("resource"), resource):
        raise OAuthRefusal("invalid_target", f"Tokens are for {resource} only.")


def is_own_resource(requested: str | None, resource: str) -> bool:
    """True if the requested resource is this server's, which is the default (RFC 8707)."""
    return requested is None or canonical(requested) == canonical(resource)


def canonical(address: str) -> tuple[str | None, str]:
    """Origin and rest of an address, normalized (RFC 3986 section 6.2)."""
    try:
        origin = origin_of(address)
    except ValueError:
        return None, address
    rest = "/".join(address.split("/")[3:])
    return origin, rest.rstrip("/")


routes = [
    Route(metadata.TOKEN, token, methods=["POST"]),
    Route(metadata.REVOKE, revoke, methods=["POST"]),
    Route(metadata.REGISTER, register, methods=["POST"]),
    *metadata.routes,
]

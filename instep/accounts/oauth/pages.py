"""The consent page of the authorization endpoint, and the routes of this slice."""

import re
from collections.abc import Awaitable, Callable
from functools import wraps
from pathlib import Path
from typing import NoReturn
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.oauth import actions, metadata, rest
from instep.accounts.oauth.documents import BadDocument
from instep.accounts.oauth.queries import is_connected, list_bots_to_connect
from instep.accounts.oauth.redirects import is_registered, origin_for_policy, target_of, with_response
from instep.accounts.oauth.rest import Fields, is_own_resource
from instep.accounts.oauth.schemas import App, AuthorizationRequest, Consent, read_scope, readable
from instep.platform.core import limits
from instep.platform.core.errors import AppError, PlanInactive
from instep.platform.core.ids import as_uuid
from instep.platform.identity.access_tokens import resource_of
from instep.platform.identity.schemas import Bot, Person
from instep.platform.identity.scopes import intersect, widest
from instep.platform.web.signed_in import (
    Page,
    PrivatePages,
    ask_to_sign_in,
    current_person,
    form_of,
    private_headers,
    require_person,
)

CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
# Maximum length of an address in an error, in characters.
SHOWN_CHARACTERS = 300
CALLED_BY_APPS = {metadata.TOKEN, metadata.REGISTER, metadata.REVOKE}
# The consent page's URL contains the app's request, and the redirect's URL a code: neither may leak.
NO_REFERRER = {"Referrer-Policy": "no-referrer"}
AuthorizationPage = Callable[[Request, Person, AuthorizationRequest], Awaitable[Response]]
pages = PrivatePages.below(Path(__file__).parent / "templates")


class PageError(AppError):
    """An invalid client or redirect URI: only the person sees the error, and nothing is sent to the app."""


class RedirectError(Exception):
    """An error that is sent to the app's redirect URI (RFC 6749 section 4.1.2.1)."""

    def __init__(self, fields: Fields, error: str, description: str) -> None:
        super().__init__(description)
        self.client_id = fields["client_id"]
        self.redirect_uri, self.state = fields["redirect_uri"], fields.get("state")
        self.error, self.description = error, description


def with_request(page: AuthorizationPage) -> Page:
    """Read and check the request on every call, so that a person consents to the request that was checked."""

    @wraps(page)
    async def enter(request: Request, person: Person) -> Response:
        try:
            return await page(request, person, await read_request(request, person))
        except (PageError, PlanInactive) as refusal:
            return show_refusal(request, person, refusal)
        except RedirectError as refusal:
            return await answer_refusal(request, person, refusal)

    return enter


async def answer_refusal(request: Request, person: Person, refusal: RedirectError) -> Response:
    """Redirect to an app that the person has connected; for other apps, show a link instead.

    Anyone can register an app, so a redirect without a click would be an open redirect.
    """
    error = {"error": refusal.error, "error_description": refusal.description}
    answer = redirect_to_app(request, refusal.redirect_uri, refusal.state, error)
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx:
        if await is_connected(tx, person.id, refusal.client_id):
            return answer
    message = f"The app's request can't be accepted: {refusal.description}"
    back = {"address": answer.headers["Location"], "host": target_of(refusal.redirect_uri)}
    return show_refusal(request, person, PageError(message), back)


def show_refusal(
    request: Request, person: Person, refusal: AppError, back: dict[str, str] | None = None
) -> Response:
    message = refusal.message
    return pages.show(request, "refused.html", refusal.status, person=person, message=message, back=back)


@require_person()
@with_request
async def show_consent(request: Request, person: Person, authorization: AuthorizationRequest) -> Response:
    """Ask the person for consent."""
    return pages.show(
        request,
        "consent.html",
        person=person,
        form_targets=[origin_for_policy(authorization.redirect_uri)],
        authorization=authorization,
        bots=await bots_of(request, person),
        query=request.url.query,
        chosen=intersect(authorization.scope, person.permissions.scope),
        may_write=person.permissions.can_write,
    )


@require_person()
@with_request
async def consent(request: Request, person: Person, authorization: AuthorizationRequest) -> Response:
    """Redirect to the app with the person's decision."""
    form = form_of(request)
    if form.get("decision") != "allow":
        denial = {"error": "access_denied", "error_description": "The person has denied the request."}
        return redirect_to_app(request, authorization.redirect_uri, authorization.state, denial)
    # Fetching the app's document may take seconds, in which the session may have ended.
    if await current_person(request) is None:
        return ask_to_sign_in(request)
    decision = await read_consent(request, person, form)
    resource = resource_of(request.app.state.settings)
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx:
        code = await actions.connect_app(tx, person, authorization, decision, resource)
    return redirect_to_app(request, authorization.redirect_uri, authorization.state, {"code": code})


async def read_request(request: Request, person: Person) -> AuthorizationRequest:
    """Read an authorization request; raises `PageError` or `RedirectError`."""
    fields = query_parameters(request.url.query)
    app = await find_app(request, person, fields.get("client_id", ""))
    redirect_uri = fields.get("redirect_uri", "")
    if not is_registered(redirect_uri, app.redirect_uris):
        address = readable(redirect_uri, SHOWN_CHARACTERS) or "no address"
        raise PageError(
            f"{app.name} asks to redirect to {address}, which it has not registered: remove this server"
            " from the app and add it again."
        )
    if len(fields.get("state", "")) > limits.MAX_OAUTH_STATE_CHARACTERS:
        raise PageError(
            f"{app.name} sent a `state` of more than {limits.MAX_OAUTH_STATE_CHARACTERS} characters."
        )
    refuse_unfit(request, fields)
    scope = read_scope(fields.get("scope"))
    return AuthorizationRequest(app, redirect_uri, fields.get("state"), fields["code_challenge"], scope)


def query_parameters(query: str) -> Fields:
    try:
        return rest.unique_parameters(
            parse_qsl(
                query, keep_blank_values=True, errors="strict", max_num_fields=limits.MAX_OAUTH_PARAMETERS
            )
        )
    except (AppError, ValueError):
        raise PageError("The app's request can't be read: each parameter can appear only once.") from None


async def find_app(request: Request, person: Person, client_id: str) -> App:
    state = request.app.state
    try:
        app = await actions.find_app(state.database, state.outbound, person, client_id)
    except BadDocument as problem:
        raise PageError(problem.message) from None
    if app is None:
        raise PageError("The app is not registered here: let it register again, then try again.")
    return app


def refuse_unfit(request: Request, fields: Fields) -> None:
    def refuse(error: str, description: str) -> NoReturn:
        raise RedirectError(fields, error, description)

    if fields.get("response_type") != "code":
        refuse("unsupported_response_type", "`response_type` must be `code`.")
    if fields.get("response_mode", "query") != "query":
        refuse("invalid_request", "`response_mode` must be `query`.")
    if fields.get("code_challenge_method") != "S256":
        refuse("invalid_request", "PKCE is needed, with `code_challenge_method=S256`.")
    if not CHALLENGE.fullmatch(fields.get("code_challenge", "")):
        refuse("invalid_request", "`code_challenge` must be the S256 challenge of a verifier.")
    if not is_own_resource(fields.get("resource"), resource_of(request.app.state.settings)):
        refuse("invalid_target", "`resource` names another server.")


async def read_consent(request: Request, person: Person, form: Fields) -> Consent:
    """The person's consent, limited to what the page offered: an unknown scope counts as `read`."""
    scope = widest([form.get("scope", "")])
    if not form.get("bot"):
        return Consent(scope, None)
    bot_id = as_uuid(form["bot"])
    if bot_id not in [bot.id for bot in await bots_of(request, person)]:
        raise PageError("This help center does not exist: go back and choose again.")
    return Consent(scope, [bot_id] if bot_id else [])


async def bots_of(request: Request, person: Person) -> list[Bot]:
    async with request.app.state.database.enter_workspace(person.workspace_id) as tx:
        return await list_bots_to_connect(tx)


def redirect_to_app(request: Request, redirect_uri: str, state: str | None, answer: Fields) -> Response:
    """Redirect to the app with `iss` (RFC 9207); 303 makes browsers send no form (RFC 9700 section 4.12)."""
    parameters = {**answer, "state": state, "iss": request.app.state.settings.base_url}
    headers = private_headers(()) | NO_REFERRER | {"Location": with_response(redirect_uri, parameters)}
    return Response(status_code=303, headers=headers)


routes = [
    Route(metadata.AUTHORIZE, show_consent, methods=["GET"]),
    Route(metadata.AUTHORIZE, consent, methods=["POST"]),
    *rest.routes,
]

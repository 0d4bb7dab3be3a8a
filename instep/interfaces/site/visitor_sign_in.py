"""Visitors' sign-in: visitors whom a customer's server vouches for also read `authenticated` articles."""

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site.public_forms import VisitorMistake, count_visitor, seen
from instep.interfaces.site.visits import help_center, session_cookie
from instep.platform.core import limits
from instep.platform.identity.schemas import Bot
from instep.platform.web.catalogues import message
from instep.platform.web.forms import refuse_foreign_site, set_cookie
from instep.platform.web.public import public
from instep.visitors.answers.visitor_tokens import proven_claims, visitor_session_token

REFUSED = message(
    "This sign-in link has expired or is invalid. Open the help center from your account again."
)


@public
async def sign_in_visitor(request: Request) -> Response:
    """Begin a session for the visitor that `token` proves, and redirect to the help center's page `next`.

    The token is in the URL, so only short-lived ones are accepted (contract section 10).
    """
    token = request.query_params.get("token", "")
    async with help_center(request) as visit:
        ctx = visit.ctx
        await count_visitor(request, ctx)
        is_short = len(token) <= limits.MAX_VISITOR_TOKEN_CHARACTERS
        claims = await proven_claims(ctx, token) if is_short else None
        if claims is None or claims["exp"] - ctx.now.timestamp() > limits.MAX_SIGN_IN_TOKEN_SECONDS:
            raise VisitorMistake(REFUSED)
        session = await visitor_session_token(ctx, claims["sub"])
    page = seen(next_path(ctx.bot, request.query_params.get("next", "")))
    page.headers["Referrer-Policy"] = "no-referrer"
    settings = request.app.state.settings
    set_cookie(page, settings, session_cookie(ctx.bot), session, limits.VISITOR_SESSION_SECONDS)
    return page


def next_path(bot: Bot, path: str) -> str:
    """The path if it is below the help center, otherwise its home: a sign-in link leads nowhere else."""
    home = f"{bot.home_path}/"
    is_below = path.startswith(home) and not any(part in path for part in ("..", "//", "\\"))
    return path if is_below and path.isprintable() else home


@public
async def sign_out_visitor(request: Request) -> Response:
    """End the session in this browser, and redirect to the public page."""
    refuse_foreign_site(request)
    async with help_center(request) as visit:
        bot = visit.ctx.bot
    page = seen(f"{bot.home_path}/")
    set_cookie(page, request.app.state.settings, session_cookie(bot), "", 0)
    return page

"""The pages of links in emails to readers: they confirm a subscription, show all of them, and end them.

Opening such a link changes nothing, because mail programs open links too.
"""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from instep.interfaces.site.public_forms import VisitorMistake, private_page, read_public_form, seen
from instep.interfaces.site.visits import Visit, help_center
from instep.platform.core import limits
from instep.platform.web.catalogues import message
from instep.platform.web.forms import read_fields
from instep.platform.web.public import public
from instep.visitors.subscriptions.actions import (
    confirm_subscription,
    find_unconfirmed_subscription,
    subscriber_of,
)
from instep.visitors.subscriptions.queries import delete_subscriptions, list_subscriptions
from instep.visitors.subscriptions.reader_letters import SUBSCRIPTIONS, subscriber_token

USED = message("This link was used or has expired. Follow the page again to get a new one.")
INVALID = message("This link is incomplete. Open the link in the newest email again.")


@public
async def show_confirmation(request: Request) -> Response:
    token = request.query_params.get("token", "")
    async with help_center(request) as visit:
        subscription = await find_unconfirmed_subscription(visit.ctx, token)
        if subscription is None:
            raise VisitorMistake(USED)
        return secret_page(visit, "confirm_follow.html", subscription=subscription, token=token)


@public
async def accept_confirmation(request: Request) -> Response:
    token = (await read_public_form(request)).get("token", "")
    async with help_center(request) as visit:
        email = await confirm_subscription(visit.ctx, token)
        if email is None:
            raise VisitorMistake(USED)
        own_token = subscriber_token(visit.ctx.bot, email)
        return seen(f"{visit.root}{SUBSCRIPTIONS}", token=own_token, confirmed="yes")


@public
async def show_subscriptions(request: Request) -> Response:
    query = request.query_params
    async with help_center(request) as visit:
        email = subscriber_in(visit)
        return secret_page(
            visit,
            "subscriptions.html",
            email=email,
            subscriptions=await list_subscriptions(visit.ctx, email),
            is_confirmed="confirmed" in query,
            token=query["token"],
        )


@public
async def unsubscribe_reader(request: Request) -> Response:
    """End one subscription, or all. Mail programs send this form too, and the link alone entitles to it."""
    form = await read_fields(request, limits.MAX_VISITOR_BODY_BYTES)
    async with help_center(request) as visit:
        await delete_subscriptions(visit.ctx, subscriber_in(visit), form.get("id"))
        return seen(f"{visit.root}{SUBSCRIPTIONS}", token=request.query_params["token"])


def subscriber_in(visit: Visit) -> str:
    """The email address of the reader in the link."""
    email = subscriber_of(visit.ctx, visit.request.query_params.get("token", ""))
    if email is None:
        raise VisitorMistake(INVALID)
    return email


def secret_page(visit: Visit, template: str, **values: Any) -> Response:
    """A page whose address lets its reader in: no other site learns it."""
    page = private_page(visit, template, paths={}, **values)
    page.headers["Referrer-Policy"] = "no-referrer"
    return page

"""The pages of links in emails that need no sign-in: they end digests or alerts, or confirm an address.

Opening such a link changes nothing, because mail programs open links too.
"""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from instep.accounts.people.own_account import end_digest
from instep.interfaces.dashboard.setup.first_run import show_unusable_link
from instep.interfaces.dashboard.shell import pages
from instep.notifications.alerts import alert_addresses
from instep.notifications.alerts.alert_addresses import CONFIRM_ALERTS
from instep.platform.core.errors import NotFound
from instep.platform.email.unsubscribing import UNSUBSCRIBE, Unsubscription, read_unsubscription
from instep.platform.web.forms import read_form
from instep.platform.web.public import public

WORDS = {"digest": "the digest of what waits for review", "alerts": "alerts about visitors and drafts"}
ENDS = {"digest": end_digest, "alerts": alert_addresses.end_alerts}


class UnknownUnsubscription(NotFound):
    """This link to unsubscribe is incomplete or too old: change the emails you get in your account."""


@public
async def show_unsubscribe(request: Request) -> Response:
    try:
        return show(request, "unsubscribe", words=WORDS[unsubscription_of(request).subscription])
    except NotFound as refusal:
        return show_unusable_link(request, refusal)


@public
async def unsubscribe(request: Request) -> Response:
    """End the emails. Mail programs send this form too, and the link alone entitles to it (RFC 8058)."""
    try:
        link = unsubscription_of(request)
    except NotFound as refusal:
        return show_unusable_link(request, refusal)
    await ENDS[link.subscription](request.app.state.database, link.workspace_id, link.subject_id)
    return show(request, "unsubscribed", words=WORDS[link.subscription])


def unsubscription_of(request: Request) -> Unsubscription:
    link = read_unsubscription(request.query_params.get("token", ""))
    if link is None or link.subscription not in ENDS:
        raise UnknownUnsubscription
    return link


@public
async def show_alert_address(request: Request) -> Response:
    token = request.query_params.get("token", "")
    try:
        target = await alert_addresses.find_alert_address(request.app.state.database, token)
    except NotFound as refusal:
        return show_unusable_link(request, refusal)
    return show(request, "confirm", words=target.host, token=token)


@public
async def accept_alerts(request: Request) -> Response:
    token = (await read_form(request)).get("token", "")
    try:
        target = await alert_addresses.confirm_alert_address(request.app.state.database, token)
    except NotFound as refusal:
        return show_unusable_link(request, refusal)
    return show(request, "confirmed", words=target.host)


def show(request: Request, state: str, *, words: str, token: str = "") -> Response:
    action = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
    return pages.show(
        request, "account/email_link.html", state=state, action=action, words=words, token=token
    )


routes = [
    Route(UNSUBSCRIBE, show_unsubscribe, methods=["GET"]),
    Route(UNSUBSCRIBE, unsubscribe, methods=["POST"]),
    Route(CONFIRM_ALERTS, show_alert_address, methods=["GET"]),
    Route(CONFIRM_ALERTS, accept_alerts, methods=["POST"]),
]

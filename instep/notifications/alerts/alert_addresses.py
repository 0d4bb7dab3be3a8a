"""Alerts by email: the team at an address confirms them with a link, and can end them at any time."""

from collections.abc import Mapping

from instep.accounts.people.challenges import find_challenge, put_challenge, take_challenge
from instep.notifications.alerts import queries
from instep.notifications.alerts.schemas import AlertTarget
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.platform.core.errors import NotFound
from instep.platform.email.letters import Letter, name_in_email
from instep.platform.email.outgoing import send_email
from instep.platform.email.unsubscribing import unsubscribe_url
from instep.platform.identity.audit import record
from instep.platform.identity.schemas import Actor, Ctx
from instep.platform.web.catalogues import catalogue_of

CONFIRM_ALERTS = "/email/confirm"
READER = Actor("task", "Instep", can_write=True, channel="page")


class UnknownAlertAddress(NotFound):
    """This link was used, or is older than seven days: ask for a new one in the settings of alerts."""


async def ask_to_confirm(ctx: Ctx, target: AlertTarget) -> None:
    """Send a link to the address of a new target, which gets no alerts before it is opened."""
    locale = ctx.bot.locale
    data = {"workspace": ctx.workspace_id, "target": target.id}
    token = await put_challenge(ctx.tx, "alert_address", data, ttl=limits.INVITATION_TTL)
    url = f"{settings().base_url}{CONFIRM_ALERTS}?token={token}"
    letter = alert_address_letter(locale, ctx.bot.name, ctx.actor.name, url)
    await send_email(ctx.tx, ctx.workspace_id, target.host, letter, locale)


def alert_address_letter(locale: str, bot_name: str, inviter: str, url: str) -> Letter:
    _ = catalogue_of(locale).gettext
    name = name_in_email(bot_name)
    return Letter(
        _("Confirm alerts for %(bot)s", bot=name),
        [_("%(inviter)s wants to send alerts of %(bot)s to this address.", inviter=inviter, bot=name)],
        (_("Confirm this address"), url),
        footnotes=[
            _("This link works once, for seven days."),
            _("If you don't know why you got this email, you can ignore it."),
        ],
    )


async def send_alert_email(
    ctx: Ctx, target: AlertTarget, message: Mapping[str, str | None], reply_to: str | None
) -> None:
    """Send an alert; answers to it go to the visitor."""
    unsubscribe = unsubscribe_url("alerts", ctx.workspace_id, target.id)
    letter = alert_letter(ctx.bot.locale, message, reply_to, unsubscribe)
    await send_email(ctx.tx, ctx.workspace_id, target.host, letter, ctx.bot.locale)


def alert_letter(
    locale: str, message: Mapping[str, str | None], reply_to: str | None, unsubscribe: str
) -> Letter:
    """The letter with an alert, which is the result of `clean_message`."""
    _ = catalogue_of(locale).gettext
    url = message["url"]
    return Letter(
        message["title"] or "",
        (message["text"] or "").split("\n"),
        (_("Open in Instep"), url) if url else None,
        footnotes=[_("Reply to this email to answer the visitor.")] if reply_to else (),
        reply_to=reply_to,
        unsubscribe=unsubscribe,
    )


async def find_alert_address(database: Database, token: str) -> AlertTarget:
    """The target that the link confirms; raises `UnknownAlertAddress`."""
    async with database.enter_workspace("") as tx:
        challenge = await find_challenge(tx, "alert_address", token)
    if challenge is None:
        raise UnknownAlertAddress
    async with database.enter_workspace(challenge.data["workspace"]) as tx:
        rows = await queries.list_of_workspace(tx, challenge.data["workspace"])
    target = next((row for row in rows if row.id == challenge.data["target"]), None)
    if target is None:
        raise UnknownAlertAddress
    return target


async def confirm_alert_address(database: Database, token: str) -> AlertTarget:
    """Send alerts to the address from now on; raises `UnknownAlertAddress`."""
    target = await find_alert_address(database, token)
    async with database.enter_workspace("") as tx:
        challenge = await take_challenge(tx, "alert_address", token)
    if challenge is None:
        raise UnknownAlertAddress
    workspace_id = challenge.data["workspace"]
    async with database.enter_workspace(workspace_id) as tx, tx.transaction():
        await queries.confirm(tx, workspace_id, target.id)
        await record(tx, workspace_id, READER, "confirm_alert_target", target.id)
    return target


async def end_alerts(database: Database, workspace_id: str, target_id: str) -> None:
    """Remove a target, as the reader of its emails wishes; a second call changes nothing."""
    async with database.enter_workspace(workspace_id) as tx, tx.transaction():
        if await queries.delete_address(tx, workspace_id, target_id):
            await record(tx, workspace_id, READER, "remove_alert_target", target_id)

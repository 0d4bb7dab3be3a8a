"""Actions on alert targets, and alerts to them."""

from collections.abc import Sequence
from typing import get_args

import structlog

from instep.notifications.alerts import queries
from instep.notifications.alerts.alert_addresses import ask_to_confirm, send_alert_email
from instep.notifications.alerts.hooks import read_hook
from instep.notifications.alerts.messages import clean_message
from instep.notifications.alerts.schemas import AlertKind, AlertTarget
from instep.platform.core import limits
from instep.platform.core.config import settings
from instep.platform.core.crypto import key_ring
from instep.platform.core.database import Tx
from instep.platform.core.email_addresses import is_email_address
from instep.platform.core.errors import InvalidState, InvalidValue, NotFound
from instep.platform.core.ids import new_id
from instep.platform.core.jobs import defer
from instep.platform.core.outbound.allowed import refuse_url
from instep.platform.email.outgoing import can_send_email
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx

log = structlog.get_logger("instep.alerts")

SEND_ALERT = "send_alert"
# The kinds of alerts that a channel gets by default.
DEFAULT_ALERTS: tuple[AlertKind, ...] = ("handoff", "lead")


async def list_alert_targets(tx: Tx, workspace_id: str) -> list[AlertTarget]:
    """List the chat channels that get alerts of the workspace's bots, by bot, oldest first."""
    return await queries.list_of_workspace(tx, workspace_id)


@writes
async def add_alert_target(ctx: Ctx, url: str, kinds: Sequence[str]) -> AlertTarget:
    """Send these kinds of alerts to a chat channel or an email address from now on.

    `url` is the URL of an incoming webhook of Slack, Discord, Microsoft Teams or Mattermost, which is stored
    encrypted and never shown again, or an email address, which gets alerts after its owner has opened the
    link that is sent to it. A bot has at most 10 targets.
    """
    address = _parse_address(url)
    alerts = [kind for kind in get_args(AlertKind) if kind in kinds]
    if set(kinds) != set(alerts) or not alerts:
        raise InvalidValue("alerts", f"it must name one or more of {', '.join(get_args(AlertKind))}")
    await queries.lock_count(ctx)
    if await queries.count(ctx) >= limits.MAX_ALERT_TARGETS:
        raise InvalidState(
            f"The bot has {limits.MAX_ALERT_TARGETS} alert targets, which is the maximum: remove one first."
        )
    target_id = new_id("alt")
    row = {
        "id": target_id,
        **address,
        "sealed": key_ring().seal(url, *seal_context(ctx, target_id)),
        "alerts": alerts,
    }
    target = await queries.insert(ctx, row)
    if target.tool == "email":
        await ask_to_confirm(ctx, target)
    return target


@writes
async def remove_alert_target(ctx: Ctx, target_id: str) -> AlertTarget:
    """Send no more alerts to a chat channel, including waiting ones."""
    target = await queries.delete(ctx, target_id)
    if target is None:
        raise _unknown_target()
    return target


@writes
async def test_alert_target(ctx: Ctx, target_id: str) -> AlertTarget:
    """Send a test message, whatever kinds of alerts the target gets; its status shows the result."""
    target = await queries.find(ctx, target_id)
    if target is None:
        raise _unknown_target()
    if target.confirmed_at is None:
        raise InvalidState(f"{target.host} has not been confirmed: open the link that was sent there.")
    await _enqueue(ctx, [target], "Test alert", [f"Alerts of {ctx.bot.name} arrive here."], None, None)
    return target


async def alert(
    ctx: Ctx,
    kind: AlertKind,
    title: str,
    lines: Sequence[str],
    url: str | None,
    reply_to: str | None = None,
) -> None:
    """Send an alert to the bot's channels and addresses once the caller's transaction has committed.

    Answers to emails go to `reply_to`, the visitor's address.

    Title and lines may contain visitors' text: it is shortened, and its markup is escaped.
    A bot sends at most `limits.ALERTS_PER_HOUR`; further alerts are dropped.
    """
    targets = await queries.list_subscribed(ctx, kind)
    if not targets:
        return
    if await queries.count_alert(ctx) > limits.ALERTS_PER_HOUR:
        log.warning("an alert is not sent: too many within an hour", bot=str(ctx.bot.id), kind=kind)
        return
    await _enqueue(ctx, targets, title, lines, url, reply_to)


async def is_subscribed(ctx: Ctx, kind: AlertKind) -> bool:
    """True if some channel of the bot gets alerts of this kind."""
    return bool(await queries.list_subscribed(ctx, kind))


async def _enqueue(
    ctx: Ctx,
    targets: Sequence[AlertTarget],
    title: str,
    lines: Sequence[str],
    url: str | None,
    reply_to: str | None,
) -> None:
    message = clean_message(title, lines, url)
    for target in targets:
        if target.tool == "email":
            await send_alert_email(ctx, target, message, reply_to)
            continue
        payload = {"workspace": ctx.workspace_id, "bot": str(ctx.bot.id), "target": target.id}
        await defer(ctx.tx, SEND_ALERT, {**payload, **message})


def _parse_address(url: str) -> dict[str, str]:
    """The columns of a target with this address."""
    address = url.removeprefix("mailto:")
    if is_email_address(address):
        if not can_send_email():
            raise InvalidValue("url", "the operator of Instep has not set up email")
        return {"tool": "email", "host": address, "last_four": ""}
    try:
        hook = read_hook(url)
        refuse_url(hook.target, settings().allow_list)
    except ValueError as error:
        raise InvalidValue("url", str(error)) from None
    return {"tool": hook.tool, "host": hook.target.host, "last_four": hook.last_four}


def seal_context(ctx: Ctx, target_id: str) -> tuple[str, ...]:
    """The associated data of an encrypted address: its table, column, workspace and row."""
    return "alert_targets", "sealed", ctx.workspace_id, target_id


def _unknown_target() -> NotFound:
    return NotFound.of("alert target")

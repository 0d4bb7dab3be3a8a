"""The URLs of incoming webhooks of four chat tools.

The library that posts the messages accepts many more URLs, with parameters that name files, change hosts or
turn off checks. It only gets the parts that are parsed here.
"""

import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

from instep.notifications.alerts.schemas import Tool
from instep.platform.core import limits
from instep.platform.core.outbound.urls import Url, parse_url

HTTPS = 443
SHAPES: dict[Tool, re.Pattern[str]] = {
    "slack": re.compile(
        r"/services/(?P<token_a>[A-Z0-9]{1,32})/(?P<token_b>[A-Z0-9]{1,32})/(?P<token_c>[A-Za-z0-9]{8,64})/?"
    ),
    "discord": re.compile(
        r"/api/webhooks/(?P<webhook_id>[0-9]{1,20})/(?P<webhook_token>[A-Za-z0-9_-]{16,128})/?"
    ),
    "teams": re.compile(
        r"(?P<power_automate>/powerautomate/automations/direct(?:/cu/(?P<routing_id>[0-9]{1,10}))?)?"
        r"/workflows/(?P<workflow>[A-Za-z0-9_-]{8,128})/triggers/manual/paths/invoke/?\?(?P<query>.+)"
    ),
    "mattermost": re.compile(r"(?P<fullpath>(?:/[A-Za-z0-9_-]{1,64}){0,8})/hooks/(?P<token>[a-z0-9]{26})/?"),
}
# Discord's apps use these hosts in URLs; the library always calls the first.
DISCORD = ("discord.com", "discordapp.com", "ptb.discord.com", "canary.discord.com")
TEAMS = (".logic.azure.com", ".powerplatform.com")
TEAMS_QUERY = {
    "api-version": r"[0-9A-Za-z-]{1,32}",
    "sp": "/triggers/manual/run",
    "sv": r"1\.0",
    "sig": r"[A-Za-z0-9_-]{16,128}",
}
EXAMPLES = (
    "it must be the address of an incoming webhook, such as "
    "https://hooks.slack.com/services/T…/B…/…, "
    "https://discord.com/api/webhooks/…/…, "
    "for Teams https://….logic.azure.com/workflows/…/triggers/manual/paths/invoke?… or "
    "https://….powerplatform.com/powerautomate/automations/direct/workflows/…, "
    "for Mattermost https://chat.example.com/hooks/…"
)


@dataclass(frozen=True, slots=True)
class IncomingWebhook:
    """A parsed URL: its target, and the arguments for the library's notifier."""

    tool: Tool
    target: Url
    arguments: dict[str, Any] = field(repr=False)
    last_four: str


def read_hook(text: str) -> IncomingWebhook:
    """Parse a URL; raises `ValueError` with a clause that never repeats the secret URL."""
    if len(text) > limits.MAX_WEBHOOK_URL_CHARACTERS:
        raise ValueError(f"it has more than {limits.MAX_WEBHOOK_URL_CHARACTERS} characters")
    url = parse_url(text)
    tool = tool_of(url)
    match = SHAPES[tool].fullmatch(after_host(text))
    if url.scheme != "https" or ":" in url.host or match is None:
        raise ValueError(EXAMPLES)
    return HOOKS[tool](url, match.groupdict())


def after_host(text: str) -> str:
    """The path and the query of a URL."""
    after_scheme = text.partition("://")[2]
    return after_scheme.removeprefix(re.split(r"[/?]", after_scheme, maxsplit=1)[0])


def tool_of(url: Url) -> Tool:
    if url.port == HTTPS and url.host == "hooks.slack.com":
        return "slack"
    if url.port == HTTPS and url.host in DISCORD:
        return "discord"
    if url.port == HTTPS and url.host.endswith(TEAMS):
        return "teams"
    return "mattermost"


def slack(url: Url, parts: dict[str, str]) -> IncomingWebhook:
    return IncomingWebhook("slack", url, {"mode": "hook", **parts}, parts["token_c"][-4:])


def discord(url: Url, parts: dict[str, str]) -> IncomingWebhook:
    return IncomingWebhook(
        "discord", Url("https", DISCORD[0], None, HTTPS), parts, parts["webhook_token"][-4:]
    )


def teams(url: Url, parts: dict[str, str]) -> IncomingWebhook:
    query = parse_qsl(parts["query"], keep_blank_values=True)
    values = dict(query)
    if len(query) != len(values) or values.keys() != TEAMS_QUERY.keys():
        raise ValueError(EXAMPLES)
    if not all(re.fullmatch(shape, values[name]) for name, shape in TEAMS_QUERY.items()):
        raise ValueError(EXAMPLES)
    arguments = {
        "host": url.host,
        "workflow": parts["workflow"],
        "signature": values["sig"],
        "version": values["api-version"],
        "power_automate": parts["power_automate"] is not None,
        "routing_id": parts["routing_id"],
    }
    return IncomingWebhook("teams", url, arguments, values["sig"][-4:])


def mattermost(url: Url, parts: dict[str, str]) -> IncomingWebhook:
    arguments = {
        "host": url.host,
        "port": None if url.port == HTTPS else url.port,
        "fullpath": parts["fullpath"],
        "token": parts["token"],
    }
    return IncomingWebhook("mattermost", url, arguments, parts["token"][-4:])


HOOKS = {"slack": slack, "discord": discord, "teams": teams, "mattermost": mattermost}

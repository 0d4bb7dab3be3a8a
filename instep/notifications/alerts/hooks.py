"""The URLs of incoming webhooks of four chat tools."""

import re
from dataclasses import dataclass, field
from urllib.parse import parse_qsl

from instep.notifications.alerts.schemas import Tool
from instep.platform.core import limits
from instep.platform.core.outbound.urls import Url, parse_url

HTTPS = 443
SHAPES: dict[Tool, re.Pattern[str]] = {
    "slack": re.compile(r"/services/[A-Z0-9]{1,32}/[A-Z0-9]{1,32}/(?P<secret>[A-Za-z0-9]{8,64})/?"),
    "discord": re.compile(r"/api/webhooks/[0-9]{1,20}/(?P<secret>[A-Za-z0-9_-]{16,128})/?"),
    "teams": re.compile(
        r"(?:/powerautomate/automations/direct(?:/cu/[0-9]{1,10})?)?"
        r"/workflows/[A-Za-z0-9_-]{8,128}/triggers/manual/paths/invoke/?\?(?P<query>.+)"
    ),
    "mattermost": re.compile(r"(?:/[A-Za-z0-9_-]{1,64}){0,8}/hooks/(?P<secret>[a-z0-9]{26})/?"),
}
# Some tools answer an address with a final slash with a redirect, which is not followed.
FINAL_SLASH = re.compile(r"/(?=\?|$)")
# Discord's apps use these hosts in URLs; the first answers without a redirect.
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
    """A parsed URL. Its address is secret, because it allows posting to the channel."""

    tool: Tool
    target: Url
    address: str = field(repr=False)
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
    secret = signature_in(match["query"]) if tool == "teams" else match["secret"]
    host = DISCORD[0] if tool == "discord" else url.host
    authority = host if url.port == HTTPS else f"{host}:{url.port}"
    address = f"https://{authority}{FINAL_SLASH.sub('', after_host(text))}"
    return IncomingWebhook(tool, parse_url(address), address, secret[-4:])


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


def signature_in(query: str) -> str:
    """The signature in the query of a Teams workflow; raises `ValueError` for any other query."""
    pairs = parse_qsl(query, keep_blank_values=True)
    values = dict(pairs)
    if len(pairs) != len(values) or values.keys() != TEAMS_QUERY.keys():
        raise ValueError(EXAMPLES)
    if not all(re.fullmatch(shape, values[name]) for name, shape in TEAMS_QUERY.items()):
        raise ValueError(EXAMPLES)
    return values["sig"]

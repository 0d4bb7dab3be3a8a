"""Texts of messages to a channel; visitors wrote parts of them, so markup is escaped."""

import re
from collections.abc import Sequence
from html import escape
from typing import Any
from urllib.parse import quote

from instep.notifications.alerts.schemas import Tool
from instep.platform.core import limits
from instep.platform.text.characters import in_one_line, shorten

UNTITLED = "Alert"
# The flag of Discord that turns off previews of links, because visitors may have written them.
SUPPRESS_EMBEDS = 4
# A zero-width space separates characters that would form markup together.
ZERO_WIDTH_SPACE = "\u200b"
# A mention begins at the start of a word, unlike the `@` of an email address; Discord looks into words too.
MENTION = re.compile(r"@(?=everyone|here)|(?<![A-Za-z0-9])@", re.IGNORECASE)
LINK = re.compile(r"\](?=[(\[:])")
BRACKETS = str.maketrans("<>", "\u2039\u203a")
WEB_ADDRESS = re.compile(r"(https?://\S+)")
MARKUP = re.compile(r"([\\*_~`|#])")
UNQUOTED_IN_URLS = "/:?#&=%~+,;!$'"


def clean_message(title: str, lines: Sequence[str], url: str | None) -> dict[str, str | None]:
    """A message for any tool: without invisible characters, and short."""
    text = "\n".join(filter(None, map(in_one_line, lines)))
    link = quote(url, safe=UNQUOTED_IN_URLS, errors="replace") if url else None
    return {
        "title": shorten(in_one_line(title), limits.MAX_ALERT_TITLE_CHARACTERS) or UNTITLED,
        "text": shorten(text, limits.MAX_ALERT_TEXT_CHARACTERS),
        "url": link if link and len(link) <= limits.MAX_ALERT_LINK_CHARACTERS else None,
    }


def message_for(tool: Tool, title: str, text: str, url: str | None) -> dict[str, Any]:
    """The JSON that the tool's incoming webhook accepts, with all markup of the tool escaped."""
    escaped = ESCAPES[tool]
    lines = [escaped(line) for line in text.split("\n") if line]
    if url:
        lines.append(f"[{url}]({url})" if tool == "teams" else url)
    return MESSAGES[tool](escaped(title), lines)


def slack_message(title: str, lines: Sequence[str]) -> dict[str, Any]:
    """An attachment without markup (docs.slack.dev, Legacy: Secondary message attachments)."""
    attachment = {"title": title, "text": "\n".join(lines), "color": "#3AA3E3"}
    return {"mrkdwn": False, "attachments": [attachment]}


def discord_message(title: str, lines: Sequence[str]) -> dict[str, Any]:
    """A text that mentions nobody and has no previews of links (docs.discord.com, Execute Webhook)."""
    content = "\n".join((title, *lines))
    return {"content": content, "flags": SUPPRESS_EMBEDS, "allowed_mentions": {"parse": []}}


def teams_message(title: str, lines: Sequence[str]) -> dict[str, Any]:
    """An adaptive card; a new line begins only with a new paragraph (adaptivecards.io, TextBlock)."""
    block = {"type": "TextBlock", "wrap": True}
    heading = {**block, "text": title, "style": "heading", "weight": "Bolder", "size": "Large"}
    text = {**block, "text": "\n\n".join(lines)}
    card = {
        "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
        "type": "AdaptiveCard",
        "version": "1.4",
        "body": [heading, text] if lines else [heading],
        "msteams": {"width": "full"},
    }
    attachment = {"contentType": "application/vnd.microsoft.card.adaptive", "content": card}
    return {"type": "message", "attachments": [attachment]}


def mattermost_message(title: str, lines: Sequence[str]) -> dict[str, Any]:
    return {"text": "\n".join((title, *lines)), "username": "Instep"}


MESSAGES = {
    "slack": slack_message,
    "discord": discord_message,
    "teams": teams_message,
    "mattermost": mattermost_message,
}


def defuse(text: str) -> str:
    """Break mentions, and links whose text differs from their target."""
    return LINK.sub(f"]{ZERO_WIDTH_SPACE}", MENTION.sub(f"@{ZERO_WIDTH_SPACE}", text.translate(BRACKETS)))


def escape_markdown(text: str) -> str:
    """Defuse the text and escape its Markdown, except in URLs, which stay links."""
    parts = WEB_ADDRESS.split(defuse(text))
    return "".join(part if number % 2 else MARKUP.sub(r"\\\1", part) for number, part in enumerate(parts))


def escape_slack(text: str) -> str:
    """Escape the three special characters of Slack."""
    return escape(text, quote=False)


ESCAPES = {
    "slack": escape_slack,
    "discord": escape_markdown,
    "teams": defuse,
    "mattermost": escape_markdown,
}

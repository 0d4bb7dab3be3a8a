"""Texts of messages to a channel; visitors wrote parts of them, so markup is escaped."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from instep.notifications.alerts.schemas import Tool
from instep.platform.core import limits
from instep.platform.text.characters import in_one_line, shorten

UNTITLED = "Alert"
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


def render_message(tool: Tool, title: str, text: str, url: str | None) -> dict[str, Any]:
    """The arguments of the library's `notify`, with all markup of the tool escaped."""
    escape = ESCAPES[tool]
    parts = [escape(part) for part in text.split("\n") if part]
    if url:
        parts.append(f"[{url}]({url})" if tool == "teams" else url)
    # Teams begins a new line only with a new paragraph.
    body = ("\n\n" if tool == "teams" else "\n").join(parts)
    return {
        "title": escape(title),
        "body": body or escape(title),
        "body_format": "markdown" if tool == "teams" else "text",
    }


def defuse(text: str) -> str:
    """Break mentions, and links whose text differs from their target."""
    return LINK.sub(f"]{ZERO_WIDTH_SPACE}", MENTION.sub(f"@{ZERO_WIDTH_SPACE}", text.translate(BRACKETS)))


def escape_markdown(text: str) -> str:
    """Defuse the text and escape its Markdown, except in URLs, which stay links."""
    parts = WEB_ADDRESS.split(defuse(text))
    return "".join(part if number % 2 else MARKUP.sub(r"\\\1", part) for number, part in enumerate(parts))


def unescaped(text: str) -> str:
    """Return the text unchanged, because the library escapes Slack's three special characters."""
    return text


ESCAPES = {
    "slack": unescaped,
    "discord": escape_markdown,
    "teams": defuse,
    "mattermost": escape_markdown,
}

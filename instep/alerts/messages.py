"""The text of messages to a channel. Visitors wrote some of it: it is shown, and has no effect there."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from instep.alerts.schemas import Tool
from instep.core import limits
from instep.text.characters import remove_hidden, shorten

UNTITLED = "Alert"
# A zero-width space, which separates two characters that have a meaning next to each other.
ZERO_WIDTH_SPACE = "\u200b"
# A mention begins at the start of a word, unlike the `@` of an e-mail address; Discord looks into words too.
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
    """The arguments of the library's `notify`, escaped so that nothing in them has an effect in the tool."""
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


def in_one_line(text: str) -> str:
    return " ".join(remove_hidden(" ".join(text.split())).split())


def defuse(text: str) -> str:
    """Break mentions, and links that show one address and lead to another."""
    return LINK.sub(f"]{ZERO_WIDTH_SPACE}", MENTION.sub(f"@{ZERO_WIDTH_SPACE}", text.translate(BRACKETS)))


def escape_markdown(text: str) -> str:
    """Defuse the text and escape its Markdown; addresses stay as they are, so that they can be followed."""
    parts = WEB_ADDRESS.split(defuse(text))
    return "".join(part if number % 2 else MARKUP.sub(r"\\\1", part) for number, part in enumerate(parts))


def unescaped(text: str) -> str:
    """Leave the text as it is: the library escapes the three characters that have a meaning for Slack."""
    return text


ESCAPES = {
    "slack": unescaped,
    "discord": escape_markdown,
    "teams": defuse,
    "mattermost": escape_markdown,
}

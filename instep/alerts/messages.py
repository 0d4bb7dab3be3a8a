"""What is written into a channel. Visitors have written some of it: it is shown, and it does nothing."""

import re
from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

from instep.alerts.schemas import Tool
from instep.core import limits
from instep.text.characters import remove_hidden, shorten

UNTITLED = "Alert"
# Seen by nobody, it parts two signs that mean something side by side.
APART = "\u200b"
# A mention begins where no word goes on, as in an e-mail address it does; Discord looks into words too.
MENTION = re.compile(r"@(?=everyone|here)|(?<![A-Za-z0-9])@", re.IGNORECASE)
LINK = re.compile(r"\](?=[(\[:])")
BRACKETS = str.maketrans("<>", "\u2039\u203a")
WEB_ADDRESS = re.compile(r"(https?://\S+)")
MARKUP = re.compile(r"([\\*_~`|#])")
IN_ADDRESSES = "/:?#&=%~+,;!$'"


def shown(title: str, lines: Sequence[str], url: str | None) -> dict[str, str | None]:
    """A message that any tool takes: without signs that are not seen, and short."""
    text = "\n".join(filter(None, map(in_one_line, lines)))
    link = quote(url, safe=IN_ADDRESSES, errors="replace") if url else None
    return {
        "title": shorten(in_one_line(title), limits.MAX_ALERT_TITLE_CHARACTERS) or UNTITLED,
        "text": shorten(text, limits.MAX_ALERT_TEXT_CHARACTERS),
        "url": link if link and len(link) <= limits.MAX_ALERT_LINK_CHARACTERS else None,
    }


def written(tool: Tool, title: str, text: str, url: str | None) -> dict[str, Any]:
    """The message in the words of the library, with nothing in it that the tool acts upon."""
    form = FORMS[tool]
    parts = [form(part) for part in text.split("\n") if part]
    if url:
        parts.append(f"[{url}]({url})" if tool == "teams" else url)
    # What Teams draws begins a new line only where a paragraph begins.
    body = ("\n\n" if tool == "teams" else "\n").join(parts)
    return {
        "title": form(title),
        "body": body or form(title),
        "body_format": "markdown" if tool == "teams" else "text",
    }


def in_one_line(text: str) -> str:
    return " ".join(remove_hidden(" ".join(text.split())).split())


def inert(text: str) -> str:
    """Without mentions, and without links that say one address and lead to another."""
    return LINK.sub(f"]{APART}", MENTION.sub(f"@{APART}", text.translate(BRACKETS)))


def literal(text: str) -> str:
    """The same for tools that let markup be escaped; addresses stay as they are, to be followed."""
    parts = WEB_ADDRESS.split(inert(text))
    return "".join(part if number % 2 else MARKUP.sub(r"\\\1", part) for number, part in enumerate(parts))


def plain(text: str) -> str:
    """The library escapes the three signs that mean something to Slack."""
    return text


FORMS = {"slack": plain, "discord": literal, "teams": inert, "mattermost": literal}

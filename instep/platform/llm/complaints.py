"""A provider's own words about what is wrong, without the key that they may repeat."""

import json
import re
from typing import Any

MAX_CHARACTERS = 300
# So many characters of a key in a row give it away.
KEY_PART_CHARACTERS = 5


def complaint_of(body: bytes, key: str | None) -> str:
    """The message in the body of an error, in one line; parts of the key are left out."""
    text = body.decode("utf-8", "replace")
    try:
        text = message_in(json.loads(text))
    except ValueError:
        text = re.sub(r"<[^>]*>", " ", text)
    return without_key(" ".join(text.split())[:MAX_CHARACTERS], key)


def message_in(value: Any) -> str:
    """The message of an error, which providers put at various depths."""
    if isinstance(value, dict):
        return message_in(next((value[name] for name in ("error", "message", "detail") if name in value), ""))
    if isinstance(value, list):
        return message_in(value[0]) if value else ""
    return str(value)


def without_key(text: str, key: str | None) -> str:
    """The text with an ellipsis for each word that has a part of the key in it."""
    parts = {key[start:][:KEY_PART_CHARACTERS] for start in range(max(1, len(key) - 4))} if key else set()
    return " ".join("…" if any(part in word for part in parts) else word for word in text.split(" "))

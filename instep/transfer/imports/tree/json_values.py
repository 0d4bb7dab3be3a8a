"""Reads JSON that products cut in the middle of an emoji's surrogate pair."""

import json
from typing import Any

from instep.platform.text.characters import replace_unstorable


def load_json(document: str | bytes) -> Any:
    """The values of a document, with U+FFFD for characters that can't be stored; raises like `json.loads`.

    Raw control characters in texts, which some exports contain, are accepted.
    """
    return storable_value(json.loads(document, strict=False))


def storable_value(value: Any) -> Any:
    if isinstance(value, str):
        return replace_unstorable(value)
    if isinstance(value, list):
        return [storable_value(item) for item in value]
    if isinstance(value, dict):
        return {replace_unstorable(name): storable_value(item) for name, item in value.items()}
    return value

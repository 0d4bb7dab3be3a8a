"""The form of what a model replies, and how it is read."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

Shape = TypeVar("Shape", bound=BaseModel)

# Servers that can't be held to a schema put JSON into a fence, behind what they thought.
_FENCED = re.compile(r"(?s)\A(?:.*</think>)?\s*(?:```(?:json)?\s*\n(.*?)\n?```\s*|(.*))\Z")


class Edit(BaseModel):
    article: str
    search: str
    replace: str


class Edits(BaseModel):
    edits: list[Edit]


class Block(BaseModel):
    text: str
    sources: list[int]


class Blocks(BaseModel):
    blocks: list[Block]


def read_reply(kind: type[Shape], text: str) -> Shape | None:
    """None where the reply has another form."""
    found = _FENCED.match(text)
    try:
        return kind.model_validate_json((found[1] or found[2] or "").strip() if found else text)
    except ValidationError:
        return None


def edits_schema(ids: Sequence[str]) -> dict[str, Any]:
    article = {"type": "string", "enum": list(ids)}
    return _list_of(
        "edits", {"article": article, "search": {"type": "string"}, "replace": {"type": "string"}}
    )


def blocks_schema() -> dict[str, Any]:
    sources = {"type": "array", "items": {"type": "integer"}}
    return _list_of("blocks", {"text": {"type": "string"}, "sources": sources})


def _list_of(name: str, fields: Mapping[str, Any]) -> dict[str, Any]:
    return _object({name: {"type": "array", "items": _object(fields)}})


def _object(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }

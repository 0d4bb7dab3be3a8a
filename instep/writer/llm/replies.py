"""The forms of what a model replies about articles."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from instep.llm.guard import list_schema

_TEXT = {"type": "string"}


class ReplyEdit(BaseModel):
    article: str
    search: str
    replace: str


class ReplyEdits(BaseModel):
    edits: list[ReplyEdit]


class ReplyBlock(BaseModel):
    text: str
    sources: list[int]


class ReplyBlocks(BaseModel):
    blocks: list[ReplyBlock]


def edits_schema(article_ids: Sequence[str]) -> dict[str, Any]:
    article = {"type": "string", "enum": list(article_ids)}
    return list_schema("edits", {"article": article, "search": _TEXT, "replace": _TEXT})


def blocks_schema() -> dict[str, Any]:
    return list_schema("blocks", {"text": _TEXT, "sources": {"type": "array", "items": {"type": "integer"}}})

"""The forms of what a model replies about articles."""

from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel

from instep.llm.guard import list_schema, lists_schema

_TEXT = {"type": "string"}
_INTEGER = {"type": "integer"}


class ReplyEdit(BaseModel):
    article: str
    search: str
    replace: str


class ReplyText(BaseModel):
    """The text for one of the numbered places."""

    place: int
    text: str


class ReplyEdits(BaseModel):
    """Servers that ignore the schema may leave out `texts`."""

    edits: list[ReplyEdit]
    texts: list[ReplyText] = []


class ReplyQuote(BaseModel):
    """The lines of the diff that say what edit number `edit` says; empty if none do."""

    edit: int
    quote: str


class ReplyQuotes(BaseModel):
    quotes: list[ReplyQuote]


class ReplyBlock(BaseModel):
    text: str
    sources: list[int]


class ReplyBlocks(BaseModel):
    blocks: list[ReplyBlock]


def edits_schema(article_ids: Sequence[str]) -> dict[str, Any]:
    article = {"type": "string", "enum": list(article_ids)}
    return lists_schema(
        {
            "edits": {"article": article, "search": _TEXT, "replace": _TEXT},
            "texts": {"place": _INTEGER, "text": _TEXT},
        }
    )


def quotes_schema() -> dict[str, Any]:
    return list_schema("quotes", {"edit": _INTEGER, "quote": _TEXT})


def blocks_schema() -> dict[str, Any]:
    return list_schema("blocks", {"text": _TEXT, "sources": {"type": "array", "items": _INTEGER}})

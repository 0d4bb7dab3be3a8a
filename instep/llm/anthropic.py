"""Endpoints that speak Anthropic's messages."""

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from instep.llm.protocol import Completion, CompletionError, Prompt
from instep.llm.provider import CUT, REFUSED, names, read_shape, written

BASE_URL = "https://api.anthropic.com"
VERSION = "2023-06-01"
CUTS = frozenset(("max_tokens", "model_context_window_exceeded"))


class Block(BaseModel):
    type: str
    text: str = ""


class Usage(BaseModel):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    @property
    def total(self) -> int:
        cached = (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)
        return self.input_tokens + self.output_tokens + cached


class Message(BaseModel):
    content: list[Block]
    stop_reason: str | None = None
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Anthropic:
    model: str
    base_url: str = BASE_URL
    key: str | None = field(default=None, repr=False)
    has_schema: bool = True

    @property
    def url(self) -> str:
        return f"{self.base_url.rstrip('/')}/v1/messages"

    @property
    def headers(self) -> dict[str, str]:
        return {"anthropic-version": VERSION, **({"x-api-key": self.key} if self.key else {})}

    def body(self, question: Prompt) -> dict[str, Any]:
        form = {"type": "json_schema", "schema": question.schema}
        return {
            "model": self.model,
            "max_tokens": question.most_tokens,
            "system": question.told,
            "messages": [{"role": "user", "content": question.asked}],
            **({"output_config": {"format": form}} if self.has_schema else {}),
        }

    def read(self, answer: bytes) -> Completion:
        found = read_shape(Message, answer)
        tokens = found.usage.total if found.usage else None
        if found.stop_reason == "refusal":
            raise CompletionError(REFUSED, tokens)
        if found.stop_reason in CUTS:
            raise CompletionError(CUT, tokens)
        return written("".join(block.text for block in found.content if block.type == "text"), tokens)

    def without_optional_features(self, complaint: str) -> "Anthropic | None":
        if self.has_schema and any(names(complaint, part) for part in ("output_config", "output format")):
            return replace(self, has_schema=False)
        return None

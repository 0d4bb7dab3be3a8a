"""Endpoints that speak Anthropic's messages API."""

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from instep.llm.protocol import Completion, CompletionError, Prompt
from instep.llm.provider import CUT, REFUSED, completion_of, mentions_field, read_response

BASE_URL = "https://api.anthropic.com"
VERSION = "2023-06-01"
CUT_REASONS = frozenset(("max_tokens", "model_context_window_exceeded"))
SCHEMA_FIELDS = ("output_config", "output format")


class AnthropicContentBlock(BaseModel):
    type: str
    text: str = ""


class AnthropicUsage(BaseModel):
    input_tokens: int = 0
    output_tokens: int = 0
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    @property
    def total_tokens(self) -> int:
        cached = (self.cache_creation_input_tokens or 0) + (self.cache_read_input_tokens or 0)
        return self.input_tokens + self.output_tokens + cached


class AnthropicMessage(BaseModel):
    content: list[AnthropicContentBlock]
    stop_reason: str | None = None
    usage: AnthropicUsage | None = None


@dataclass(frozen=True, slots=True)
class Anthropic:
    """One endpoint; `has_schema` is whether it holds a completion to a JSON schema."""

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

    def request_body(self, prompt: Prompt) -> dict[str, Any]:
        format = {"type": "json_schema", "schema": prompt.schema}
        return {
            "model": self.model,
            "max_tokens": prompt.max_output_tokens,
            "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.user}],
            **({"output_config": {"format": format}} if self.has_schema else {}),
        }

    def read_completion(self, body: bytes) -> Completion:
        message = read_response(AnthropicMessage, body)
        total_tokens = message.usage.total_tokens if message.usage else None
        if message.stop_reason == "refusal":
            raise CompletionError(REFUSED, total_tokens)
        if message.stop_reason in CUT_REASONS:
            raise CompletionError(CUT, total_tokens)
        text = "".join(block.text for block in message.content if block.type == "text")
        return completion_of(text, total_tokens)

    def without_optional_features(self, complaint: str) -> "Anthropic | None":
        if self.has_schema and any(mentions_field(complaint, field) for field in SCHEMA_FIELDS):
            return replace(self, has_schema=False)
        return None

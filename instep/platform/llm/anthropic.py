"""Endpoints compatible with Anthropic's messages API."""

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from instep.platform.llm.protocol import Prompt
from instep.platform.llm.provider import FAILED, OTHER_FORM, ProviderReply, mentions_field, read_response

BASE_URL = "https://api.anthropic.com"
VERSION = "2023-06-01"
SCHEMA_FIELDS = ("output_config", "output format")


class AnthropicUsage(BaseModel):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None

    @property
    def all_input_tokens(self) -> int:
        counts = (self.input_tokens, self.cache_creation_input_tokens, self.cache_read_input_tokens)
        return sum(count or 0 for count in counts)


class AnthropicText(BaseModel):
    """A block of text, its next part, or the end of a stream with its reason."""

    type: str = ""
    text: str = ""
    stop_reason: str | None = None


class AnthropicMessage(BaseModel):
    """A whole message, or an event of a stream with one of its parts."""

    type: str = "message"
    content: list[AnthropicText] | None = None
    stop_reason: str | None = None
    usage: AnthropicUsage | None = None
    message: "AnthropicMessage | None" = None
    delta: AnthropicText = AnthropicText()


@dataclass(frozen=True, slots=True)
class Anthropic:
    """One endpoint; `has_schema` is whether it enforces a JSON schema on completions."""

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

    def request_body(self, prompt: Prompt, *, is_streamed: bool) -> dict[str, Any]:
        format = {"type": "json_schema", "schema": prompt.schema}
        is_held = self.has_schema and prompt.schema
        return {
            "model": self.model,
            "max_tokens": prompt.max_output_tokens,
            "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.user}],
            **({"output_config": {"format": format}} if is_held else {}),
            **({"stream": True} if is_streamed else {}),
        }

    def read(self, data: bytes, reply: ProviderReply) -> None:
        event = read_response(AnthropicMessage, data)
        if event.type == "error":
            raise reply.error(FAILED)
        if event.type == "message" and event.content is None:
            raise reply.error(OTHER_FORM)
        for part in filter(None, (event, event.message)):
            add_part(part, reply)

    def without_optional_features(self, complaint: str) -> "Anthropic | None":
        if self.has_schema and any(mentions_field(complaint, field) for field in SCHEMA_FIELDS):
            return replace(self, has_schema=False)
        return None


def add_part(part: AnthropicMessage, reply: ProviderReply) -> None:
    if part.usage:
        # The last event of a stream repeats the input or omits it.
        reply.input_tokens = part.usage.all_input_tokens or reply.input_tokens
        reply.output_tokens = part.usage.output_tokens or reply.output_tokens
    reply.text += "".join(block.text for block in part.content or () if block.type == "text")
    if part.delta.type == "text_delta":
        reply.text += part.delta.text
    reply.stop_reason = part.stop_reason or part.delta.stop_reason or reply.stop_reason

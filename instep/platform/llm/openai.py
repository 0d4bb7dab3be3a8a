"""Endpoints compatible with OpenAI's chat completions: its own, other providers', local servers."""

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from instep.platform.llm.protocol import Prompt
from instep.platform.llm.provider import FAILED, OTHER_FORM, ProviderReply, mentions_field, read_response

BASE_URL = "https://api.openai.com/v1"
NEWER, OLDER = "max_completion_tokens", "max_tokens"
SCHEMA_FIELDS = ("response_format", "json_schema")
USAGE_FIELD = "stream_options"


class OpenAiText(BaseModel):
    content: str | None = None
    refusal: str | None = None


class OpenAiChoice(BaseModel):
    """The first choice of a response, or its next part of a stream."""

    message: OpenAiText = OpenAiText()
    delta: OpenAiText = OpenAiText()
    finish_reason: str | None = None


class OpenAiUsage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class ChatCompletion(BaseModel):
    choices: list[OpenAiChoice] | None = None
    usage: OpenAiUsage | None = None
    error: Any = None


@dataclass(frozen=True, slots=True)
class OpenAi:
    """`limit` names the field that bounds the output: local servers silently ignore the newer one."""

    model: str
    base_url: str = BASE_URL
    key: str | None = field(default=None, repr=False)
    limit: str = NEWER
    has_schema: bool = True
    has_usage_of_streams: bool = True

    @property
    def url(self) -> str:
        return f"{self.base_url.rstrip('/')}/chat/completions"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def request_body(self, prompt: Prompt, *, is_streamed: bool) -> dict[str, Any]:
        schema = {"name": "answer", "strict": True, "schema": prompt.schema}
        format = {"type": "json_schema", "json_schema": schema}
        usage = {USAGE_FIELD: {"include_usage": True}} if self.has_usage_of_streams else {}
        return {
            "model": self.model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
            self.limit: prompt.max_output_tokens,
            **({"response_format": format} if self.has_schema and prompt.schema else {}),
            **({"stream": True, **usage} if is_streamed else {}),
        }

    def read(self, data: bytes, reply: ProviderReply) -> None:
        completion = read_response(ChatCompletion, data)
        if completion.usage:
            reply.input_tokens = completion.usage.prompt_tokens
            reply.output_tokens = completion.usage.completion_tokens
        if completion.choices is None:
            raise reply.error(FAILED if completion.error else OTHER_FORM)
        for choice in completion.choices[:1]:
            reply.text += (choice.message.content or "") + (choice.delta.content or "")
            is_refused = choice.message.refusal or choice.delta.refusal
            reply.stop_reason = "refusal" if is_refused else choice.finish_reason or reply.stop_reason

    def without_optional_features(self, complaint: str) -> "OpenAi | None":
        if mentions_field(complaint, NEWER):
            return replace(self, limit=OLDER if self.limit == NEWER else NEWER)
        if self.has_schema and any(mentions_field(complaint, field) for field in SCHEMA_FIELDS):
            return replace(self, has_schema=False)
        if self.has_usage_of_streams and mentions_field(complaint, USAGE_FIELD):
            return replace(self, has_usage_of_streams=False)
        return None

"""Endpoints that speak OpenAI's chat completions: its own, other providers', local servers."""

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from instep.llm.protocol import Completion, CompletionError, Prompt
from instep.llm.provider import CUT, EMPTY, REFUSED, completion_of, mentions_field, read_response

BASE_URL = "https://api.openai.com/v1"
NEWER, OLDER = "max_completion_tokens", "max_tokens"
REFUSAL_REASONS = frozenset(("content_filter", "refusal"))
SCHEMA_FIELDS = ("response_format", "json_schema")


class OpenAiMessage(BaseModel):
    content: str | None = None
    refusal: str | None = None


class OpenAiChoice(BaseModel):
    message: OpenAiMessage
    finish_reason: str | None = None


class OpenAiUsage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


class ChatCompletion(BaseModel):
    choices: list[OpenAiChoice]
    usage: OpenAiUsage | None = None


@dataclass(frozen=True, slots=True)
class OpenAi:
    """`limit` names the field that bounds the output: local servers silently ignore the newer one."""

    model: str
    base_url: str = BASE_URL
    key: str | None = field(default=None, repr=False)
    limit: str = NEWER
    has_schema: bool = True

    @property
    def url(self) -> str:
        return f"{self.base_url.rstrip('/')}/chat/completions"

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}

    def request_body(self, prompt: Prompt) -> dict[str, Any]:
        schema = {"name": "answer", "strict": True, "schema": prompt.schema}
        format = {"type": "json_schema", "json_schema": schema}
        return {
            "model": self.model,
            "messages": [
                {"role": "system", "content": prompt.system},
                {"role": "user", "content": prompt.user},
            ],
            self.limit: prompt.max_output_tokens,
            **({"response_format": format} if self.has_schema else {}),
        }

    def read_completion(self, body: bytes) -> Completion:
        response = read_response(ChatCompletion, body)
        total_tokens = response.usage.total_tokens if response.usage else None
        if not response.choices:
            raise CompletionError(EMPTY, total_tokens)
        choice = response.choices[0]
        if choice.message.refusal or choice.finish_reason in REFUSAL_REASONS:
            raise CompletionError(REFUSED, total_tokens)
        if choice.finish_reason == "length":
            raise CompletionError(CUT, total_tokens)
        return completion_of(choice.message.content or "", total_tokens)

    def without_optional_features(self, complaint: str) -> "OpenAi | None":
        if mentions_field(complaint, NEWER):
            return replace(self, limit=OLDER if self.limit == NEWER else NEWER)
        if self.has_schema and any(mentions_field(complaint, field) for field in SCHEMA_FIELDS):
            return replace(self, has_schema=False)
        return None

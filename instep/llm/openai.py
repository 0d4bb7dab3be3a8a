"""Endpoints that speak OpenAI's chat completions: its own, other providers', local servers."""

from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import BaseModel

from instep.llm.protocol import Completion, CompletionError, Prompt
from instep.llm.provider import CUT, EMPTY, REFUSED, names, read_shape, written

BASE_URL = "https://api.openai.com/v1"
NEWER, OLDER = "max_completion_tokens", "max_tokens"
REFUSALS = frozenset(("content_filter", "refusal"))


class Message(BaseModel):
    content: str | None = None
    refusal: str | None = None


class Choice(BaseModel):
    message: Message
    finish_reason: str | None = None


class Usage(BaseModel):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class ChatCompletion(BaseModel):
    choices: list[Choice]
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class OpenAi:
    """`limit` is the field that bounds an answer: local servers ignore the newer without a word."""

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

    def body(self, question: Prompt) -> dict[str, Any]:
        form = {"name": "answer", "strict": True, "schema": question.schema}
        return {
            "model": self.model,
            "messages": [
                {"role": "system", "content": question.told},
                {"role": "user", "content": question.asked},
            ],
            self.limit: question.most_tokens,
            **({"response_format": {"type": "json_schema", "json_schema": form}} if self.has_schema else {}),
        }

    def read(self, answer: bytes) -> Completion:
        found = read_shape(ChatCompletion, answer)
        tokens = found.usage.prompt_tokens + found.usage.completion_tokens if found.usage else None
        if not found.choices:
            raise CompletionError(EMPTY, tokens)
        choice = found.choices[0]
        if choice.message.refusal or choice.finish_reason in REFUSALS:
            raise CompletionError(REFUSED, tokens)
        if choice.finish_reason == "length":
            raise CompletionError(CUT, tokens)
        return written(choice.message.content or "", tokens)

    def without_optional_features(self, complaint: str) -> "OpenAi | None":
        if names(complaint, NEWER):
            return replace(self, limit=OLDER if self.limit == NEWER else NEWER)
        if self.has_schema and any(names(complaint, part) for part in ("response_format", "json_schema")):
            return replace(self, has_schema=False)
        return None

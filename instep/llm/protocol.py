"""The prompt for a language model and its completion, whichever provider serves it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

# Most texts have more bytes per token, so an estimate of tokens errs on the side of the budget.
_BYTES_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Prompt:
    """`system` is our own text, `user` holds delimited data of others; the completion is JSON of `schema`."""

    system: str
    user: str
    schema: Mapping[str, Any]
    max_output_tokens: int

    @property
    def max_total_tokens(self) -> int:
        """An estimate of the most tokens that this prompt and its completion take together."""
        return estimate_tokens(self.system, self.user, json.dumps(self.schema)) + self.max_output_tokens


@dataclass(frozen=True, slots=True)
class Completion:
    """The text of the model. `total_tokens` counts prompt and output; None if the provider does not say."""

    text: str
    total_tokens: int | None


class CompletionError(Exception):
    """There is no completion; `message` is a sentence without secrets.

    `total_tokens` is what the attempt used; None if that is unknown.
    """

    def __init__(self, message: str, total_tokens: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.total_tokens = total_tokens


class PromptRejected(CompletionError):
    """The provider does not accept this very prompt; it may accept another one."""


class Model(Protocol):
    """A language model that completes prompts."""

    @property
    def name(self) -> str: ...

    async def complete(self, prompt: Prompt) -> Completion:
        """The completion, or `CompletionError`."""


def estimate_tokens(*texts: str) -> int:
    """An upper estimate of the tokens in some texts."""
    return sum(len(text.encode("utf-8", "replace")) // _BYTES_PER_TOKEN + 1 for text in texts)


def bytes_of(tokens: int) -> int:
    """The bytes of UTF-8 that count as this many tokens."""
    return tokens * _BYTES_PER_TOKEN

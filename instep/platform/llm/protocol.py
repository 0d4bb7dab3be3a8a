"""The prompt for a language model and its completion, whichever provider serves it."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

# Most texts have more bytes per token, so the estimate is rather too high than too low.
_BYTES_PER_TOKEN = 3

# Gets each next part of a completion's text. It is not awaited, so it only passes the part on.
OnText = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Prompt:
    """`system` is our own text, `user` contains delimited data of others.

    The completion is JSON of `schema`, or plain text if it is empty.
    """

    system: str
    user: str
    schema: Mapping[str, Any]
    max_output_tokens: int

    @property
    def max_input_tokens(self) -> int:
        """An upper estimate of the tokens in this prompt."""
        return estimate_tokens(self.system, self.user, json.dumps(self.schema))

    @property
    def max_total_tokens(self) -> int:
        """An upper estimate of the tokens in this prompt and its completion together."""
        return self.max_input_tokens + self.max_output_tokens

    def digest(self, model: str) -> bytes:
        """A digest of everything that is sent to a model with this name."""
        parts = [model, self.system, self.user, self.schema, self.max_output_tokens]
        return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).digest()


def sum_of(input_tokens: int | None, output_tokens: int) -> int | None:
    return None if input_tokens is None else input_tokens + output_tokens


@dataclass(frozen=True, slots=True)
class Completion:
    """The text of the model; `input_tokens` is None if the provider does not report them."""

    text: str
    input_tokens: int | None
    output_tokens: int = 0

    @property
    def total_tokens(self) -> int | None:
        return sum_of(self.input_tokens, self.output_tokens)


class CompletionError(Exception):
    """There is no completion; `message` is a sentence without secrets.

    The tokens are those that the attempt used; `input_tokens` is None if unknown. `detail` has the
    provider's own words without the key. They may repeat the prompt, so only the testing owner sees them.
    """

    def __init__(
        self, message: str, input_tokens: int | None = None, output_tokens: int = 0, detail: str = ""
    ) -> None:
        super().__init__(message)
        self.message = message
        self.input_tokens = input_tokens
        self.output_tokens = output_tokens
        self.detail = detail

    @property
    def total_tokens(self) -> int | None:
        return sum_of(self.input_tokens, self.output_tokens)


class UnreadableReply(CompletionError):
    """The completion is empty or has another format; the next one may be better."""


class PromptRejected(CompletionError):
    """The provider does not accept this prompt; it may accept another one."""


class Model(Protocol):
    """A language model that completes prompts."""

    @property
    def name(self) -> str: ...

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        """The completion, or `CompletionError`; with `on_text` its text is passed on as it arrives.

        The passed text is the beginning of a completion that may still fail.
        """


def estimate_tokens(*texts: str) -> int:
    """An upper estimate of the tokens in some texts."""
    return sum(tokens_of_bytes(len(text.encode("utf-8", "replace"))) for text in texts)


def tokens_of_bytes(count: int) -> int:
    """An upper estimate of the tokens in a text with this many bytes of UTF-8."""
    return count // _BYTES_PER_TOKEN + 1


def bytes_of(tokens: int) -> int:
    """The bytes of UTF-8 that count as this many tokens."""
    return tokens * _BYTES_PER_TOKEN

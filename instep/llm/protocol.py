"""What is asked of a language model, whichever it is, and what comes back."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

# Fewer than most texts have: an estimate of tokens errs on the side of the budget.
_BYTES_OF_A_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Prompt:
    """`told` are our words, `asked` holds those of others, labelled; the answer is JSON of the schema."""

    told: str
    asked: str
    schema: Mapping[str, Any]
    most_tokens: int

    @property
    def tokens(self) -> int:
        """The most that it may cost, about."""
        return tokens_of(self.told, self.asked, json.dumps(self.schema)) + self.most_tokens


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model wrote, and how many tokens that took in all, if it said so."""

    text: str
    tokens: int | None


class CompletionError(Exception):
    """The model gave none; `message` is a sentence without secrets, `tokens` what was used, None: unknown."""

    def __init__(self, message: str, tokens: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.tokens = tokens


class PromptRejected(CompletionError):
    """It does not take this very question; another one it may."""


class Model(Protocol):
    """A language model that can be asked."""

    @property
    def name(self) -> str: ...

    async def answer(self, question: Prompt) -> Completion:
        """The reply, or `CompletionError`."""


def tokens_of(*texts: str) -> int:
    return sum(len(text.encode("utf-8", "replace")) // _BYTES_OF_A_TOKEN + 1 for text in texts)


def bytes_of(tokens: int) -> int:
    return tokens * _BYTES_OF_A_TOKEN

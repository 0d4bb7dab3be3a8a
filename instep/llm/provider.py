"""What differs between providers: the form of a request and of a response."""

import re
from typing import Any, Protocol, Self, TypeVar

from pydantic import BaseModel, ValidationError

from instep.llm.protocol import Completion, CompletionError, Prompt

Shape = TypeVar("Shape", bound=BaseModel)

OTHER_FORM = "Its answer has not the form of this provider."
EMPTY = "Its answer is empty."
REFUSED = "It refused to answer."
CUT = "Its answer was cut at the limit of its length."


class Provider(Protocol):
    """One endpoint of a provider, with its key."""

    @property
    def url(self) -> str: ...

    @property
    def headers(self) -> dict[str, str]: ...

    def request_body(self, prompt: Prompt) -> dict[str, Any]: ...

    def read_completion(self, body: bytes) -> Completion:
        """The completion in the body of a response 200, or `CompletionError`."""

    def without_optional_features(self, complaint: str) -> Self | None:
        """The same endpoint in an older form, if the complaint names a part of the newer one."""


def read_response(kind: type[Shape], body: bytes) -> Shape:
    try:
        return kind.model_validate_json(body)
    except ValidationError:
        raise CompletionError(OTHER_FORM) from None


def completion_of(text: str, total_tokens: int | None) -> Completion:
    if not text.strip():
        raise CompletionError(EMPTY, total_tokens)
    return Completion(text, total_tokens)


def mentions_field(complaint: str, field: str) -> bool:
    return re.search(rf"\b{field}\b", complaint) is not None

"""What differs between providers: the form of a request and of an answer."""

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

    def body(self, question: Prompt) -> dict[str, Any]: ...

    def read(self, answer: bytes) -> Completion:
        """The reply in an answer 200, or `CompletionError`."""

    def without_optional_features(self, complaint: str) -> Self | None:
        """The same endpoint asked in an older form, if the complaint names a part of the newer one."""


def read_shape(kind: type[Shape], answer: bytes) -> Shape:
    try:
        return kind.model_validate_json(answer)
    except ValidationError:
        raise CompletionError(OTHER_FORM) from None


def written(text: str, tokens: int | None) -> Completion:
    if not text.strip():
        raise CompletionError(EMPTY, tokens)
    return Completion(text, tokens)


def names(complaint: str, field: str) -> bool:
    return re.search(rf"\b{field}\b", complaint) is not None

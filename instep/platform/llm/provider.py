"""The differences between providers: the form of a request and of a reply."""

import re
from dataclasses import dataclass, field
from typing import Any, Protocol, Self, TypeVar

from pydantic import BaseModel, ValidationError

from instep.platform.core.outbound.client import INCOMPLETE
from instep.platform.llm.protocol import Completion, CompletionError, OnText, Prompt, UnreadableReply

FIELD, END = b"data:", b"[DONE]"
Shape = TypeVar("Shape", bound=BaseModel)

OTHER_FORM = "Its answer does not have this provider's format."
EMPTY = "Its answer is empty."
REFUSED = "It refused to answer."
CUT = "Its answer was cut off at the length limit."
FAILED = "It failed while it was answering."
REFUSAL_REASONS = frozenset(("refusal", "content_filter"))
CUT_REASONS = frozenset(("length", "max_tokens", "model_context_window_exceeded"))


@dataclass(slots=True)
class ProviderReply:
    """A provider's reply so far; `input_tokens` is None until the provider reports them."""

    text: str = ""
    stop_reason: str | None = None
    input_tokens: int | None = None
    output_tokens: int = 0

    def completion(self) -> Completion:
        """The completion of a whole reply, or `CompletionError`."""
        if self.stop_reason in REFUSAL_REASONS:
            raise self.error(REFUSED)
        if self.stop_reason in CUT_REASONS:
            raise self.error(CUT)
        if not self.text.strip():
            raise UnreadableReply(EMPTY, self.input_tokens, self.output_tokens)
        return Completion(self.text, self.input_tokens, self.output_tokens)

    def error(self, message: str) -> CompletionError:
        return CompletionError(message, self.input_tokens, self.output_tokens)


class Provider(Protocol):
    """One endpoint of a provider, with its key."""

    def __hash__(self) -> int: ...

    @property
    def key(self) -> str | None: ...

    @property
    def has_schema(self) -> bool:
        """True if it is asked to enforce a JSON schema."""

    @property
    def url(self) -> str: ...

    @property
    def headers(self) -> dict[str, str]: ...

    def request_body(self, prompt: Prompt, *, is_streamed: bool) -> dict[str, Any]: ...

    def read(self, data: bytes, reply: ProviderReply) -> None:
        """Add to a reply: all of it from the body of a response, or its next part from an event of a stream.

        Raises `CompletionError` if the data has another form or reports an error.
        """

    def without_optional_features(self, complaint: str) -> Self | None:
        """The same endpoint in an older form, if the complaint names a part of the newer one."""


@dataclass(slots=True)
class EventStream:
    """Reads the events in the body of a 200 response, and passes their text on as it arrives."""

    provider: Provider
    on_text: OnText
    reply: ProviderReply = field(default_factory=ProviderReply)
    has_events: bool = False
    pending: bytearray = field(default_factory=bytearray)

    def feed(self, status: int, chunk: bytes) -> None:
        if status != 200:
            return
        self.pending += chunk
        *lines, self.pending = self.pending.split(b"\n")
        for line in lines:
            if line.startswith(FIELD):
                self.read_event(bytes(line.removeprefix(FIELD).strip()))

    def read_event(self, data: bytes) -> None:
        self.has_events = True
        if data == END:
            return
        length = len(self.reply.text)
        self.provider.read(data, self.reply)
        if len(self.reply.text) > length:
            self.on_text(self.reply.text[length:])

    def completion(self, body: bytes) -> Completion:
        """The whole completion; `body` is the response, also of a server that does not stream."""
        if self.has_events:
            if self.reply.stop_reason is None:
                raise CompletionError(INCOMPLETE)
            return self.reply.completion()
        self.provider.read(body, self.reply)
        completion = self.reply.completion()
        self.on_text(completion.text)
        return completion


def read_response(kind: type[Shape], body: bytes) -> Shape:
    try:
        return kind.model_validate_json(body)
    except ValidationError:
        raise CompletionError(OTHER_FORM) from None


def mentions_field(complaint: str, field: str) -> bool:
    return re.search(rf"\b{field}\b", complaint) is not None

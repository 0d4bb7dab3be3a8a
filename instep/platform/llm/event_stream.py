"""A completion that arrives as server-sent events."""

from dataclasses import dataclass, field

from instep.platform.core.outbound.client import INCOMPLETE
from instep.platform.llm.protocol import Completion, CompletionError, OnText
from instep.platform.llm.provider import Provider, ProviderReply

FIELD = b"data:"
END = b"[DONE]"


@dataclass(slots=True)
class EventStream:
    """Reads the events in the body of a response 200, and hands their text over as it arrives."""

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
        """The whole completion; `body` is the response, of a server that does not stream too."""
        if self.has_events:
            if self.reply.stop_reason is None:
                raise CompletionError(INCOMPLETE)
            return self.reply.completion()
        self.provider.read(body, self.reply)
        completion = self.reply.completion()
        self.on_text(completion.text)
        return completion

"""An answer as server-sent events: its sources, its text part by part, and the whole of it."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from typing import Any

from instep.platform.web.events import PAUSE, event, failure
from instep.visitors.answers.actions import PendingAnswer
from instep.visitors.answers.schemas import Answer, AnswerOut, SavedAnswer, SourceOut


async def answer_events(pending: PendingAnswer) -> AsyncIterator[bytes]:
    """The events of an answer; comments keep the connection open until the first part is checked."""
    yield PAUSE
    sent = SentAnswer()
    try:
        async with aclosing(pending.growing()) as answers:
            async for answer in answers:
                for data in [PAUSE] if answer is None else sent.next_events(answer):
                    yield data
    except Exception as error:
        yield failure(error)


class SentAnswer:
    """The parts of an answer that a client has been sent."""

    def __init__(self) -> None:
        self.sources: list[Any] | None = None
        self.text = ""

    def next_events(self, answer: Answer | SavedAnswer) -> list[bytes]:
        if isinstance(answer, Answer):
            return self.next_parts(answer.blocks, [SourceOut.of(cited) for cited in answer.sources])
        body = AnswerOut.of_saved(answer).model_dump(mode="json", by_alias=True)
        return [*self.next_parts(answer.answer.blocks, answer.sources), event("done", body)]

    def next_parts(self, blocks: Sequence[str], sources: Sequence[SourceOut]) -> list[bytes]:
        """The events for what is new: the sources, and the rest of each block or another text."""
        events = []
        dumped = [source.model_dump(mode="json", by_alias=True) for source in sources]
        if dumped != self.sources:
            self.sources = dumped
            events.append(event("sources", {"sources": dumped}))
        if not "\n\n".join(blocks).startswith(self.text):
            # The model failed in the middle, or wrote another answer.
            self.text = "\n\n".join(blocks)
            return [*events, event("replace", {"text": self.text})]
        for count in range(1, len(blocks) + 1):
            text = "\n\n".join(blocks[:count])
            if len(text) > len(self.text):
                events.append(event("delta", {"text": text[len(self.text) :]}))
                self.text = text
        return events

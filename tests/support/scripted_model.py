"""A model that replies as a test says."""

import asyncio
import json
from collections.abc import Callable

from instep.llm.protocol import Completion, Prompt

USED = 1_234
Part = tuple[str, list[int]]


class Scripted:
    """Replies with JSON of what `script` makes of the data that it is asked; with a text as it is."""

    name = "scripted:1"

    def __init__(self, script: Callable[[str], object], may_reply: asyncio.Event | None = None) -> None:
        self.script = script
        self.may_reply = may_reply
        self.asked: list[Prompt] = []
        self.was_asked = asyncio.Event()
        self.was_stopped = asyncio.Event()

    async def complete(self, prompt: Prompt) -> Completion:
        self.asked.append(prompt)
        self.was_asked.set()
        if self.may_reply is not None:
            try:
                await self.may_reply.wait()
            except asyncio.CancelledError:
                self.was_stopped.set()
                raise
        said = self.script(prompt.user)
        return Completion(said if isinstance(said, str) else json.dumps(said), USED)


def replying(*parts: Part) -> Callable[[str], object]:
    """The same whatever it is asked."""
    return lambda asked: parts_of(*parts)


def parts_of(*parts: Part) -> object:
    return {"parts": [{"text": text, "sources": sources} for text, sources in parts]}

"""A language model with scripted replies."""

import asyncio
import json
from collections.abc import Callable

from instep.platform.llm.protocol import Completion, OnText, Prompt

USED_TOKENS = 1_234
# A text, the number of the section that supports it, and optionally a quote from that section.
Part = tuple[str, int] | tuple[str, int, str]


class Scripted:
    """Replies with what `script` returns for the prompt's data: a string as it is, anything else as JSON."""

    name = "scripted:1"

    def __init__(self, script: Callable[[str], object], may_reply: asyncio.Event | None = None) -> None:
        self.script = script
        self.may_reply = may_reply
        self.prompts: list[Prompt] = []
        self.was_asked = asyncio.Event()
        self.was_stopped = asyncio.Event()

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        self.prompts.append(prompt)
        self.was_asked.set()
        if self.may_reply is not None:
            try:
                await self.may_reply.wait()
            except asyncio.CancelledError:
                self.was_stopped.set()
                raise
        reply = self.script(prompt.user)
        text = reply if isinstance(reply, str) else json.dumps(reply)
        if on_text is not None:
            for character in text:
                on_text(character)
        return Completion(text, USED_TOKENS)


def replying(*parts: Part) -> Callable[[str], object]:
    """A script with the same reply to every prompt."""
    return lambda data: parts_of(*parts)


def parts_of(*parts: Part) -> object:
    return {
        "sections": [part[1] for part in parts],
        "parts": [dict(zip(("text", "section", "quote"), part, strict=False)) for part in parts],
    }

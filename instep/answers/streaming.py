"""An answer as events: its sources, its text part by part, and all of it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from instep.answers.ask import Answer
from instep.answers.schemas import AnswerOut
from instep.core import limits
from instep.web.events import PAUSE, event, failure

Asking = Callable[[], Awaitable[tuple[Answer, AnswerOut]]]


async def events_of(asking: Asking) -> AsyncIterator[bytes]:
    """Nothing is told before it was checked; meanwhile a line without meaning keeps the connection open."""
    yield PAUSE
    work = asyncio.ensure_future(asking())
    try:
        while not (await asyncio.wait({work}, timeout=limits.STREAM_HEARTBEAT_SECONDS))[0]:
            yield PAUSE
        answer, shown = work.result()
    except Exception as error:
        yield failure(error)
        return
    finally:
        work.cancel()
    body = shown.model_dump(mode="json", by_alias=True)
    yield event("sources", {"sources": body["sources"]})
    for number, block in enumerate(answer.blocks):
        yield event("delta", {"text": block if number == 0 else f"\n\n{block}"})
    yield event("done", body)

"""An answer as server-sent events: its sources, its text part by part, and the whole of it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

from instep.platform.core import limits
from instep.platform.web.events import PAUSE, event, failure
from instep.visitors.answers.schemas import AnswerOut, SavedAnswer

Complete = Callable[[], Awaitable[SavedAnswer]]


async def answer_events(complete: Complete) -> AsyncIterator[bytes]:
    """Nothing is sent before all of the answer was checked; until then comments keep the connection open."""
    yield PAUSE
    work = asyncio.ensure_future(complete())
    try:
        while not (await asyncio.wait({work}, timeout=limits.STREAM_HEARTBEAT_SECONDS))[0]:
            yield PAUSE
        saved = work.result()
    except Exception as error:
        yield failure(error)
        return
    finally:
        work.cancel()
    body = AnswerOut.of_saved(saved).model_dump(mode="json", by_alias=True)
    yield event("sources", {"sources": body["sources"]})
    for number, block in enumerate(saved.answer.blocks):
        yield event("delta", {"text": block if number == 0 else f"\n\n{block}"})
    yield event("done", body)

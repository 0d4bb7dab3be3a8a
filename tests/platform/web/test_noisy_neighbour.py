"""A workspace that floods the service with long texts does not slow down another one."""

import asyncio
from collections import Counter

from instep.platform.core import limits
from tests.support.cast import Client

# Half a megabyte, which takes a quarter of a second to render.
LONG = "- *word* [link](https://example.com/x) `code`\n" * 11_000
FLOOD = 50
CALLS = 20


async def test_a_flood_of_long_texts_holds_up_nobody_else(client: Client, globex: Client) -> None:
    loud, quiet = globex, client
    texts = [{"title": "Long", "contentMarkdown": f"{LONG}{number}"} for number in range(FLOOD)]
    flood = [asyncio.create_task(loud.post("/v1/articles", json=text)) for text in texts]
    finished_tasks, waiting = await asyncio.wait(flood, return_when=asyncio.FIRST_COMPLETED)

    # Long enough to be rendered in a separate process, too.
    text = {"title": "Plain", "contentMarkdown": "word " * 14_000}
    calls = [await quiet.post("/v1/articles", json=text)]
    calls += [await quiet.get("/v1/articles") for _ in range(CALLS)]
    # All of these calls overtook the flood, which was there before.
    flood_was_waiting = any(not task.done() for task in waiting)

    assert [call.status_code for call in calls] == [201] + [200] * CALLS
    assert flood_was_waiting
    answers = await asyncio.gather(*finished_tasks, *waiting)
    statuses = Counter(answer.status_code for answer in answers)
    assert statuses.keys() == {201, 429}
    assert statuses[201] >= limits.MAX_WAITING_WORK_PIECES
    assert {answer.headers.get("Retry-After") for answer in answers if answer.status_code == 429} == {
        str(limits.WORK_RETRY_SECONDS)
    }

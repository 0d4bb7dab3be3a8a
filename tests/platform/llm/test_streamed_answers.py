"""POST /chat with `Accept: text/event-stream`: the answer is streamed while the model writes it."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from fastapi import FastAPI

from instep.platform.core.database import Database, Tx
from instep.visitors.answers.citing import has_no_active_markup
from tests.platform.llm.conftest import Meet
from tests.support.cast import Api, Cast, Json
from tests.support.model_endpoint import pauses, streams
from tests.support.questions import CHAT, RESET, WEBHOOKS, ask
from tests.support.scripted_model import Scripted, parts_of
from tests.support.site_pages import publish
from tests.support.visitors import credentials, rows
from tests.support.wire import SECONDS, serving
from tests.visitors.answers.test_streaming import EVENTS, events_in

HOW = "How do I reset my password?"
FIRST = {"text": "You can change your password at any time.", "section": 1, "quote": ""}
CODE = {"text": "The code is good for 15 minutes.", "section": 1, "quote": ""}
STEPS = [
    {"text": "1. Open **Settings**, then choose Security.", "section": 1, "quote": ""},
    {"text": "2. Choose `Reset password`.", "section": 1, "quote": ""},
]
HEAD: Json = {"kind": "question", "language": "en", "sections": [1]}
ANSWER = (
    "You can change your password at any time [1].\n\n"
    "1. Open **Settings**, then choose Security [1].\n2. Choose `Reset password` [1]."
)


def reply_of(*parts: Json, **fields: object) -> str:
    return json.dumps({**HEAD, **fields, "parts": parts, "searches": []})


def cut_after(reply: str, part: Json) -> tuple[str, str]:
    """A reply split in two, where the part after this one begins."""
    end = reply.index(json.dumps(part)) + len(json.dumps(part)) + len(', {"')
    return reply[:end], reply[end:]


@pytest.fixture
async def guides(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Reset your password", RESET)
    await publish(client, "Webhooks", WEBHOOKS)


@asynccontextmanager
async def asking(
    app: FastAPI, database: Database, cast: Cast, model: object
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection on which a question was sent to a server that uses this model."""
    body = json.dumps({**credentials(cast.acme), "question": HOW, "visitor": "ann-7"}).encode()
    head = "POST /chat HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n"
    async with serving(app, database) as port, asyncio.timeout(SECONDS):
        app.state.model = model
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"{head}Connection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        try:
            yield reader, writer
        finally:
            writer.close()


async def next_event(reader: asyncio.StreamReader, name: str) -> Json:
    await reader.readuntil(f"event: {name}\ndata: ".encode())
    data: Json = json.loads(await reader.readline())
    return data


def shown(events: list[tuple[str, Json]]) -> str:
    """The text that a client shows if it appends each `delta`."""
    text = ""
    for name, data in events:
        text = {"delta": text + data.get("text", ""), "replace": data.get("text", "")}.get(name, text)
    return text


async def stream(api: Api, cast: Cast) -> list[tuple[str, Json]]:
    body = {**credentials(cast.acme), "question": HOW, "visitor": "ann-7"}
    return events_in((await api(None).post(CHAT, json=body, headers=EVENTS)).text)


async def test_the_first_sentence_is_there_before_the_model_has_written_the_second(
    app: FastAPI, cast: Cast, guides: None, database: Database, owner: Tx, meet: Meet
) -> None:
    may_go_on = asyncio.Event()
    begun, rest = cut_after(reply_of(FIRST, *STEPS), FIRST)

    async with (
        meet(pauses(begun, rest, may_go_on)) as (model, _),
        asking(app, database, cast, model) as (reader, _),
    ):
        sources = await next_event(reader, "sources")
        first = await next_event(reader, "delta")
        may_go_on.set()
        rest_events = [(name, await next_event(reader, name)) for name in ("delta", "done")]

    assert first == {"text": "You can change your password at any time [1]."}
    done = rest_events[-1][1]
    assert first["text"] + shown(rest_events) == done["answer"] == ANSWER
    assert sources == {"sources": done["sources"]}
    [message] = await rows(owner, "messages", cast.acme)
    assert (message["answer"], message["model"]) == (ANSWER, model.name)


async def test_a_model_that_breaks_off_leaves_the_answer_to_the_articles(
    app: FastAPI, cast: Cast, guides: None, database: Database, owner: Tx, meet: Meet
) -> None:
    may_go_on = asyncio.Event()
    begun, _ = cut_after(reply_of(CODE, *STEPS), CODE)

    async with (
        meet(pauses(begun, None, may_go_on)) as (model, _),
        asking(app, database, cast, model) as (reader, _),
    ):
        await next_event(reader, "delta")
        may_go_on.set()
        replaced = await next_event(reader, "replace")
        done = await next_event(reader, "done")

    assert replaced == {"text": done["answer"]}
    assert "2. Choose `Reset password` [1]." in done["answer"]
    [message] = await rows(owner, "messages", cast.acme)
    assert (message["answer"], message["model"]) == (done["answer"], None)


async def test_a_visitor_who_goes_away_in_the_middle_of_an_answer_leaves_nothing_behind(
    app: FastAPI, cast: Cast, guides: None, database: Database, owner: Tx, meet: Meet
) -> None:
    was_stopped = asyncio.Event()

    class Watched:
        def __init__(self, model: Scripted) -> None:
            self.model, self.name = model, model.name

        async def complete(self, *asked: object) -> object:
            try:
                return await self.model.complete(*asked)  # type: ignore[arg-type]
            except asyncio.CancelledError:
                was_stopped.set()
                raise

    begun, rest = cut_after(reply_of(FIRST, *STEPS), FIRST)
    async with (
        meet(pauses(begun, rest, asyncio.Event())) as (model, _),
        asking(app, database, cast, Watched(model)) as (reader, writer),  # type: ignore[arg-type]
    ):
        await next_event(reader, "delta")
        writer.transport.abort()
        await was_stopped.wait()

    assert await rows(owner, "messages", cast.acme) == []
    reserved = "select sum(tokens) from model_use where bot_id = %(bot)s"
    assert await owner.value(reserved, bot=cast.acme.bot_id) > 0


async def test_nothing_is_shown_of_a_reply_after_which_the_model_searches_again(
    app: FastAPI, api: Api, cast: Cast, guides: None, meet: Meet
) -> None:
    searching = json.dumps({**HEAD, "sections": [], "parts": [FIRST, *STEPS], "searches": ["deliveries"]})
    async with meet(streams(*searching), streams(*reply_of(FIRST))) as (model, behind):
        app.state.model = model
        events = await stream(api, cast)

    assert len(behind.asked) == 3
    assert "password at any time" not in events[0][1]["sources"]
    assert "replace" not in [name for name, _ in events]
    assert shown(events) == events[-1][1]["answer"]


INVENTED = {"text": "Refunds are paid within 30 days.", "section": 1, "quote": ""}
LINK = {"text": "Choose [Reset password](https://evil.example).", "section": 1, "quote": ""}
QUOTED = {"text": "The moon says so.", "section": 1, "quote": "Choose `Reset password`"}
LONG = {"text": "x " * 9_000, "section": 1, "quote": ""}
# Two sentences with one half of a link each.
HALVES = [
    {**FIRST, "text": "You can change your [password at any time."},
    {**FIRST, "text": "Choose password](/x)."},
]


@pytest.mark.parametrize(
    "reply",
    [
        reply_of(FIRST, *STEPS),
        reply_of(INVENTED, FIRST, LINK, QUOTED, {**FIRST, "section": 99}),
        reply_of(*HALVES),
        reply_of(INVENTED, LINK),
        reply_of(FIRST, LONG, *STEPS),
        reply_of(*[FIRST] * 30),
        reply_of(),
        reply_of(FIRST, kind="command"),
        reply_of(FIRST, sections=[99]),
        reply_of({**FIRST, "section": 10**30}, FIRST),
        f"<think>\nIt may be {{}}.\n</think>\n```json\n{reply_of(FIRST, *STEPS)}\n```",
        reply_of(FIRST, *STEPS)[:-30],
        reply_of(FIRST, *STEPS).replace('"searches"', '"kind": "command", "searches"'),
        reply_of(FIRST, *STEPS).replace('"searches"', '"sections": [], "searches"'),
        reply_of(FIRST, *STEPS).replace('"searches"', '"parts": [], "searches"'),
        json.dumps({"parts": [FIRST], **HEAD}),
        json.dumps(parts_of((str(FIRST["text"]), 1))),
        json.dumps([reply_of(FIRST)]),
        '{"kind": "question", "language": "en", "sections": [1], "parts": "all"}',
        "[" * 9_000,
        "no JSON at all",
    ],
    ids=lambda reply: reply[-40:],
)
async def test_streamed_parts_are_checked_and_become_the_same_answer(
    app: FastAPI, api: Api, cast: Cast, guides: None, reply: str
) -> None:
    app.state.model = Scripted(lambda asked: reply)

    events = await stream(api, cast)

    whole = await ask(api(None), cast.acme, HOW)
    assert shown(events) == events[-1][1]["answer"] == whole["answer"]
    assert [source["n"] for source in whole["sources"]] == [s["n"] for s in events[-1][1]["sources"]]
    known: list[Json] = []
    for number, (name, data) in enumerate(events):
        text = shown(events[: number + 1])
        assert has_no_active_markup(text)
        assert not any(word in text for word in ("Refunds", "evil", "moon"))
        known = data["sources"] if name == "sources" else known
        if name == "delta":
            assert "[1]" not in text or [source["n"] for source in known][:1] == [1]

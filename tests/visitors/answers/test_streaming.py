"""POST /chat with `Accept: text/event-stream`: the answer as events."""

import asyncio
import json

from fastapi import FastAPI

from instep.platform.core.database import Database, Tx
from tests.support.cast import Api, Cast, Json
from tests.support.questions import CHAT, RESET, ask, post
from tests.support.scripted_model import Scripted, replying
from tests.support.site_pages import publish
from tests.support.visitors import credentials, is_untouched, named_fields, refusal, rows
from tests.support.wire import SECONDS, serving

HOW = "How do I reset my password?"
EVENTS = {"Accept": "text/event-stream"}


def events_in(text: str) -> list[tuple[str, Json]]:
    """The events that a client receives; lines that begin with a colon are comments."""
    events = []
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line and not line.startswith(":")]
        if lines:
            name, data = lines
            events.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
    return events


async def test_sources_come_first_then_the_text_part_by_part_and_all_of_it_last(
    api: Api, cast: Cast, owner: Tx
) -> None:
    await publish(api(cast.acme.write_key), "Reset your password", RESET)
    body = {**credentials(cast.acme), "question": HOW, "visitor": "ann-7"}

    streamed = await api(None).post(CHAT, json=body, headers=EVENTS)

    assert streamed.headers["Content-Type"].startswith("text/event-stream")
    assert streamed.headers["Cache-Control"] == "no-store"
    assert "RateLimit" in streamed.headers
    events = events_in(streamed.text)
    assert [name for name, _ in events] == ["sources", *["delta"] * (len(events) - 2), "done"]
    assert len(events) > 3
    done = events[-1][1]
    assert events[0][1] == {"sources": done["sources"]}
    assert "".join(data["text"] for name, data in events if name == "delta") == done["answer"]
    whole = await ask(api(None), cast.acme, HOW)
    fresh = ("conversationId", "messageId")
    assert {**done, **dict.fromkeys(fresh)} == {**whole, **dict.fromkeys(fresh)}
    assert done["messageId"] in [row["id"] for row in await rows(owner, "messages", cast.acme)]


async def test_refusals_are_as_they_are_without_events(api: Api, cast: Cast, owner: Tx) -> None:
    body = {**credentials(cast.acme), "question": HOW, "visitor": "ann-7"}

    bad = await api(None).post(CHAT, json={**body, "conversationId": "conv_x"}, headers=EVENTS)
    wrong = await api(None).post(CHAT, json={**body, "botKey": "pk_wrong"}, headers=EVENTS)

    assert named_fields(bad) == ["conversationId"]
    assert refusal(wrong) == (401, "invalid_credentials")
    assert await is_untouched(owner, cast)


async def test_a_client_that_accepts_anything_gets_json(api: Api, cast: Cast) -> None:
    body = {**credentials(cast.acme), "question": HOW, "visitor": "ann-7"}

    for accept in ("*/*", "application/json", "text/html, */*;q=0.1", "text/event-stream;q=0, */*"):
        answer = await api(None).post(CHAT, json=body, headers={"Accept": accept})
        assert answer.headers["Content-Type"] == "application/json"


async def test_events_go_out_over_a_socket_while_the_model_is_at_work(
    app: FastAPI, api: Api, cast: Cast, database: Database
) -> None:
    """The response's head arrives before the model has replied, and the events after that."""
    await publish(api(cast.acme.write_key), "Reset your password", RESET)
    may_reply = asyncio.Event()
    model = Scripted(replying(("You can change your password at any time.", 1)), may_reply)
    body = json.dumps({**credentials(cast.acme), "question": HOW, "visitor": "ann-7"}).encode()
    head = "POST /chat HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n"

    async with serving(app, database) as port, asyncio.timeout(SECONDS):
        app.state.model = model
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"{head}Connection: close\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body)
        answered = await reader.readuntil(b"\r\n\r\n")
        first = await reader.readuntil(b":\n\n")
        may_reply.set()
        rest = await reader.read()
        writer.close()

    assert answered.startswith(b"HTTP/1.1 200 ")
    assert b"text/event-stream" in answered
    assert b"event:" not in first
    assert rest.index(b"event: sources") < rest.index(b"event: delta") < rest.index(b"event: done")


async def test_visitor_who_disconnects_leaves_no_message(
    app: FastAPI, api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    await publish(api(cast.acme.write_key), "Reset your password", RESET)
    model = Scripted(replying(), asyncio.Event())
    body = json.dumps({**credentials(cast.acme), "question": HOW, "visitor": "ann-7"}).encode()
    head = "POST /chat HTTP/1.1\r\nHost: x\r\nAccept: text/event-stream\r\nContent-Type: application/json\r\n"

    async with serving(app, database) as port, asyncio.timeout(SECONDS):
        app.state.model = model
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await model.was_asked.wait()
        writer.transport.abort()
        await model.was_stopped.wait()

    assert await rows(owner, "messages", cast.acme) == []
    [use] = await owner.value(
        "select array_agg(tokens) from model_use where bot_id = %(bot)s", bot=cast.acme.bot_id
    )
    assert use > 0


async def test_a_failure_after_the_head_is_an_event(app: FastAPI, api: Api, cast: Cast) -> None:
    await publish(api(cast.acme.write_key), "Reset your password", RESET)
    client = api(None)

    def fail(asked: str) -> object:
        raise RuntimeError("the words of the error")

    app.state.model = Scripted(fail)
    body = {**credentials(cast.acme), "question": HOW, "visitor": "ann-7"}
    [(name, data)] = events_in((await client.post(CHAT, json=body, headers=EVENTS)).text)

    assert (name, data["code"]) == ("error", "internal_error")
    assert data.keys() == {"error", "code", "message", "hint"}
    assert "words" not in str(data)
    assert refusal(await post(client, cast.acme, HOW)) == (500, "internal_error")

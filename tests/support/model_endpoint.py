"""A stand-in for a model endpoint on a real socket, in both providers' formats and with many behaviors."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.receivers import read_request, receiving

KEY = "sk-of-the-tests-0123456789"
INPUT, OUTPUT = 700, 50


@dataclass
class Asked:
    """A request as the endpoint received it."""

    head: str
    body: dict[str, Any]

    @property
    def path(self) -> str:
        return self.head.split(" ")[1]

    @property
    def is_anthropic(self) -> bool:
        return self.path.endswith("/v1/messages")

    @property
    def system(self) -> str:
        return str(self.body["system"] if self.is_anthropic else self.body["messages"][0]["content"])

    @property
    def data(self) -> str:
        return str(self.body["messages"][-1]["content"])


# Returns a whole response, or yields it in chunks.
Mood = Callable[[Asked], Awaitable[bytes] | AsyncIterator[bytes]]


@dataclass
class Endpoint:
    """Answers with each mood in turn and repeats the last one."""

    port: int
    moods: list[Mood]
    asked: list[Asked] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@asynccontextmanager
async def endpoint(*moods: Mood) -> AsyncIterator[Endpoint]:
    scripted = Endpoint(0, list(moods))

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head, body = await read_request(reader)
        asked = Asked(head.decode(), json.loads(body))
        mood = scripted.moods[min(len(scripted.asked), len(scripted.moods) - 1)]
        scripted.asked.append(asked)
        answer = mood(asked)
        if not isinstance(answer, AsyncIterator):
            writer.write(await answer)
            return
        async for chunk in answer:
            writer.write(chunk)
            await writer.drain()

    async with receiving(handle) as receiver:
        scripted.port = receiver.port
        yield scripted


def http(status: int, body: bytes, **headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status} Said", f"Content-Length: {len(body)}", "Content-Type: application/json"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


def answered(asked: Asked, text: str, **fields: Any) -> bytes:
    """A complete 200 response with this text, in the format of the provider that was called."""
    if asked.is_anthropic:
        usage = {"input_tokens": INPUT, "output_tokens": OUTPUT}
        message = {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": usage}
        return http(200, json.dumps({"type": "message", "role": "assistant", **message, **fields}).encode())
    usage = {"prompt_tokens": INPUT, "completion_tokens": OUTPUT, "total_tokens": INPUT + OUTPUT}
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return http(200, json.dumps({"choices": [{**choice, **fields}], "usage": usage}).encode())


def events_of(asked: Asked, *parts: str, has_end: bool = True) -> bytes:
    """The same response in parts, as server-sent events."""
    if asked.is_anthropic:
        start = {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": INPUT}}}
        delta = "content_block_delta"
        events: list[object] = [start, {"type": "ping"}]
        events += [{"type": delta, "delta": {"type": "text_delta", "text": part}} for part in parts]
        end = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}
        events += [{**end, "usage": {"output_tokens": OUTPUT}}, {"type": "message_stop"}] if has_end else []
        lines = [json.dumps(event) for event in events]
    else:
        events = [{"choices": [{"delta": {"content": part}}]} for part in parts]
        usage = {"prompt_tokens": INPUT, "completion_tokens": OUTPUT}
        stop = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
        events += [stop, {"choices": [], "usage": usage}] if has_end else []
        lines = [*map(json.dumps, events), *(["[DONE]"] if has_end else [])]
    return http(200, "".join(f"event: x\r\ndata: {line}\r\n\r\n" for line in lines).encode())


def streams(*parts: str, has_end: bool = True) -> Mood:
    async def mood(asked: Asked) -> bytes:
        assert asked.body["stream"] is True
        return events_of(asked, *parts, has_end=has_end)

    return mood


def pauses(begun: str, rest: str | None, may_go_on: asyncio.Event) -> Mood:
    """Stream the beginning at once and the rest when the test allows; without a rest, break off."""

    async def mood(asked: Asked) -> AsyncIterator[bytes]:
        head, _, body = events_of(asked, begun, rest or "x").partition(b"\r\n\r\n")
        first = events_of(asked, begun, has_end=False).partition(b"\r\n\r\n")[2]
        assert body.startswith(first)
        yield head + b"\r\n\r\n" + first
        await may_go_on.wait()
        if rest is not None:
            yield body.removeprefix(first)

    return mood


def says(reply: object) -> Mood:
    """Reply with this JSON or text."""

    async def mood(asked: Asked) -> bytes:
        return answered(asked, reply if isinstance(reply, str) else json.dumps(reply))

    return mood


def follows(obey: Callable[[Asked], object]) -> Mood:
    """Compute the reply from the request."""

    async def mood(asked: Asked) -> bytes:
        return answered(asked, json.dumps(obey(asked)))

    return mood


def sends(answer: bytes) -> Mood:
    async def mood(asked: Asked) -> bytes:
        return answer

    return mood


def errs(status: int, **headers: str) -> Mood:
    """Return an error that contains the API key, as providers do."""
    error = {"error": {"message": f"Something is wrong with {KEY}", "type": "error"}}
    return sends(http(status, json.dumps(error).encode(), **headers))


async def stays_silent(asked: Asked) -> bytes:
    await asyncio.Event().wait()
    raise AssertionError("nobody sets this event")


async def is_cut(asked: Asked) -> bytes:
    return answered(asked, json.dumps({"edits": []}))[:-20]


async def refuses(asked: Asked) -> bytes:
    if asked.is_anthropic:
        return answered(asked, "", stop_reason="refusal", content=[])
    return answered(asked, "", message={"role": "assistant", "content": None, "refusal": "No."})


async def stops_at_its_limit(asked: Asked) -> bytes:
    if asked.is_anthropic:
        return answered(asked, '{"edits": [', stop_reason="max_tokens")
    return answered(asked, '{"edits": [', finish_reason="length")


async def is_huge(asked: Asked) -> bytes:
    return answered(asked, "x" * 5_000_000)

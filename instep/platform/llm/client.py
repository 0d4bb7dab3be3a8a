"""Calls a provider's endpoint: one time limit over all attempts, few retries, responses of a bounded size."""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from instep.platform.core import limits
from instep.platform.core.metrics import count_model_call
from instep.platform.core.outbound.client import NotConnected, OutboundClient, RequestFailed
from instep.platform.core.outbound.requests import RawResponse, send_request
from instep.platform.core.tracing import span
from instep.platform.llm.protocol import Completion, CompletionError, OnText, Prompt, PromptRejected
from instep.platform.llm.provider import EventStream, Provider, ProviderReply

Pause = Callable[[float], Awaitable[None]]

MAX_COMPLAINT_CHARACTERS = 300
# A sequence of this many characters of a key would reveal it.
KEY_PART_CHARACTERS = 5
# A provider may lack this many optional features of the newest API form.
MAX_OLDER_FORMS = 3
HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}
# 524 is Cloudflare's.
GATEWAY_TIMEOUTS = (504, 524)
# At these statuses the provider has not run the model, so no tokens were used.
STATUS_MESSAGES = {
    401: "It refused the key (401).",
    402: "Its account has no credit left (402).",
    403: "It refused the key (403).",
    404: "It has no such model or address (404).",
    413: "It does not accept a question of this size (413).",
    429: "It accepts no more questions for now (429).",
}


@dataclass(slots=True)
class ModelCall:
    """A call in progress; `tokens` are those of prompt and completion, None if the provider does not say."""

    tokens: int | None = None


@contextmanager
def measured_call(kind: str) -> Iterator[ModelCall]:
    """Count a call of a model of this kind (`chat` or `embeddings`), with its outcome and its time."""
    began, call, outcome = time.perf_counter(), ModelCall(), "failed"
    try:
        with span(f"model {kind}"):
            yield call
        outcome = "ok"
    finally:
        count_model_call(kind, outcome, time.perf_counter() - began, call.tokens)


class ProviderDown(CompletionError):
    """The provider can't be reached, is overloaded, or does not answer in time."""


@dataclass(slots=True)
class Circuit:
    """Opens after some failures in a row. Then one question at a time passes, until one is answered."""

    clock: Callable[[], float] = time.monotonic
    failures: int = 0
    closed_until: float = 0.0

    def enter(self) -> None:
        """Begin a question, or raise `CompletionError` at once while the circuit is open."""
        if self.failures < limits.MAX_MODEL_FAILURES:
            return
        seconds = self.closed_until - self.clock()
        if seconds > 0:
            raise CompletionError(
                f"It was down {self.failures} times in a row: the next attempt is in {seconds:.0f} seconds.",
                0,
            )
        self.closed_until = self.clock() + limits.MODEL_PROBE_SECONDS

    def leave(self, *, is_down: bool) -> None:
        """End a question that was let through."""
        self.failures = self.failures + 1 if is_down else 0
        self.closed_until = self.clock() + limits.MODEL_PROBE_SECONDS


class HttpModel:
    """A model at an endpoint. The endpoint's message about an error is only a detail of our error."""

    def __init__(
        self,
        name: str,
        provider: Provider,
        client: OutboundClient,
        timeout_seconds: float,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self.name = name
        self.provider = provider
        self.client = client
        self.timeout_seconds = timeout_seconds
        self.pause = pause
        self.circuit = Circuit()

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        with measured_call("chat") as call:
            self.circuit.enter()
            try:
                completion = await self.complete_in_time(prompt, on_text)
            except CompletionError as error:
                self.circuit.leave(is_down=isinstance(error, ProviderDown))
                raise
            self.circuit.leave(is_down=False)
            call.tokens = completion.total_tokens
            return completion

    async def complete_in_time(self, prompt: Prompt, on_text: OnText | None) -> Completion:
        events = EventStream(self.provider, on_text) if on_text else None
        attempt = partial(self.attempt, prompt, events)
        try:
            async with asyncio.timeout(self.timeout_seconds):
                body = await complete_with_retries(attempt, self.pause, self.provider.key)
        except TimeoutError:
            raise ProviderDown(f"It did not answer within {self.timeout_seconds:g} seconds.") from None
        if events:
            return events.completion(body)
        self.provider.read(body, reply := ProviderReply())
        return reply.completion()

    async def attempt(self, prompt: Prompt, events: EventStream | None) -> RawResponse:
        """Make one attempt. An endpoint that rejects an optional feature gets the older form from then on."""
        for _ in range(MAX_OLDER_FORMS):
            response = await self.post(prompt, events)
            older = self.provider.without_optional_features(response.body.decode("utf-8", "replace"))
            if response.status not in (400, 422) or older is None:
                return response
            self.provider = older
        return await self.post(prompt, events)

    async def post(self, prompt: Prompt, events: EventStream | None) -> RawResponse:
        body = json.dumps(self.provider.request_body(prompt, is_streamed=events is not None)).encode()
        headers = {**HEADERS, **self.provider.headers}
        max_bytes = limits.MAX_STREAM_BYTES if events else limits.MAX_COMPLETION_BYTES
        on_chunk = events.feed if events else None
        try:
            return await send_request(self.client, self.provider.url, body, headers, max_bytes, on_chunk)
        except RequestFailed as error:
            raise ProviderDown(error.message, 0 if isinstance(error, NotConnected) else None) from None


async def complete_with_retries(
    attempt: Callable[[], Awaitable[RawResponse]], pause: Pause, key: str | None = None
) -> bytes:
    """The body of a 200 response. Statuses 429 and 5xx are retried a few times, others are not.

    With none of them the model has run, except possibly after a gateway timeout: that is not
    retried, so that nothing is paid twice. `key` is removed from the provider's words.
    """
    for number in range(1, limits.MAX_MODEL_RETRIES + 2):
        response = await attempt()
        if response.status == 200:
            return response.body
        detail = complaint_of(response.body, key)
        if response.status in GATEWAY_TIMEOUTS:
            raise ProviderDown(message_of(response.status), detail=detail)
        if response.status != 429 and response.status < 500:
            kind = PromptRejected if response.status in (400, 413, 422) else CompletionError
            raise kind(message_of(response.status), 0, detail=detail)
        if number <= limits.MAX_MODEL_RETRIES:
            await pause(retry_delay(response, number))
    raise ProviderDown(f"{message_of(response.status)} It was asked {number} times.", 0, detail=detail)


def message_of(status: int) -> str:
    if status in GATEWAY_TIMEOUTS:
        return f"Its gateway timed out ({status})."
    if status >= 500:
        return f"It is out of service ({status})."
    return STATUS_MESSAGES.get(status, f"It answered {status}.")


def retry_delay(response: RawResponse, attempt: int) -> float:
    """The wait in seconds: `Retry-After`, or doubled each time; `CompletionError` if that is too long."""
    seconds = response.retry_after
    if seconds is None:
        seconds = limits.MODEL_RETRY_SECONDS * 2 ** (attempt - 1)
    if seconds > limits.MAX_MODEL_RETRY_SECONDS:
        raise ProviderDown(f"{message_of(response.status)} The wait that it requires is too long.", 0)
    return seconds


def complaint_of(body: bytes, key: str | None) -> str:
    """The message in the body of an error, on one line, without parts of the key."""
    text = body.decode("utf-8", "replace")
    try:
        text = message_in(json.loads(text))
    except ValueError:
        text = re.sub(r"<[^>]*>", " ", text)
    return without_key(" ".join(text.split())[:MAX_COMPLAINT_CHARACTERS], key)


def message_in(value: Any) -> str:
    """The message of an error, which providers put at various depths."""
    if isinstance(value, dict):
        return message_in(next((value[name] for name in ("error", "message", "detail") if name in value), ""))
    if isinstance(value, list):
        return message_in(value[0]) if value else ""
    return str(value)


def without_key(text: str, key: str | None) -> str:
    """The text with an ellipsis for each word that contains a part of the key."""
    parts = {key[start:][:KEY_PART_CHARACTERS] for start in range(max(1, len(key) - 4))} if key else set()
    return " ".join("…" if any(part in word for part in parts) else word for word in text.split(" "))

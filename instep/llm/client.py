"""Calls a provider's endpoint: one time limit over all attempts, few retries, responses of a bounded size."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import partial

from instep.core import limits
from instep.core.outbound.client import OutboundClient, RequestFailed
from instep.core.outbound.requests import RawResponse, send_request
from instep.llm.measuring import measured_call
from instep.llm.protocol import Completion, CompletionError, Prompt, PromptRejected
from instep.llm.provider import Provider

Pause = Callable[[float], Awaitable[None]]

# A provider can do without this many optional features of the newest form.
MAX_OLDER_FORMS = 2
HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}
# At these statuses the provider has not run the model, so no tokens were used.
STATUS_MESSAGES = {
    401: "It refused the key (401).",
    403: "It refused the key (403).",
    404: "It knows no such model or address (404).",
    413: "It takes no question of this size (413).",
}


class HttpModel:
    """A model behind an endpoint. Error bodies of an endpoint are not passed on: they may repeat the key."""

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

    async def complete(self, prompt: Prompt) -> Completion:
        with measured_call("chat") as call:
            completion = await self.complete_in_time(prompt)
            call.tokens = completion.total_tokens
            return completion

    async def complete_in_time(self, prompt: Prompt) -> Completion:
        try:
            async with asyncio.timeout(self.timeout_seconds):
                body = await complete_with_retries(partial(self.attempt, prompt), self.pause)
                return self.provider.read_completion(body)
        except TimeoutError:
            raise CompletionError(f"It did not answer within {self.timeout_seconds:g} seconds.") from None

    async def attempt(self, prompt: Prompt) -> RawResponse:
        """One attempt. An endpoint that rejects an optional feature gets the older form from then on."""
        for _ in range(MAX_OLDER_FORMS):
            response = await self.post(prompt)
            older = self.provider.without_optional_features(response.body.decode("utf-8", "replace"))
            if response.status not in (400, 422) or older is None:
                return response
            self.provider = older
        return await self.post(prompt)

    async def post(self, prompt: Prompt) -> RawResponse:
        body = json.dumps(self.provider.request_body(prompt)).encode()
        headers = {**HEADERS, **self.provider.headers}
        url = self.provider.url
        try:
            return await send_request(self.client, url, body, headers, limits.MAX_COMPLETION_BYTES)
        except RequestFailed as error:
            raise CompletionError(error.message) from None


async def complete_with_retries(attempt: Callable[[], Awaitable[RawResponse]], pause: Pause) -> bytes:
    """The body of a response 200. Statuses 429 and 5xx are retried a few times, others are not."""
    for number in range(1, limits.MAX_MODEL_RETRIES + 2):
        response = await attempt()
        if response.status == 200:
            return response.body
        if response.status != 429 and response.status < 500:
            kind = PromptRejected if response.status in (400, 413, 422) else CompletionError
            raise kind(STATUS_MESSAGES.get(response.status, f"It answered {response.status}."), 0)
        if number <= limits.MAX_MODEL_RETRIES:
            await pause(retry_delay(response, number))
    raise CompletionError(f"It answered {response.status}, {number} times.", 0)


def retry_delay(response: RawResponse, attempt: int) -> float:
    """Seconds to wait: `Retry-After`, or twice as long each time; `CompletionError` if that is too long."""
    retry_after = response.headers.get("retry-after", "")
    try:
        seconds = float(retry_after) if retry_after else limits.MODEL_RETRY_SECONDS * 2 ** (attempt - 1)
    except ValueError:
        # An HTTP date: providers send seconds, so a date is answered with the longest wait.
        seconds = limits.MAX_MODEL_RETRY_SECONDS
    if not 0 <= seconds <= limits.MAX_MODEL_RETRY_SECONDS:
        raise CompletionError(f"It answered {response.status} and asks to wait for too long.", 0)
    return seconds

"""Asks a provider's endpoint: one time limit over all attempts, few retries, answers of a bounded size."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from functools import partial

from instep.core import limits
from instep.core.outbound.client import OutboundClient, RequestFailed
from instep.core.outbound.requests import RawResponse, send_request
from instep.llm.protocol import Completion, CompletionError, Prompt, PromptRejected
from instep.llm.provider import Provider

Pause = Callable[[float], Awaitable[None]]

# As many parts of the newest form as a provider can do without.
OLDER_FORMS = 2
HEADERS = {"Content-Type": "application/json", "Accept": "application/json"}
# Nothing was worked on, so nothing was used.
REFUSALS = {
    401: "It refused the key (401).",
    403: "It refused the key (403).",
    404: "It knows no such model or address (404).",
    413: "It takes no question of this size (413).",
}


class HttpModel:
    """A model behind an endpoint. What an endpoint says of an error stays there: it may repeat the key."""

    def __init__(
        self,
        name: str,
        provider: Provider,
        caller: OutboundClient,
        seconds: float,
        pause: Pause = asyncio.sleep,
    ) -> None:
        self.name = name
        self.provider = provider
        self.caller = caller
        self.seconds = seconds
        self.pause = pause

    async def answer(self, question: Prompt) -> Completion:
        try:
            async with asyncio.timeout(self.seconds):
                return self.provider.read(
                    await complete_with_retries(partial(self.ask, question), self.pause)
                )
        except TimeoutError:
            raise CompletionError(f"It did not answer within {self.seconds:g} seconds.") from None

    async def ask(self, question: Prompt) -> RawResponse:
        """One attempt; an endpoint that knows no newest form is asked, in an older form from then on."""
        for _ in range(OLDER_FORMS):
            answer = await self.post(question)
            plainer = self.provider.without_optional_features(answer.body.decode("utf-8", "replace"))
            if answer.status not in (400, 422) or plainer is None:
                return answer
            self.provider = plainer
        return await self.post(question)

    async def post(self, question: Prompt) -> RawResponse:
        body = json.dumps(self.provider.body(question)).encode()
        headers = {**HEADERS, **self.provider.headers}
        try:
            return await send_request(
                self.caller, self.provider.url, body, headers, limits.MAX_COMPLETION_BYTES
            )
        except RequestFailed as none:
            raise CompletionError(none.message) from None


async def complete_with_retries(ask: Callable[[], Awaitable[RawResponse]], pause: Pause) -> bytes:
    """The body of an answer 200, after a few more attempts where too many ask or something is broken."""
    for attempt in range(1, limits.MAX_MODEL_RETRIES + 2):
        answer = await ask()
        if answer.status == 200:
            return answer.body
        if answer.status != 429 and answer.status < 500:
            kind = PromptRejected if answer.status in (400, 413, 422) else CompletionError
            raise kind(REFUSALS.get(answer.status, f"It answered {answer.status}."), 0)
        if attempt <= limits.MAX_MODEL_RETRIES:
            await pause(retry_delay(answer, attempt))
    raise CompletionError(f"It answered {answer.status}, {attempt} times.", 0)


def retry_delay(answer: RawResponse, attempt: int) -> float:
    """As long as the endpoint asks, or twice as long each time; `CompletionError` where that is too long."""
    asked = answer.headers.get("retry-after", "")
    try:
        seconds = float(asked) if asked else limits.MODEL_RETRY_SECONDS * 2 ** (attempt - 1)
    except ValueError:
        seconds = limits.MAX_MODEL_RETRY_SECONDS
    if not 0 <= seconds <= limits.MAX_MODEL_RETRY_SECONDS:
        raise CompletionError(f"It answered {answer.status} and asks to wait for too long.", 0)
    return seconds

"""Retry requests while a server is unreachable or busy."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from instep.client.ci.transport import HttpResponse, Refused, Unreachable
from instep.platform.core import limits

# Statuses of an overloaded or restarting server, or of a proxy in front of it.
RETRYABLE = {429, 502, 503, 504}


@dataclass(frozen=True, slots=True)
class Patience:
    """The time to go on retrying, in seconds; `now` and `sleep` are the clock."""

    seconds: float = field(default_factory=lambda: limits.API_RETRY_SECONDS)
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep

    def retry(self, url: str, send: Callable[[], HttpResponse]) -> HttpResponse:
        """The first response that needs no retry, or the last one; raises `Refused` if there is none."""
        ends = self.now() + self.seconds
        for pause in pauses():
            response: HttpResponse | None = None
            refusal: Refused | None = None
            wait = pause
            try:
                response = send()
            except Unreachable as error:
                refusal = Refused(f"{url} can't be reached: {error}")
            else:
                if response.status not in RETRYABLE:
                    return response
                wait = max(pause, retry_after(response))
            if self.now() + wait > ends:
                if response is not None:
                    return response
                assert refusal is not None, "there is one or the other"
                raise refusal
            self.sleep(wait)
        raise AssertionError("pauses never ends")


def pauses() -> Iterator[float]:
    pause = 1.0
    while True:
        yield pause
        pause = min(pause * 2, limits.MAX_API_RETRY_PAUSE_SECONDS)


def retry_after(response: HttpResponse) -> float:
    """The seconds of `Retry-After` (RFC 9110 section 10.2.3); 0.0 without one, or when it is a date."""
    value = response.headers.get("Retry-After", "")
    return float(value) if re.fullmatch(r"[0-9]{1,9}", value) else 0.0

"""The sender: posts what is due, and records how it ended (specification, Delivery; contract section 5)."""

import asyncio
from contextlib import suppress
from time import perf_counter

import structlog

from instep.core import limits
from instep.core.crypto import KeyRing, Unreadable
from instep.core.database import Database
from instep.core.errors import Unavailable
from instep.core.outbound.client import OutboundClient, RequestFailed, Response
from instep.text.characters import replace_unprintable
from instep.webhooks import outbox
from instep.webhooks.outbox import Claimed, Disabled, Outcome
from instep.webhooks.signature import sign

log = structlog.get_logger("instep.webhooks")

POLL_SECONDS = 0.1
OUTAGE_SECONDS = 1.0
# What ends within it is recorded together.
GATHER_SECONDS = 0.002
# A turn takes long only where thousands of endpoints have something due: then turns become rarer.
IDLE_SHARE = 5
GONE = 410


class Sender:
    """Sends from one event loop; any number of senders share the work.

    A delivery is lost by none of them: without a recorded outcome it is due again when its lease ends.
    """

    def __init__(self, database: Database, caller: OutboundClient, keys: KeyRing) -> None:
        self._database = database
        self._caller = caller
        self._keys = keys
        self._attempts: set[asyncio.Task[None]] = set()
        self._outcomes: list[Outcome] = []

    async def run(self, stop: asyncio.Event) -> None:
        """Send until `stop`; then let attempts under way end, and record them."""
        stopping = asyncio.ensure_future(stop.wait())
        while not stop.is_set():
            began = perf_counter()
            pause = await self._turn(limits.MAX_CONCURRENT_DELIVERIES - len(self._attempts))
            took = perf_counter() - began
            waiting = {stopping, *self._attempts}
            pause = max(pause, IDLE_SHARE * took)
            await asyncio.wait(waiting, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.sleep(max(GATHER_SECONDS, took / 2))
        if self._attempts:
            await asyncio.wait(self._attempts)
        await self._turn(0)

    async def run_due(self) -> int:
        """Send what is due, to the end; how many attempts it took."""
        count = 0
        while True:
            await self._take_turn(limits.MAX_CONCURRENT_DELIVERIES)
            if not self._attempts:
                return count
            count += len(self._attempts)
            await asyncio.wait(self._attempts)

    async def _turn(self, free: int) -> float:
        """Record what has ended and begin what is due; the seconds until the next turn, at most."""
        try:
            await self._take_turn(free)
        except Unavailable:
            # The log has been told of it where it was found.
            return OUTAGE_SECONDS
        except Exception:
            log.exception("the sender could not take its turn")
            return OUTAGE_SECONDS
        return POLL_SECONDS

    async def _take_turn(self, free: int) -> None:
        async with self._database.enter_workspace("") as tx:
            ended = self._outcomes[:]
            if ended:
                tell(await outbox.record(tx, ended))
                del self._outcomes[: len(ended)]
            claimed = await outbox.claim(tx, free) if free else []
        for delivery in claimed:
            task = asyncio.create_task(self._attempt(delivery))
            self._attempts.add(task)
            task.add_done_callback(self._attempts.discard)

    async def _attempt(self, delivery: Claimed) -> None:
        began = perf_counter()
        answer, error = None, None
        try:
            answer = await self._caller.post(delivery.url, delivery.body, self._headers(delivery))
        except RequestFailed as failure:
            error = failure.message
        except Unreadable:
            error = "The signing secret can't be read with the present secret key: rotate it."
        except Exception:
            log.exception("a delivery could not be attempted", delivery=delivery.id)
            error = "The sender failed here."
        self._outcomes.append(outcome(delivery, answer, error, round((perf_counter() - began) * 1000)))

    def _headers(self, delivery: Claimed) -> dict[str, str]:
        """Signed anew with each attempt, since receivers refuse what was signed long ago."""
        return {
            "Content-Type": "application/json",
            "User-Agent": "Instep-Webhooks",
            "service-event": delivery.kind,
            "service-delivery": delivery.id,
            "service-attempt": str(delivery.number),
            "service-signature": sign(self._secrets(delivery), int(delivery.at.timestamp()), delivery.body),
        }

    def _secrets(self, delivery: Claimed) -> list[str]:
        """Those that can be read: one that can't be must not hold up its successor."""
        secrets = []
        for secret_id, sealed in zip(delivery.secret_ids, delivery.sealed_secrets, strict=True):
            with suppress(Unreadable):
                place = ("webhook_secrets", "sealed", delivery.workspace_id, secret_id)
                secrets.append(self._keys.open(sealed, *place))
        if not secrets:
            raise Unreadable
        return secrets


def outcome(delivery: Claimed, answer: Response | None, error: str | None, duration_ms: int) -> Outcome:
    status = answer.status if answer else None
    delivered = status is not None and 200 <= status < 300
    if answer and not delivered:
        error = f"The endpoint answered {status}: only 2xx means that it has the event."
    return Outcome(
        id=delivery.id,
        number=delivery.number,
        http_status=status,
        duration_ms=duration_ms,
        error=error,
        answer=readable(answer.excerpt) if answer else None,
        delivered=delivered,
        gone=status == GONE,
    )


def readable(excerpt: bytes) -> str:
    """As text, without what no database and no page can show."""
    return replace_unprintable(excerpt.decode("utf-8", "replace"), allowed="\n\t")


def tell(disabled: list[Disabled]) -> None:
    for endpoint in disabled:
        log.warning("endpoint disabled", endpoint=endpoint.endpoint_id, reason=endpoint.disabled_reason)

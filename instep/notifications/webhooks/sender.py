"""The sender posts due deliveries and records outcomes (specification, Delivery; contract section 5)."""

import asyncio
from contextlib import suppress
from time import perf_counter

import structlog
from structlog.contextvars import bind_contextvars

from instep.notifications.webhooks import outbox
from instep.notifications.webhooks.outbox import AttemptOutcome, ClaimedDelivery, DisabledEndpoint
from instep.notifications.webhooks.signature import sign
from instep.platform.core import limits
from instep.platform.core.crypto import KeyRing, Unreadable
from instep.platform.core.database import Database
from instep.platform.core.errors import Unavailable
from instep.platform.core.ids import REQUEST_ID_FIELD
from instep.platform.core.metrics import count_delivery
from instep.platform.core.outbound.client import OutboundClient, RequestFailed, Response
from instep.platform.text.characters import replace_unprintable

log = structlog.get_logger("instep.webhooks")

POLL_SECONDS = 0.1
OUTAGE_PAUSE_SECONDS = 1.0
# Attempts that end within this time are recorded together.
BATCH_SECONDS = 0.002
# A turn is slow only if thousands of endpoints have due deliveries. The pause after it is this many times as
# long, so that turns become rarer.
PAUSE_PER_TURN = 5
# A turn that waited for a connection counts as no longer than this: after an outage everything is due.
MAX_TURN_SECONDS = 0.5
HTTP_GONE = 410


class Sender:
    """Sends from one event loop; any number of senders share the work.

    No delivery is lost: without a recorded outcome it is due again when its lease ends.
    """

    def __init__(self, database: Database, client: OutboundClient, keys: KeyRing) -> None:
        self._database = database
        self._client = client
        self._keys = keys
        self._attempts: set[asyncio.Task[None]] = set()
        self._outcomes: list[AttemptOutcome] = []

    async def run(self, stop: asyncio.Event) -> None:
        """Send until `stop` is set; then wait for the attempts in flight, and record them."""
        stopping = asyncio.ensure_future(stop.wait())
        while not stop.is_set():
            began = perf_counter()
            is_taken = await self._turn(limits.MAX_CONCURRENT_DELIVERIES - len(self._attempts))
            duration = min(perf_counter() - began, MAX_TURN_SECONDS)
            waiting = {stopping, *self._attempts}
            pause = max(POLL_SECONDS, PAUSE_PER_TURN * duration) if is_taken else OUTAGE_PAUSE_SECONDS
            await asyncio.wait(waiting, timeout=pause, return_when=asyncio.FIRST_COMPLETED)
            await asyncio.sleep(max(BATCH_SECONDS, duration / 2))
        if self._attempts:
            await asyncio.wait(self._attempts)
        await self._turn(0)

    async def run_due(self) -> int:
        """Send everything that is due; return the number of attempts."""
        count = 0
        while True:
            await self._take_turn(limits.MAX_CONCURRENT_DELIVERIES)
            if not self._attempts:
                return count
            count += len(self._attempts)
            await asyncio.wait(self._attempts)

    async def _turn(self, free: int) -> bool:
        """Record finished attempts and start due ones; return False if the database refuses."""
        try:
            await self._take_turn(free)
        except Unavailable:
            # The outage was logged where it was detected.
            return False
        except Exception:
            log.exception("the sender could not take its turn")
            return False
        return True

    async def _take_turn(self, free: int) -> None:
        async with self._database.enter_workspace("") as tx:
            outcomes = self._outcomes[:]
            if outcomes:
                log_disabled(await outbox.record_outcomes(tx, outcomes))
                del self._outcomes[: len(outcomes)]
            deliveries = await outbox.claim(tx, free) if free else []
        for delivery in deliveries:
            task = asyncio.create_task(self._attempt(delivery))
            self._attempts.add(task)
            task.add_done_callback(self._attempts.discard)

    async def _attempt(self, delivery: ClaimedDelivery) -> None:
        began = perf_counter()
        bind_contextvars(**({REQUEST_ID_FIELD: delivery.request_id} if delivery.request_id else {}))
        response, error = None, None
        try:
            response = await self._client.post(delivery.url, delivery.body, self._headers(delivery))
        except RequestFailed as failure:
            error = failure.message
        except Unreadable:
            error = "The signing secret can't be read with the current secret key: rotate it."
        except Exception:
            log.exception("a delivery could not be attempted", delivery=delivery.id)
            error = "The sender failed here."
        seconds = perf_counter() - began
        outcome = attempt_outcome(delivery, response, error, round(seconds * 1000))
        self._outcomes.append(outcome)
        count_delivery(outcome_name(outcome), seconds)
        log.info(
            "webhook delivery",
            delivery=delivery.id,
            endpoint=delivery.endpoint_id,
            attempt=delivery.number,
            status=outcome.http_status,
            ms=outcome.duration_ms,
        )

    def _headers(self, delivery: ClaimedDelivery) -> dict[str, str]:
        """The headers of an attempt, signed with its own time because receivers refuse old signatures."""
        return {
            "Content-Type": "application/json",
            "User-Agent": "Instep-Webhooks",
            "service-event": delivery.kind,
            "service-delivery": delivery.id,
            "service-attempt": str(delivery.number),
            "service-signature": sign(self._secrets(delivery), int(delivery.at.timestamp()), delivery.body),
        }

    def _secrets(self, delivery: ClaimedDelivery) -> list[str]:
        """The secrets that can be decrypted; an unreadable one does not block its successor."""
        secrets = []
        for secret_id, sealed in zip(delivery.secret_ids, delivery.sealed_secrets, strict=True):
            with suppress(Unreadable):
                place = ("webhook_secrets", "sealed", delivery.workspace_id, secret_id)
                secrets.append(self._keys.open(sealed, *place))
        if not secrets:
            raise Unreadable
        return secrets


def attempt_outcome(
    delivery: ClaimedDelivery, response: Response | None, error: str | None, duration_ms: int
) -> AttemptOutcome:
    status = response.status if response else None
    is_delivered = status is not None and 200 <= status < 300
    if response and not is_delivered:
        error = f"The endpoint answered {status}: only 2xx confirms that it received the event."
    return AttemptOutcome(
        id=delivery.id,
        number=delivery.number,
        http_status=status,
        duration_ms=duration_ms,
        error=error,
        answer=storable(response.excerpt) if response else None,
        delivered=is_delivered,
        is_gone=status == HTTP_GONE,
    )


def outcome_name(outcome: AttemptOutcome) -> str:
    """The outcome of an attempt in metrics."""
    if outcome.delivered:
        return "delivered"
    return "unreachable" if outcome.http_status is None else "refused"


def storable(excerpt: bytes) -> str:
    """The excerpt as text, without characters that can't be stored or shown."""
    return replace_unprintable(excerpt.decode("utf-8", "replace"), allowed="\n\t")


def log_disabled(endpoints: list[DisabledEndpoint]) -> None:
    for endpoint in endpoints:
        log.warning("endpoint disabled", endpoint=endpoint.endpoint_id, reason=endpoint.disabled_reason)

"""SQL of the sender: claim due deliveries fairly, and record the outcomes of attempts.

It works across tenants, through database functions that do only this. Deliveries have their own lease queue,
not `core.jobs`, because they take turns by endpoint and keep a log of their attempts.
"""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from psycopg.types.json import Jsonb

from instep.platform.core import limits
from instep.platform.core.database import Tx

# A lease outlasts an attempt and its recording. The delivery of a killed sender waits at most this long.
LEASE = timedelta(seconds=20)


@dataclass(frozen=True, slots=True)
class ClaimedDelivery:
    """A delivery that this sender has leased for one attempt; `at` is the database's time.

    `sealed_secrets` sign it, the newest first. `number` is the attempt's, and a fencing token: the outcome of
    an attempt is ignored once a later one has begun.
    """

    id: str
    number: int
    workspace_id: str
    endpoint_id: str
    url: str
    kind: str
    body: bytes
    request_id: str | None
    at: datetime
    secret_ids: list[str]
    sealed_secrets: list[bytes]


@dataclass(frozen=True, slots=True)
class StartedAttempt:
    """The number and the start time of an attempt."""

    id: str
    number: int
    at: datetime


@dataclass(frozen=True, slots=True)
class AttemptOutcome:
    """The end of an attempt; `is_gone` means that the endpoint refuses further deliveries (410)."""

    id: str
    number: int
    http_status: int | None
    duration_ms: int
    error: str | None
    answer: str | None
    delivered: bool
    is_gone: bool


@dataclass(frozen=True, slots=True)
class DisabledEndpoint:
    """An endpoint that the outcome of an attempt disabled."""

    endpoint_id: str
    disabled_reason: str


async def claim(tx: Tx, limit: int) -> list[ClaimedDelivery]:
    """Lease up to `limit` due deliveries for one attempt each, in turns of workspaces and endpoints.

    Deliveries whose lease has expired are due again; the lost attempt is in their log.
    """
    attempts = await tx.all(
        StartedAttempt,
        """
        select id, number, at
        from claim_deliveries(%(limit)s, %(at_one_endpoint)s, %(of_one_workspace)s, %(lease)s, %(max_logged)s)
        """,
        limit=limit,
        at_one_endpoint=limits.MAX_CONCURRENT_ENDPOINT_DELIVERIES,
        of_one_workspace=limits.MAX_CONCURRENT_WORKSPACE_DELIVERIES,
        lease=LEASE,
        max_logged=limits.MAX_ATTEMPTS_LOGGED,
    )
    return await read_claimed(tx, attempts) if attempts else []


async def read_claimed(tx: Tx, attempts: list[StartedAttempt]) -> list[ClaimedDelivery]:
    """The deliveries of these attempts, without those whose endpoint was deleted in the meantime."""
    return await tx.all(
        ClaimedDelivery,
        """
        select d.id, t.number, d.workspace_id, d.endpoint_id, d.url, d.kind, d.body, d.request_id, t.at,
          d.secret_ids,
          d.sealed_secrets
        from unnest(%(ids)s::text[], %(numbers)s::integer[], %(times)s::timestamptz[]) as t (id, number, at)
        join read_deliveries(%(ids)s) d on d.id = t.id
        """,
        ids=[attempt.id for attempt in attempts],
        numbers=[attempt.number for attempt in attempts],
        times=[attempt.at for attempt in attempts],
    )


async def record_outcomes(tx: Tx, outcomes: list[AttemptOutcome]) -> list[DisabledEndpoint]:
    """Log attempts, and settle or reschedule their deliveries; returns the endpoints that this disabled."""
    return await tx.all(
        DisabledEndpoint,
        """
        select endpoint_id, disabled_reason
        from record_attempts(%(outcomes)s, %(waits)s::interval[], %(disabled_after)s, %(max_logged)s)
        """,
        outcomes=Jsonb([asdict(outcome) for outcome in outcomes]),
        waits=list(limits.DELIVERY_RETRY_DELAYS),
        disabled_after=limits.ENDPOINT_DISABLED_AFTER,
        max_logged=limits.MAX_ATTEMPTS_LOGGED,
    )

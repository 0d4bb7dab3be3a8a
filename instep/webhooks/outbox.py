"""The SQL of the sender: which deliveries are due, fairly, and how their attempts ended.

It works past the tenants' bounds, through functions of the database that do only this.
"""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from psycopg.types.json import Jsonb

from instep.core import limits
from instep.core.database import Tx

# Longer than an attempt and its record take; so long at most waits the delivery of a killed sender.
LEASE = timedelta(seconds=20)


@dataclass(frozen=True, slots=True)
class Claimed:
    """A delivery that is this sender's for the time of one attempt; `at` is the database's time.

    `sealed_secrets` sign it, the newest first. `number` is the attempt's, and the fence: whoever comes back
    after a later attempt has begun changes nothing.
    """

    id: str
    number: int
    workspace_id: str
    endpoint_id: str
    url: str
    kind: str
    body: bytes
    at: datetime
    secret_ids: list[str]
    sealed_secrets: list[bytes]


@dataclass(frozen=True, slots=True)
class Taken:
    """The number and the beginning of an attempt that is this sender's."""

    id: str
    number: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Outcome:
    """How an attempt ended; `gone`: the endpoint wants no more deliveries."""

    id: str
    number: int
    http_status: int | None
    duration_ms: int
    error: str | None
    answer: str | None
    delivered: bool
    gone: bool


@dataclass(frozen=True, slots=True)
class Disabled:
    """An endpoint that the outcome of an attempt has disabled."""

    endpoint_id: str
    disabled_reason: str


async def claim(tx: Tx, most: int) -> list[Claimed]:
    """Take due deliveries for an attempt each; every workspace and endpoint has its turn.

    Those whose lease has run out are among them, with the lost attempt in their log.
    """
    taken = await tx.all(
        Taken,
        """
        select id, number, at
        from claim_deliveries(%(most)s, %(at_one_endpoint)s, %(of_one_workspace)s, %(lease)s, %(kept)s)
        """,
        most=most,
        at_one_endpoint=limits.MAX_CONCURRENT_ENDPOINT_DELIVERIES,
        of_one_workspace=limits.MAX_CONCURRENT_WORKSPACE_DELIVERIES,
        lease=LEASE,
        kept=limits.MAX_ATTEMPTS_LOGGED,
    )
    return await read(tx, taken) if taken else []


async def read(tx: Tx, taken: list[Taken]) -> list[Claimed]:
    """What the attempts need, without those whose endpoint was deleted meanwhile."""
    return await tx.all(
        Claimed,
        """
        select d.id, t.number, d.workspace_id, d.endpoint_id, d.url, d.kind, d.body, t.at, d.secret_ids,
          d.sealed_secrets
        from unnest(%(ids)s::text[], %(numbers)s::integer[], %(times)s::timestamptz[]) as t (id, number, at)
        join read_deliveries(%(ids)s) d on d.id = t.id
        """,
        ids=[delivery.id for delivery in taken],
        numbers=[delivery.number for delivery in taken],
        times=[delivery.at for delivery in taken],
    )


async def record(tx: Tx, outcomes: list[Outcome]) -> list[Disabled]:
    """Log the attempts, settle their deliveries or put them off; the endpoints that this has disabled."""
    return await tx.all(
        Disabled,
        """
        select endpoint_id, disabled_reason
        from record_attempts(%(outcomes)s, %(waits)s::interval[], %(patience)s, %(kept)s)
        """,
        outcomes=Jsonb([asdict(outcome) for outcome in outcomes]),
        waits=list(limits.DELIVERY_RETRY_DELAYS),
        patience=limits.ENDPOINT_DISABLED_AFTER,
        kept=limits.MAX_ATTEMPTS_LOGGED,
    )

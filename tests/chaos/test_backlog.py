"""A receiver that was down for three days with a large backlog is not overwhelmed when it returns."""

import time

import pytest

from instep.platform.core.database import Tx
from tests.chaos.conftest import Tell
from tests.support.cast import Client
from tests.support.deliveries import add_deliveries, connect, endpoint_of
from tests.support.webhook_receiver import Receiver
from tests.support.workers import StartWorker, nothing_waits, until

pytestmark = pytest.mark.chaos

DELIVERIES = 20_000
AT_ONCE = 4
DRAIN_SECONDS = 400


async def test_backlog_arrives_oldest_first_and_four_at_a_time(
    client: Client, owner: Tx, receiver: Receiver, start_worker: StartWorker, tell: Tell
) -> None:
    webhook = await connect(client, receiver)
    await receiver.close()
    await add_deliveries(owner, webhook, DELIVERIES)
    await let_three_days_pass(owner)
    for _ in range(2):
        start_worker()

    # While the receiver is down, attempts are postponed, and the endpoint stays enabled after three days.
    failed = "select count(*) from deliveries where round_attempts = 4"
    await until(lambda: is_more(owner, failed, 200), 60)
    assert (await endpoint_of(client, webhook))["status"] == "enabled"

    receiver.takes_seconds = 0.005
    await receiver.listen()
    began = time.monotonic()
    await receiver.until_received(1_000, DRAIN_SECONDS)
    # Make the postponed deliveries due.
    await owner.execute("update deliveries set next_attempt_at = created_at where next_attempt_at > now()")
    await until(lambda: nothing_waits(owner), DRAIN_SECONDS)
    seconds = time.monotonic() - began

    numbers = [request.event["id"] for request in receiver.received]
    assert sorted(numbers) == list(range(1, DELIVERIES + 1))
    assert receiver.most["/"] == AT_ONCE
    late = await owner.value(
        "select array_agg(right(id, 6)::int) from deliveries where jsonb_array_length(attempts) > 1"
    )
    in_turn = [number for number in numbers if number not in set(late)]
    out_of_turn = max(abs(number - other) for number, other in zip(in_turn, sorted(in_turn), strict=True))
    assert out_of_turn < 2 * AT_ONCE
    statuses = await owner.value("select array_agg(distinct status) from deliveries")
    assert statuses == ["delivered"]
    assert await owner.value("select failing_since from webhook_endpoints") is None
    tell(
        f"{DELIVERIES:,} deliveries to one endpoint: {DELIVERIES / seconds:.0f} a second, at most "
        f"{receiver.most['/']} at once, {len(late)} of them failed before it was back, "
        f"at most {out_of_turn} places out of turn"
    )


async def let_three_days_pass(owner: Tx) -> None:
    """Backdate the deliveries as if one had been created every 13 seconds and had failed three times."""
    await owner.execute(
        """
        update deliveries set created_at = at, next_attempt_at = at, attempts_begun = 3, round_attempts = 3
        from (select id, now() - interval '3 days' + right(id, 6)::int * interval '12.9 seconds' as at
          from deliveries) as made
        where made.id = deliveries.id
        """
    )
    await owner.execute("update webhook_endpoints set failing_since = now() - interval '3 days'")


async def is_more(owner: Tx, sql: str, number: int) -> bool:
    count: int = await owner.value(sql)
    return count > number

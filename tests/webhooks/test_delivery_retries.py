"""When a delivery is tried again, when it is given up, and when its endpoint is."""

from datetime import datetime, timedelta

from instep.core.database import Database, Tx
from instep.core.jobs import Job
from instep.upkeep import PRUNE, prune
from instep.webhooks.sender import Sender
from instep.workspaces.actions import pause_workspace
from tests.cast import Api, Cast, Client, Json
from tests.web.asking import found
from tests.webhooks.endpoints import WEBHOOKS, disable, send_test
from tests.webhooks.receiver import Receiver
from tests.webhooks.sending import (
    attempt_under_way,
    connect,
    database_time,
    deliveries_of,
    delivery_of,
    enable,
    endpoint_of,
    make_due,
)

WAITS = [
    timedelta(minutes=5),
    timedelta(minutes=30),
    timedelta(hours=2),
    timedelta(hours=8),
    timedelta(hours=24),
]
ATTEMPTS = 6
MILLISECOND = timedelta(milliseconds=1)


async def test_it_is_tried_again_at_the_promised_times_and_never_a_seventh_time(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await send_test(client, webhook)
    receiver.status = 500

    for number, wait in enumerate(WAITS, start=1):
        delivery = await fail(client, webhook, sender, owner, wait)
        assert (delivery["status"], len(delivery["attempts"])) == ("pending", number)
        await move_to(owner, webhook, -timedelta(seconds=1))
        assert await sender.run_due() == 0
        await move_to(owner, webhook, timedelta(0))

    assert await sender.run_due() == 1
    delivery = await delivery_of(client, webhook)
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("failed", None)
    assert [attempt["number"] for attempt in delivery["attempts"]] == [1, 2, 3, 4, 5, 6]
    await owner.run("update deliveries set created_at = created_at - interval '29 days'")
    assert await sender.run_due() == 0
    assert len(receiver.received) == ATTEMPTS


async def test_the_wait_counts_from_the_end_of_the_attempt(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await send_test(client, webhook)
    # As if this attempt had taken eight seconds more.
    receiver.status = 500
    async with attempt_under_way(sender, receiver):
        await owner.run("update deliveries set began_at = began_at - interval '8 seconds'")
        ended = await database_time(owner)

    delivery = await delivery_of(client, webhook)
    began = datetime.fromisoformat(delivery["attempts"][0]["at"])
    assert ended - began > timedelta(seconds=8)
    assert datetime.fromisoformat(delivery["nextAttemptAt"]) >= ended + WAITS[0] - MILLISECOND


async def test_a_success_after_failures_ends_it(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await send_test(client, webhook)
    receiver.status = lambda request: 500 if request.attempt < 3 else 204

    for _ in range(3):
        assert await sender.run_due() == 1
        await make_due(owner, webhook)

    delivery = await delivery_of(client, webhook)
    assert (delivery["status"], delivery["nextAttemptAt"]) == ("delivered", None)
    told = [(each["number"], each["httpStatus"], each["error"] is None) for each in delivery["attempts"]]
    assert told == [(1, 500, False), (2, 500, False), (3, 204, True)]
    assert await sender.run_due() == 0


async def test_a_redelivery_is_the_same_delivery_with_all_its_retries(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    first = await send_test(client, webhook)
    receiver.status = 500

    for _ in range(2):
        for wait in WAITS:
            await fail(client, webhook, sender, owner, wait)
            await make_due(owner, webhook)
        assert await sender.run_due() == 1
        assert (await delivery_of(client, webhook))["status"] == "failed"
        await redeliver(client, webhook, first)
    receiver.status = 200
    assert await sender.run_due() == 1

    assert [request.attempt for request in receiver.received] == list(range(1, 2 * ATTEMPTS + 2))
    assert {request.delivery for request in receiver.received} == {first["id"]}
    assert len({request.body for request in receiver.received}) == 1
    delivery = await delivery_of(client, webhook)
    assert (delivery["status"], len(delivery["attempts"])) == ("delivered", 2 * ATTEMPTS + 1)


async def test_what_has_arrived_is_sent_again_when_it_is_asked_for(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    delivery = await send_test(client, webhook)
    await sender.run_due()

    await redeliver(client, webhook, delivery)
    assert await sender.run_due() == 1

    one, two = receiver.received
    assert (one.delivery, one.body, one.attempt + 1) == (two.delivery, two.body, two.attempt)


async def test_an_endpoint_that_is_gone_is_disabled_at_once(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    for _ in range(6):
        await send_test(client, webhook)
    receiver.status = 410

    # As many as may be under way at once; after their answers nobody is asked again.
    assert await sender.run_due() == 4

    endpoint = await endpoint_of(client, webhook)
    assert (endpoint["status"], endpoint["disabledReason"]) == ("disabled", "The endpoint answered 410 Gone.")
    assert endpoint["updatedAt"] > webhook["updatedAt"]
    deliveries = await deliveries_of(client, webhook)
    gone = [each for each in deliveries if each["attempts"]]
    waiting = [each for each in deliveries if not each["attempts"]]
    assert (len(gone), len(waiting)) == (4, 2)
    assert {(each["status"], each["nextAttemptAt"]) for each in gone} == {("failed", None)}
    assert {each["attempts"][0]["httpStatus"] for each in gone} == {410}

    receiver.status = 200
    enabled = await enable(client, webhook)
    assert (enabled["status"], enabled["disabledReason"]) == ("enabled", None)
    assert await sender.run_due() == 2
    assert {each.delivery for each in receiver.received[4:]} == {each["id"] for each in waiting}


async def test_five_days_of_nothing_but_failures_disable_an_endpoint(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await send_test(client, webhook)
    receiver.status = 500
    await sender.run_due()
    since = await delivery_of(client, webhook)

    await let_pass(owner, webhook, timedelta(days=4, hours=23))
    await sender.run_due()
    assert (await endpoint_of(client, webhook))["status"] == "enabled"

    await let_pass(owner, webhook, timedelta(hours=1))
    await sender.run_due()
    endpoint = await endpoint_of(client, webhook)
    assert endpoint["status"] == "disabled"
    day = datetime.fromisoformat(since["attempts"][0]["at"]) - timedelta(days=5)
    assert day.strftime("%Y-%m-%dT%H:%M") in endpoint["disabledReason"]
    assert (await delivery_of(client, webhook))["status"] == "pending"
    await make_due(owner, webhook)
    assert await sender.run_due() == 0


async def test_a_success_in_between_begins_the_five_days_anew(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await fail_new(client, webhook, sender, receiver)
    await let_pass(owner, webhook, timedelta(days=5))
    receiver.status = 200
    await sender.run_due()

    await fail_new(client, webhook, sender, receiver)

    assert (await endpoint_of(client, webhook))["status"] == "enabled"
    await let_pass(owner, webhook, timedelta(days=5))
    await sender.run_due()
    assert (await endpoint_of(client, webhook))["status"] == "disabled"


async def test_enabling_an_endpoint_begins_the_five_days_anew(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await fail_new(client, webhook, sender, receiver)
    await let_pass(owner, webhook, timedelta(days=5))
    await sender.run_due()
    assert (await endpoint_of(client, webhook))["status"] == "disabled"

    await enable(client, webhook)
    await make_due(owner, webhook)
    assert await sender.run_due() == 1

    assert (await endpoint_of(client, webhook))["status"] == "enabled"


async def test_another_address_begins_the_five_days_anew_and_gets_what_waited(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await fail_new(client, webhook, sender, receiver)
    await let_pass(owner, webhook, timedelta(days=5))

    url = f"{receiver.url}/moved"
    found(await client.patch(f"{WEBHOOKS}/{webhook['id']}", json={"url": url}))
    assert await sender.run_due() == 1

    assert receiver.received[-1].path == "/moved"
    assert (await endpoint_of(client, webhook))["status"] == "enabled"


async def test_a_disabled_endpoint_gets_nothing_and_what_waited_goes_on_afterwards(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver
) -> None:
    client = api(cast.acme.write_key)
    webhook, other = await connect(client, receiver), await connect(client, receiver, "/other")
    waiting = [await send_test(client, webhook) for _ in range(3)]
    await disable(client, webhook)
    await send_test(client, other)

    assert await sender.run_due() == 1
    await enable(client, webhook)
    assert await sender.run_due() == 3

    assert receiver.received[0].path == "/other"
    assert {request.delivery for request in receiver.received[1:]} == {each["id"] for each in waiting}


async def test_one_that_is_disabled_during_an_attempt_has_its_outcome_in_the_log(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    await send_test(client, webhook)
    async with attempt_under_way(sender, receiver):
        await disable(client, webhook)

    assert (await delivery_of(client, webhook))["status"] == "delivered"
    assert (await endpoint_of(client, webhook))["disabledReason"] is None


async def test_a_paused_workspace_gets_its_deliveries(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    client = api(cast.paused.write_key)
    webhook = await connect(client, receiver)
    await send_test(client, webhook)
    await pause_workspace(owner, cast.paused.workspace_id)

    assert await sender.run_due() == 1

    assert (await delivery_of(client, webhook))["status"] == "delivered"


async def test_events_are_pruned_with_their_deliveries_after_30_days(
    api: Api, cast: Cast, sender: Sender, receiver: Receiver, owner: Tx, database: Database
) -> None:
    client = api(cast.acme.write_key)
    webhook = await connect(client, receiver)
    old_done, young = await send_test(client, webhook), await send_test(client, webhook)
    await sender.run_due()
    receiver.status = 500
    old_waiting = await send_test(client, webhook)
    await sender.run_due()
    for delivery, age in ((old_done, 30), (old_waiting, 31), (young, 29)):
        await owner.run(
            "update events set created_at = created_at - %(age)s where id = %(id)s",
            age=timedelta(days=age),
            id=delivery["eventId"],
        )

    await prune(database, Job(1, PRUNE, {}, 1))

    assert [each["id"] for each in await deliveries_of(client, webhook)] == [young["id"]]
    left = await owner.value(
        "select array_agg(id) from events where workspace_id = %(id)s", id=cast.acme.workspace_id
    )
    assert left == [young["eventId"]]


async def test_many_events_are_pruned_at_once(cast: Cast, owner: Tx, database: Database) -> None:
    await owner.run(
        """
        insert into events (id, workspace_id, type, body, created_at)
        select 'evt_' || %(id)s || n, %(id)s, 'webhook.test', '', now() - interval '31 days'
        from generate_series(1, 2500) as n
        """,
        id=cast.acme.workspace_id,
    )

    await prune(database, Job(1, PRUNE, {}, 1))

    sql = "select count(*) from events where workspace_id = %(id)s"
    assert await owner.value(sql, id=cast.acme.workspace_id) == 0


async def fail(client: Client, webhook: Json, sender: Sender, owner: Tx, wait: timedelta) -> Json:
    """One more attempt, after which the next one is so much later."""
    before = await database_time(owner)
    assert await sender.run_due() == 1
    after = await database_time(owner)
    delivery = await delivery_of(client, webhook)
    next_at = datetime.fromisoformat(delivery["nextAttemptAt"])
    assert before + wait - MILLISECOND <= next_at <= after + wait
    last = delivery["attempts"][-1]
    ended = datetime.fromisoformat(last["at"]) + timedelta(milliseconds=last["durationMs"])
    assert ended + wait - 2 * MILLISECOND <= next_at
    return delivery


async def fail_new(client: Client, webhook: Json, sender: Sender, receiver: Receiver) -> None:
    receiver.status = 500
    await send_test(client, webhook)
    await sender.run_due()


async def let_pass(owner: Tx, webhook: Json, time: timedelta) -> None:
    """So that what waits is due, and what has failed fails for so much longer."""
    await owner.run(
        "update webhook_endpoints set failing_since = failing_since - %(time)s where id = %(id)s",
        id=webhook["id"],
        time=time,
    )
    await make_due(owner, webhook)


async def move_to(owner: Tx, webhook: Json, after_due: timedelta) -> None:
    """Let so much time go by that the next attempt was due so long ago."""
    await owner.run(
        """
        update deliveries set next_attempt_at = clock_timestamp() - %(after)s
        where endpoint_id = %(id)s and status = 'pending'
        """,
        id=webhook["id"],
        after=after_due,
    )


async def redeliver(client: Client, webhook: Json, delivery: Json) -> None:
    path = f"{WEBHOOKS}/{webhook['id']}/deliveries/{delivery['id']}/redeliver"
    assert found(await client.post(path))["status"] == "pending"

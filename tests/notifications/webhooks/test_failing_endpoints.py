"""An endpoint that keeps failing is disabled, and misses events until it is enabled again."""

from datetime import datetime, timedelta

from instep.accounts.workspaces.actions import pause_workspace
from instep.notifications.webhooks.sender import Sender
from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, Json
from tests.support.deliveries import (
    attempt_under_way,
    connect,
    deliveries_of,
    delivery_of,
    enable,
    endpoint_of,
    make_due,
)
from tests.support.http import ok
from tests.support.webhook_endpoints import WEBHOOKS, disable, send_test
from tests.support.webhook_receiver import Receiver


async def test_an_endpoint_that_is_gone_is_disabled_at_once(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver
) -> None:
    for _ in range(6):
        await send_test(client, webhook)
    receiver.status = 410

    # These are all concurrent attempts; after their responses no more are sent.
    assert await sender.run_due() == 4

    endpoint = await endpoint_of(client, webhook)
    assert (endpoint["status"], endpoint["disabledReason"]) == ("disabled", "The endpoint answered 410 Gone.")
    assert endpoint["updatedAt"] > webhook["updatedAt"]
    deliveries = await deliveries_of(client, webhook)
    attempted = [each for each in deliveries if each["attempts"]]
    waiting = [each for each in deliveries if not each["attempts"]]
    assert (len(attempted), len(waiting)) == (4, 2)
    assert {(each["status"], each["nextAttemptAt"]) for each in attempted} == {("failed", None)}
    assert {each["attempts"][0]["httpStatus"] for each in attempted} == {410}

    receiver.status = 200
    enabled = await enable(client, webhook)
    assert (enabled["status"], enabled["disabledReason"]) == ("enabled", None)
    assert await sender.run_due() == 2
    assert {each.delivery for each in receiver.received[4:]} == {each["id"] for each in waiting}


async def test_five_days_of_nothing_but_failures_disable_an_endpoint(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
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
    client: Client, webhook: Json, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
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
    client: Client, webhook: Json, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    await fail_new(client, webhook, sender, receiver)
    await let_pass(owner, webhook, timedelta(days=5))
    await sender.run_due()
    assert (await endpoint_of(client, webhook))["status"] == "disabled"

    await enable(client, webhook)
    await make_due(owner, webhook)
    assert await sender.run_due() == 1

    assert (await endpoint_of(client, webhook))["status"] == "enabled"


async def test_another_address_begins_the_five_days_anew_and_gets_what_waited(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver, owner: Tx
) -> None:
    await fail_new(client, webhook, sender, receiver)
    await let_pass(owner, webhook, timedelta(days=5))

    url = f"{receiver.url}/moved"
    ok(await client.patch(f"{WEBHOOKS}/{webhook['id']}", json={"url": url}))
    assert await sender.run_due() == 1

    assert receiver.received[-1].path == "/moved"
    assert (await endpoint_of(client, webhook))["status"] == "enabled"


async def test_a_disabled_endpoint_gets_nothing_and_what_waited_goes_on_afterwards(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver
) -> None:
    other = await connect(client, receiver, "/other")
    waiting = [await send_test(client, webhook) for _ in range(3)]
    await disable(client, webhook)
    await send_test(client, other)

    assert await sender.run_due() == 1
    await enable(client, webhook)
    assert await sender.run_due() == 3

    assert receiver.received[0].path == "/other"
    assert {request.delivery for request in receiver.received[1:]} == {each["id"] for each in waiting}


async def test_endpoint_disabled_during_an_attempt_logs_its_outcome(
    client: Client, webhook: Json, sender: Sender, receiver: Receiver
) -> None:
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


async def fail_new(client: Client, webhook: Json, sender: Sender, receiver: Receiver) -> None:
    receiver.status = 500
    await send_test(client, webhook)
    await sender.run_due()


async def let_pass(owner: Tx, webhook: Json, time: timedelta) -> None:
    """Let time pass: pending deliveries become due, and the failure lasts this much longer."""
    await owner.execute(
        "update webhook_endpoints set failing_since = failing_since - %(time)s where id = %(id)s",
        id=webhook["id"],
        time=time,
    )
    await make_due(owner, webhook)

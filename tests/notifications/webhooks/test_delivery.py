"""A delivery attempt: the request to the endpoint and its entry in the log."""

import re
import time
from collections.abc import Callable
from datetime import datetime

import pytest

from instep.notifications.webhooks.schemas import WebhookOut
from instep.notifications.webhooks.sender import Sender
from instep.notifications.webhooks.signature import BadSignature, verify
from instep.platform.core.database import Tx
from tests.support.cast import Client, Json
from tests.support.deliveries import connect, delivery_of, make_due
from tests.support.events import schema_of
from tests.support.http import TIMESTAMP, create_article, ok
from tests.support.webhook_endpoints import WEBHOOKS, send_test
from tests.support.webhook_receiver import Receiver
from tests.support.wording import like


async def test_the_endpoint_gets_the_event_signed(client: Client, sender: Sender, receiver: Receiver) -> None:
    webhook = await connect(client, receiver, "/hooks?from=instep")
    delivery = await send_test(client, webhook)

    assert await sender.run_due() == 1

    [request] = receiver.received
    signature = request.headers["service-signature"]
    assert request.path == "/hooks?from=instep"
    assert request.headers == {
        "host": f"127.0.0.1:{receiver.port}",
        "content-length": str(len(request.body)),
        "content-type": "application/json",
        "accept-encoding": "identity",
        "connection": "close",
        "user-agent": "Instep-Webhooks",
        "service-event": "webhook.test",
        "service-delivery": delivery["id"],
        "service-attempt": "1",
        "service-signature": signature,
    }
    assert re.fullmatch(r"t=[0-9]{10},v1=[0-9a-f]{64}", signature)
    verify(webhook["secret"], signature, request.body, time.time(), tolerance=5)
    with pytest.raises(BadSignature):
        verify(webhook["secret"], signature, request.body + b" ", time.time())
    event = request.event
    assert (event["id"], event["type"], event["botId"]) == (delivery["eventId"], "webhook.test", None)
    schema_of("webhook.test").validate(event)
    assert event["data"]["object"].keys() == WebhookOut.model_json_schema(by_alias=True)["properties"].keys()


async def test_a_change_is_delivered_with_the_resource_as_it_is_then(
    client: Client, sender: Sender, receiver: Receiver
) -> None:
    await connect(client, receiver)
    article = await create_article(client)
    published = ok(await client.post(f"/v1/articles/{article['id']}/publish"))
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"title": "Set up"}))

    assert await sender.run_due() == 2

    events = {request.headers["service-event"]: request.event for request in receiver.received}
    assert events.keys() == {"article.published", "article.updated"}
    assert events["article.published"]["data"]["object"] == published
    assert events["article.updated"]["data"]["previousAttributes"]["title"] == "Install"


async def test_the_log_tells_of_a_success(client: Client, webhook: Json, sender: Sender) -> None:
    delivery_sent = await send_test(client, webhook)

    await sender.run_due()

    delivery = await delivery_of(client, webhook)
    [attempt] = delivery["attempts"]
    assert delivery == {**delivery_sent, "status": "delivered", "attempts": [attempt], "nextAttemptAt": None}
    assert attempt == {
        "number": 1,
        "at": attempt["at"],
        "httpStatus": 200,
        "durationMs": attempt["durationMs"],
        "error": None,
        "answer": "ok",
    }
    assert re.fullmatch(TIMESTAMP, attempt["at"])
    assert delivery_sent["createdAt"] <= attempt["at"]
    assert 0 <= attempt["durationMs"] < 5_000
    assert await sender.run_due() == 0


@pytest.mark.parametrize("status", [200, 201, 204, 299])
async def test_every_2xx_means_that_it_has_arrived(
    client: Client, sender: Sender, receiver: Receiver, webhook: Json, status: int
) -> None:
    await send_test(client, webhook)
    receiver.status, receiver.text = status, b""

    await sender.run_due()

    delivery = await delivery_of(client, webhook)
    assert (delivery["status"], delivery["attempts"][0]["httpStatus"]) == ("delivered", status)


@pytest.mark.parametrize("status", [300, 302, 307, 400, 401, 404, 429, 500, 503, 599])
async def test_any_other_status_is_a_failure(
    client: Client, sender: Sender, receiver: Receiver, webhook: Json, status: int
) -> None:
    await send_test(client, webhook)
    receiver.status, receiver.text = status, b"no"

    assert await sender.run_due() == 1

    delivery = await delivery_of(client, webhook)
    [attempt] = delivery["attempts"]
    assert (delivery["status"], attempt["httpStatus"], attempt["answer"]) == ("pending", status, "no")
    assert str(status) in attempt["error"]


@pytest.mark.parametrize(
    ("text", "excerpt"),
    [
        (b"\0\xff\xfe<b>\n\t\x1b[2J\r\x7f", "\ufffd" * 3 + "<b>\n\t\ufffd[2J" + "\ufffd" * 2),
        (b"\xed\xa0\x80\xc2", "\ufffd" * 4),
        (("x" + "é" * 5_000).encode(), "x" + "é" * 499 + "\ufffd"),
        (b"", ""),
    ],
    ids=["binary", "surrogate", "long", "empty"],
)
async def test_the_log_shows_how_the_answer_begins(
    client: Client, sender: Sender, receiver: Receiver, webhook: Json, text: bytes, excerpt: str
) -> None:
    await send_test(client, webhook)
    receiver.status, receiver.text = 500, text

    await sender.run_due()

    assert (await delivery_of(client, webhook))["attempts"][0]["answer"] == excerpt


async def test_an_endpoint_that_closes_the_connection_has_failed(
    client: Client, sender: Sender, receiver: Receiver, webhook: Json
) -> None:
    await send_test(client, webhook)
    receiver.text = None

    await sender.run_due()

    [attempt] = (await delivery_of(client, webhook))["attempts"]
    assert (attempt["httpStatus"], attempt["answer"]) == (None, None)
    assert "closed" in attempt["error"]


@pytest.mark.parametrize("is_open", [True, False])
async def test_closed_and_forbidden_addresses_have_the_same_error(
    client: Client, sender: Sender, receiver: Receiver, webhook: Json, owner: Tx, is_open: bool
) -> None:
    await send_test(client, webhook)
    if is_open:
        await receiver.close()
    else:
        sql = "update webhook_endpoints set url = replace(url, '127.0.0.1', '[::1]') where id = %(id)s"
        await owner.execute(sql, id=webhook["id"])

    await sender.run_due()

    [attempt] = (await delivery_of(client, webhook))["attempts"]
    assert (attempt["httpStatus"], attempt["error"]) == (None, like("…be reached…"))
    assert receiver.received == []


async def test_all_attempts_send_the_same_bytes_under_the_same_id_signed_anew(
    client: Client, sender: Sender, receiver: Receiver, webhook: Json, owner: Tx
) -> None:
    await send_test(client, webhook)
    receiver.status = 500

    for _ in range(3):
        assert await sender.run_due() == 1
        await make_due(owner, webhook)

    attempts = (await delivery_of(client, webhook))["attempts"]
    assert len({request.body for request in receiver.received}) == 1
    assert len({request.delivery for request in receiver.received}) == 1
    assert [request.attempt for request in receiver.received] == [1, 2, 3]
    assert [attempt["number"] for attempt in attempts] == [1, 2, 3]
    moments = [datetime.fromisoformat(attempt["at"]).timestamp() for attempt in attempts]
    assert moments[0] < moments[1] < moments[2]
    for request, moment in zip(receiver.received, moments, strict=True):
        assert request.signed_at == int(moment)
        verify(webhook["secret"], request.headers["service-signature"], request.body, moment, tolerance=1)


async def test_after_a_rotation_both_secrets_sign_and_after_a_day_the_new_one(
    client: Client, sender: Sender, receiver: Receiver, webhook: Json, owner: Tx
) -> None:
    rotated = ok(await client.post(f"{WEBHOOKS}/{webhook['id']}/rotate-secret"))
    old, new = webhook["secret"], rotated["secret"]

    await send_test(client, webhook)
    await sender.run_due()
    await move_ends(owner, "24 hours")
    await send_test(client, webhook)
    await sender.run_due()

    overlapping, alone = (request.headers["service-signature"] for request in receiver.received)
    assert (overlapping.count("v1="), alone.count("v1=")) == (2, 1)
    assert (signs(receiver, 0)(old), signs(receiver, 0)(new)) == (True, True)
    assert (signs(receiver, 1)(old), signs(receiver, 1)(new)) == (False, True)


async def test_just_before_a_day_is_over_the_old_secret_signs_still(
    client: Client, sender: Sender, receiver: Receiver, webhook: Json, owner: Tx
) -> None:
    ok(await client.post(f"{WEBHOOKS}/{webhook['id']}/rotate-secret"))
    await move_ends(owner, "23 hours 59 minutes")

    await send_test(client, webhook)
    await sender.run_due()

    assert signs(receiver, 0)(webhook["secret"])


async def test_a_secret_that_cant_be_read_sends_nothing_until_it_is_rotated(
    client: Client, sender: Sender, receiver: Receiver, webhook: Json, owner: Tx
) -> None:
    await send_test(client, webhook)
    # A change of the installation's secret key has the same effect.
    sql = (
        "update webhook_secrets set sealed = overlay(sealed placing 'none' from 1) where endpoint_id = %(id)s"
    )
    await owner.execute(sql, id=webhook["id"])

    await sender.run_due()

    [attempt] = (await delivery_of(client, webhook))["attempts"]
    assert (receiver.received, attempt["httpStatus"]) == ([], None)
    assert "rotate" in attempt["error"]

    rotated = ok(await client.post(f"{WEBHOOKS}/{webhook['id']}/rotate-secret"))
    await make_due(owner, webhook)
    await sender.run_due()

    assert (await delivery_of(client, webhook))["status"] == "delivered"
    assert signs(receiver, 0)(rotated["secret"])


async def move_ends(owner: Tx, by: str) -> None:
    sql = "update webhook_secrets set ends_at = ends_at - %(by)s::interval where ends_at is not null"
    await owner.execute(sql, by=by)


def signs(receiver: Receiver, number: int) -> Callable[[str], bool]:
    """Returns a function that checks whether a secret signed this request."""
    request = receiver.received[number]

    def is_by(secret: str) -> bool:
        try:
            verify(secret, request.headers["service-signature"], request.body, time.time())
        except BadSignature:
            return False
        return True

    return is_by

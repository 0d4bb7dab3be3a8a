"""One workspace has 10,000 deliveries to endpoints that hang; other workspaces don't have to wait."""

import asyncio
from datetime import datetime
from statistics import median

import pytest

from instep.platform.core.database import Tx
from tests.chaos.conftest import Tell
from tests.support.cast import Api, Cast, create_company
from tests.support.deliveries import add_deliveries, connect
from tests.support.webhook_endpoints import send_test
from tests.support.webhook_receiver import Receiver, receiving
from tests.support.workers import StartWorker

pytestmark = pytest.mark.chaos

ENDPOINTS = 20
DELIVERIES = 10_000
OTHERS = 50
START_SECONDS = 60
PROMISED_SECONDS = 10


@pytest.mark.parametrize("workers", [1, 2])
async def test_everybody_elses_first_attempt_begins_within_ten_seconds(
    api: Api, cast: Cast, owner: Tx, receiver: Receiver, start_worker: StartWorker, workers: int, tell: Tell
) -> None:
    noisy = api(cast.acme.write_key)
    async with receiving() as hanging:
        hanging.hold()
        for number in range(ENDPOINTS):
            webhook = await connect(noisy, hanging, f"/{number}")
            await add_deliveries(owner, webhook, DELIVERIES // ENDPOINTS)
        for _ in range(workers):
            start_worker()
        await hanging.until_received(ENDPOINTS, START_SECONDS)

        sent_at: dict[str, datetime] = {}
        for number in range(OTHERS):
            company = await create_company(owner, f"Company {number}")
            client = api(company.write_key)
            delivery = await send_test(client, await connect(client, receiver, f"/{number}"))
            sent_at[delivery["id"]] = datetime.fromisoformat(delivery["createdAt"])
            await asyncio.sleep(0.5)
        await receiver.until_received(OTHERS)

        assert hanging.most_in_all <= ENDPOINTS
        # The endpoints were hanging the whole time.
        assert len(hanging.received) > 2 * ENDPOINTS
    delays = [(request.at - sent_at[request.delivery]).total_seconds() for request in receiver.received]
    assert {request.attempt for request in receiver.received} == {1}
    assert max(delays) < PROMISED_SECONDS
    tell(
        f"{OTHERS} first attempts next to {DELIVERIES:,} deliveries that hang, {workers} worker(s): from the "
        f"event to the request p50 {median(delays):.2f} s, at most {max(delays):.2f} s"
    )

"""A worker whose clock is wrong or jumps: all times come from the database, so nothing changes."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from instep.notifications.webhooks.signature import verify
from instep.platform.core.database import Database, Tx
from tests.support.cast import Client
from tests.support.deliveries import (
    at_work,
    attempt_under_way,
    connect,
    database_time,
    deliveries_of,
    delivery_of,
    sending,
)
from tests.support.webhook_endpoints import send_test
from tests.support.webhook_receiver import Receiver, receiving
from tests.support.workers import StartWorker, nothing_waits, until

pytestmark = pytest.mark.chaos

START_SECONDS = 60
# The maximum delay of an attempt on a busy machine.
LATE = timedelta(seconds=2)
HOUR, DAY = 3_600, 86_400


@pytest.fixture
def clock(tmp_path: Path) -> "Clock":
    if shutil.which("faketime") is None:
        pytest.fail(
            "These tests move a process's clock with libfaketime: install your system's package `faketime`."
        )
    clock = Clock(tmp_path / "clock")
    clock.set(HOUR)
    command = [sys.executable, "-c", "import time; print(time.time())"]
    seconds = subprocess.run(
        command, env=os.environ | clock.environment, capture_output=True, check=True
    ).stdout
    assert abs(float(seconds) - time.time() - HOUR) < 60, "processes see the moved clock"
    return clock


class Clock:
    """The offset of a process's clock; it can change while the process runs."""

    def __init__(self, file: Path) -> None:
        self.file = file
        library = subprocess.run(
            ["faketime", "-m", "-f", "+0", "printenv", "LD_PRELOAD"],
            capture_output=True,
            check=True,
            text=True,
        )
        self.environment = {
            "LD_PRELOAD": library.stdout.strip(),
            "FAKETIME_TIMESTAMP_FILE": str(file),
            "FAKETIME_NO_CACHE": "1",
            # Setting a machine's time does not change its monotonic clock.
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }

    def set(self, seconds: int) -> None:
        self.file.write_text(f"{seconds:+d}\n")


@pytest.mark.parametrize(
    ("at_first", "later"),
    [(HOUR, HOUR), (-DAY, -DAY), (0, -HOUR), (0, 2 * DAY)],
    ids=["an hour ahead", "a day behind", "jumps back", "jumps ahead"],
)
async def test_attempts_are_neither_early_nor_late_nor_stolen(
    client: Client,
    owner: Tx,
    database: Database,
    receiver: Receiver,
    clock: Clock,
    start_worker: StartWorker,
    at_first: int,
    later: int,
) -> None:
    async with receiving() as slow, sending(database) as rival:
        webhook, slow_webhook = await connect(client, receiver), await connect(client, slow)
        receiver.status = 500
        clock.set(at_first)
        worker = start_worker(**clock.environment)
        await send_test(client, webhook)
        await receiver.until_received(1, START_SECONDS)

        # The worker does not take over an attempt that another sender has in progress.
        worker.send_signal(signal.SIGSTOP)
        await send_test(client, slow_webhook)
        async with attempt_under_way(rival, slow):
            worker.send_signal(signal.SIGCONT)
            clock.set(later)
            await asyncio.sleep(5)
            assert len(slow.received) == 1
        delivery = await delivery_of(client, slow_webhook)
        assert (delivery["status"], len(delivery["attempts"])) == ("delivered", 1)

        # The signature's timestamp and the time of the next attempt are correct, and no attempt was early.
        request = receiver.received[0]
        assert abs(request.signed_at - request.at.timestamp()) < 2
        verify(webhook["secret"], request.headers["service-signature"], request.body, time.time(), 30)
        delivery = await delivery_of(client, webhook)
        wait = datetime.fromisoformat(delivery["nextAttemptAt"]) - request.at
        assert timedelta(minutes=5) - timedelta(seconds=1) < wait < timedelta(minutes=5) + LATE
        assert len(receiver.received) == 1

        # The delivery is sent when it is due.
        receiver.status = 200
        due = await database_time(owner) + timedelta(seconds=2)
        sql = "update deliveries set next_attempt_at = %(due)s where status = 'pending'"
        await owner.execute(sql, due=due)
        await receiver.until_received(2)
        request = receiver.received[1]
        assert due <= request.at < due + LATE
        assert abs(request.signed_at - request.at.timestamp()) < 2

        # No sender takes over the worker's own attempt in progress when the worker's clock jumps.
        clock.set(at_first)
        slow.hold()
        await send_test(client, slow_webhook)
        await slow.until_received(2)
        clock.set(later)
        async with at_work(rival):
            await asyncio.sleep(5)
            assert len(slow.received) == 2
            slow.release()
            await until(lambda: nothing_waits(owner), 10)
    assert [request.attempt for request in slow.received] == [1, 1]
    newest = (await deliveries_of(client, slow_webhook))[0]
    assert (newest["status"], len(newest["attempts"])) == ("delivered", 1)
    assert 5_000 <= newest["attempts"][0]["durationMs"] < 10_000

"""Fixtures for the fault tests: receivers, and worker processes on the tests' database."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack

import pytest

from instep.platform.core.database import Tx
from tests.support.installation import Process, installed
from tests.support.limits import SetSetting
from tests.support.webhook_receiver import Receiver, receiving
from tests.support.workers import StartWorker

Tell = Callable[[str], None]

ALLOW = "127.0.0.0/8"


@pytest.fixture
def allow_this_machine(set_setting: SetSetting) -> None:
    set_setting("INSTEP_WEBHOOK_ALLOW", ALLOW)


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as receiver:
        yield receiver


@pytest.fixture
async def start_worker(database_url: str, owner: Tx, allow_this_machine: None) -> AsyncIterator[StartWorker]:
    """Start worker processes on the tests' database that don't deliver anything from other tests."""
    await owner.execute("delete from webhook_endpoints")
    with ExitStack() as opened:

        def start(**environment: str) -> Process:
            shared = {
                "INSTEP_DATABASE_URL": database_url,
                "INSTEP_DATABASE_POOL": "4",
                "INSTEP_WEBHOOK_ALLOW": ALLOW,
                "INSTEP_SECRET_KEY": os.environ["INSTEP_SECRET_KEY"],
            }
            return opened.enter_context(installed(**shared, **environment)).start("worker")

        yield start
    await owner.execute("delete from webhook_endpoints")


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Tell:
    """Print figures even if the test passes."""

    def tell_figures(text: str) -> None:
        with capsys.disabled():
            print(f"\n{text}")

    return tell_figures

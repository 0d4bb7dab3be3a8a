"""Parts shared by the tests of webhooks."""

from collections.abc import AsyncIterator, Callable
from functools import partial

import pytest

from instep.notifications.webhooks.sender import Sender
from instep.platform.core.database import Database, Tx
from tests.support.cast import Client, Json
from tests.support.deliveries import connect, sending
from tests.support.limits import SetSetting
from tests.support.webhook_receiver import Receiver, receiving

Allow = Callable[[str], None]


@pytest.fixture
def allow(set_setting: SetSetting) -> Allow:
    """Set the operator's allow-list for this test."""
    return partial(set_setting, "INSTEP_WEBHOOK_ALLOW")


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with receiving() as opened_receiver:
        yield opened_receiver


@pytest.fixture
async def sender(database: Database, owner: Tx, allow: Allow) -> AsyncIterator[Sender]:
    """One that may call this machine; what other tests have left to deliver is gone."""
    allow("127.0.0.0/8")
    await owner.execute("delete from webhook_endpoints")
    async with sending(database) as opened_sender:
        yield opened_sender


@pytest.fixture
async def webhook(client: Client, receiver: Receiver, sender: Sender) -> Json:
    """An endpoint of Acme that leads to the receiver, and the only one."""
    return await connect(client, receiver)

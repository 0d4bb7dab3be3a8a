"""Fixtures of the webhook tests."""

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
    """A sender that may call this machine, without deliveries left over from other tests."""
    allow("127.0.0.0/8")
    await owner.execute("delete from webhook_endpoints")
    async with sending(database) as opened_sender:
        yield opened_sender


@pytest.fixture
async def webhook(client: Client, receiver: Receiver, sender: Sender) -> Json:
    """Acme's only endpoint, which points to the receiver."""
    return await connect(client, receiver)

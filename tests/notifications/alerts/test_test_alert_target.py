"""A test message goes to one channel, whatever kinds it receives, and its outcome is shown."""

import pytest

from instep.notifications.alerts import actions
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InsufficientScope, NotFound
from tests.notifications.alerts.chat import Chat, Nearby
from tests.support.alert_targets import ADDRESSES, VISITOR, acting, add_target, listed, send_due
from tests.support.cast import Cast


async def test_alert_arrives_at_its_target_only(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby
) -> None:
    other = await add_target(database, cast.acme, ADDRESSES["discord"])
    target = await add_target(database, cast.acme, ADDRESSES["slack"], ["lead"])

    async with acting(database, cast.acme) as ctx:
        assert (await actions.test_alert_target(ctx, target.id)).id == target.id
    await send_due(database, nearby)

    [request] = chat.posted
    assert request.host == "hooks.slack.com"
    assert request.json["attachments"][0]["title"] == "Test alert"
    assert request.json["attachments"][0]["text"] == "Alerts of Acme arrive here."
    statuses = {row.id: row.status for row in await listed(database, cast.acme)}
    assert statuses == {other.id: "untried", target.id: "working"}


async def test_alert_needs_a_target_and_the_right_to_write(database: Database, cast: Cast, owner: Tx) -> None:
    target = await add_target(database, cast.acme)

    async with acting(database, cast.acme) as ctx:
        with pytest.raises(NotFound):
            await actions.test_alert_target(ctx, "alt_nothing")
    async with acting(database, cast.acme, VISITOR) as ctx:
        with pytest.raises(InsufficientScope):
            await actions.test_alert_target(ctx, target.id)

    assert await owner.value("select count(*) from jobs") == 0

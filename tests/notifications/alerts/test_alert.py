"""An alert is queued in the transaction of the change it reports."""

from contextlib import suppress

from instep.notifications.alerts import actions
from instep.platform.core.database import Database, Tx
from tests.notifications.alerts.chat import Chat, Nearby
from tests.support.alert_targets import VISITOR, acting, add_target, only_target, send_due, tell
from tests.support.cast import Cast
from tests.support.limits import SetLimit


class Undone(Exception):
    """Rolls the change back."""


async def count_jobs(owner: Tx) -> int:
    number: int = await owner.value("select count(*) from jobs")
    return number


async def test_without_a_matching_target_no_alert_is_queued(
    database: Database, cast: Cast, owner: Tx
) -> None:
    await add_target(database, cast.acme, kinds=["lead"])
    await add_target(database, cast.globex)

    await tell(database, cast.acme, kind="handoff")

    assert await count_jobs(owner) == 0


async def test_each_target_has_a_job_of_its_own(database: Database, cast: Cast, owner: Tx) -> None:
    targets = [await add_target(database, cast.acme) for _ in range(3)]

    await tell(database, cast.acme)

    target_ids = await owner.value(
        "select array_agg(payload->>'target' order by payload->>'target') from jobs"
    )
    assert target_ids == sorted(target.id for target in targets)


async def test_alert_of_a_transaction_that_fails_is_not_sent(
    database: Database, cast: Cast, owner: Tx
) -> None:
    await add_target(database, cast.acme)

    with suppress(Undone):
        async with acting(database, cast.acme, VISITOR) as ctx:
            await actions.alert(ctx, "lead", "A lead", ["jane@example.com"], None)
            assert await ctx.tx.value("select count(*) from jobs") == 1
            raise Undone

    assert await count_jobs(owner) == 0


async def test_no_text_of_a_visitor_makes_the_change_fail(database: Database, cast: Cast, owner: Tx) -> None:
    await add_target(database, cast.acme)

    await tell(database, cast.acme, "\0\ud800", ["a\0b", "\udfff", "x" * 1_000_000], "https://\ud800\0/")

    assert await count_jobs(owner) == 1


async def test_a_message_without_words_still_arrives(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby
) -> None:
    await add_target(database, cast.acme)
    await tell(database, cast.acme, "A lead", [], None)
    await tell(database, cast.acme, "", ["\0"], None)

    await send_due(database, nearby)

    assert len(chat.posted) == 2
    assert (await only_target(database, cast.acme)).status == "working"


async def test_a_bot_sends_so_many_alerts_in_an_hour(
    database: Database, cast: Cast, owner: Tx, set_limit: SetLimit
) -> None:
    set_limit("ALERTS_PER_HOUR", 2)
    for company in (cast.acme, cast.globex):
        await add_target(database, company)

    for _ in range(3):
        await tell(database, cast.acme)
    await tell(database, cast.globex)

    workspace_ids = await owner.value("select array_agg(workspace_id order by id) from jobs")
    assert workspace_ids == [cast.acme.workspace_id] * 2 + [cast.globex.workspace_id]

"""A failing replica is not used for a while, and its readers may retry."""

from collections.abc import AsyncIterator

import pytest

from instep.platform.core.errors import Unavailable
from instep.platform.core.replica import Replica
from instep.platform.identity.queries import ENTER_BOT
from instep.platform.identity.schemas import BotStamp
from tests.support.cast import Cast

# The error of a standby for a statement that conflicts with its replay (PostgreSQL, 27.4.2).
CONFLICT_WITH_RECOVERY = """
    do $$ begin
      raise exception 'canceling statement due to conflict with recovery' using errcode = '40001';
    end $$
"""


@pytest.fixture
async def replica(database_url: str, cast: Cast) -> AsyncIterator[Replica]:
    replica = Replica(database_url, 2)
    await replica.database.open()
    yield replica
    await replica.database.close()


async def stamp_of(replica: Replica, slug: str) -> BotStamp:
    async with replica.database.enter(BotStamp, ENTER_BOT, slug=slug) as (stamp, _):
        assert stamp is not None
        return stamp


async def run_at(replica: Replica, stamp: BotStamp, slug: str, statement: str) -> None:
    async with replica.enter(stamp, ENTER_BOT, slug=slug) as tx:
        assert tx is not None
        await tx.execute(statement)


async def test_query_that_conflicts_with_recovery_may_try_again_elsewhere(
    replica: Replica, cast: Cast
) -> None:
    stamp = await stamp_of(replica, cast.acme.slug)

    with pytest.raises(Unavailable):
        await run_at(replica, stamp, cast.acme.slug, CONFLICT_WITH_RECOVERY)

    async with replica.enter(stamp, ENTER_BOT, slug=cast.acme.slug) as tx:
        assert tx is None


async def test_replica_is_not_read_for_another_company(replica: Replica, cast: Cast) -> None:
    stamp = await stamp_of(replica, cast.acme.slug)

    async with replica.enter(stamp, ENTER_BOT, slug=cast.globex.slug) as tx:
        assert tx is None

"""A removed channel receives nothing more."""

import asyncio

import pytest

from instep.notifications.alerts import actions
from instep.notifications.alerts.schemas import AlertTarget
from instep.platform.core.database import Database
from instep.platform.core.errors import NotFound
from tests.support.alert_targets import acting, add_target, listed
from tests.support.cast import Cast, Company


async def remove(database: Database, company: Company, target_id: str) -> AlertTarget:
    async with acting(database, company) as ctx:
        return await actions.remove_alert_target(ctx, target_id)


async def test_removed_target_leaves_the_list(database: Database, cast: Cast) -> None:
    removed_target, other_target = [await add_target(database, cast.acme) for _ in range(2)]

    assert await remove(database, cast.acme, removed_target.id) == removed_target

    assert [target.id for target in await listed(database, cast.acme)] == [other_target.id]


async def test_two_parallel_removals_succeed_once(database: Database, cast: Cast) -> None:
    target = await add_target(database, cast.acme)

    results = await asyncio.gather(
        *(remove(database, cast.acme, target.id) for _ in range(2)), return_exceptions=True
    )

    assert sorted(type(result).__name__ for result in results) == ["AlertTarget", "NotFound"]


@pytest.mark.parametrize("unknown", ["alt_nothing", "", "x" * 10_000])
async def test_unknown_target_is_not_found(database: Database, cast: Cast, unknown: str) -> None:
    with pytest.raises(NotFound):
        await remove(database, cast.acme, unknown)


async def test_another_company_finds_none_of_it(database: Database, cast: Cast) -> None:
    target = await add_target(database, cast.acme)

    with pytest.raises(NotFound):
        await remove(database, cast.globex, target.id)
    async with acting(database, cast.globex) as ctx:
        with pytest.raises(NotFound):
            await actions.test_alert_target(ctx, target.id)

    assert len(await listed(database, cast.acme)) == 1
    assert await listed(database, cast.globex) == []

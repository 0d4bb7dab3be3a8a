"""Lists a bot's channels, oldest first, and no one else's."""

from instep.platform.core.database import Database
from tests.support.alert_targets import ADDRESSES, TOKENS, add_target, listed
from tests.support.cast import Cast


async def test_targets_have_the_order_in_which_they_were_added(database: Database, cast: Cast) -> None:
    targets = [await add_target(database, cast.acme, address) for address in ADDRESSES.values()]

    assert [target.id for target in await listed(database, cast.acme)] == [target.id for target in targets]


async def test_no_secret_is_among_what_is_shown(database: Database, cast: Cast) -> None:
    for address in ADDRESSES.values():
        await add_target(database, cast.acme, address)

    output = "".join(target.model_dump_json() for target in await listed(database, cast.acme))

    for token in TOKENS.values():
        assert token[:-4] not in output
    assert "B0BBBBBBB" not in output
    assert "123456789012345678" not in output


async def test_another_company_sees_none(database: Database, cast: Cast) -> None:
    await add_target(database, cast.acme)

    assert await listed(database, cast.globex) == []

"""A new secret key: nothing is lost while the old one is listed, and it can be dropped after rotation."""

import json
from collections.abc import AsyncIterator

import pytest

from instep.cli.admin_session import operator_ctx
from instep.operations.ops.rotation import BATCH_ROWS, SEALED_TABLES, next_batch, open_secret
from instep.platform.core.config import settings
from instep.platform.core.crypto import KeyRing, key_ring
from instep.platform.core.database import Database, Tx
from instep.platform.core.paging import InvalidCursor, Order, PageRequest
from instep.visitors.answers.visitor_tokens import visitor_secret
from tests.support.alert_targets import add_target
from tests.support.cast import Api, Cast, Json
from tests.support.commands import Operator
from tests.support.connected_repositories import store_repository
from tests.support.limits import SetSetting
from tests.support.second_factors import add_authenticator
from tests.support.setting_models import give_model
from tests.support.sign_in import sign_up
from tests.support.webhook_endpoints import create_webhook

NEW = "the key that this installation has from now on"
ROTATED = {"INSTEP_SECRET_KEY": NEW, "INSTEP_SECRET_KEY_PREVIOUS": f" {'x' * 40}, {settings().secret_key} "}


@pytest.fixture
async def secrets(api: Api, cast: Cast, database: Database, owner: Tx) -> AsyncIterator[None]:
    """Create one secret of each kind; the database has no others."""
    await delete_secrets(owner)
    await create_webhook(api(cast.acme.write_key))
    await add_target(database, cast.acme)
    await give_model(database, cast.acme)
    await store_repository(database, cast.acme)
    await add_authenticator(owner, await sign_up(owner, cast.acme.workspace_id))
    await visitor_secret(await operator_ctx(owner, cast.acme.workspace_id, str(cast.acme.bot_id)))
    yield
    await delete_secrets(owner)


async def delete_secrets(owner: Tx) -> None:
    for table in ("repositories", *SEALED_TABLES):
        await owner.execute(f"delete from {table}")


async def plain_texts(owner: Tx, keys: KeyRing) -> dict[str, list[str | None]]:
    return {
        table: [open_secret(keys, table, secret) for secret in await next_batch(owner, table, "")]
        for table in SEALED_TABLES
    }


async def doctors_secrets(operator: Operator, **environment: str) -> tuple[Json, str]:
    """The doctor's counts of secrets and the problems it found."""
    report = json.loads((await operator.run("doctor", "--json", **environment)).out)
    return report["secrets"], " ".join(report["problems"])


async def test_after_rotating_the_new_key_alone_opens_everything(
    operator: Operator, owner: Tx, secrets: None
) -> None:
    before = await plain_texts(owner, key_ring())

    rotation = await operator.json("secrets", "rotate", **ROTATED)

    assert rotation == {"resealed": 6, "alreadyCurrent": 0, "unreadable": 0}
    assert await plain_texts(owner, KeyRing(NEW.encode())) == before
    assert all(texts and None not in texts for texts in before.values())
    again = await operator.json("secrets", "rotate", INSTEP_SECRET_KEY=NEW)
    assert again == {"resealed": 0, "alreadyCurrent": 6, "unreadable": 0}


async def test_without_the_old_key_nothing_is_touched_and_it_says_so(
    operator: Operator, owner: Tx, secrets: None
) -> None:
    before = await plain_texts(owner, key_ring())

    result = await operator.run("secrets", "rotate", INSTEP_SECRET_KEY=NEW)

    assert result.code == 1
    assert "6 can't be read" in result.out
    assert await plain_texts(owner, key_ring()) == before


async def test_more_secrets_than_a_batch_are_all_sealed_anew(
    operator: Operator, cast: Cast, owner: Tx, secrets: None
) -> None:
    keys = key_ring()
    for number in range(BATCH_ROWS + 1):
        place = ("alert_targets", "sealed", cast.acme.workspace_id, f"alt_{number}")
        await owner.execute(
            """
            insert into alert_targets
                (id, workspace_id, bot_id, tool, host, last_four, sealed, alerts, created_at)
            select %(id)s, workspace_id, bot_id, tool, host, last_four, %(sealed)s, alerts, created_at
            from alert_targets limit 1
            """,
            id=f"alt_{number}",
            sealed=keys.seal("https://example.com", *place),
        )

    assert (await operator.json("secrets", "rotate", **ROTATED))["resealed"] == BATCH_ROWS + 7


async def test_the_doctor_counts_secrets_by_their_keys(operator: Operator, secrets: None) -> None:
    counts, problems = await doctors_secrets(operator, **ROTATED)
    assert counts == {"current": 0, "previous": 6, "unreadable": 0}
    assert "6 secrets are" in problems

    counts, problems = await doctors_secrets(operator, INSTEP_SECRET_KEY=NEW)
    assert counts == {"current": 0, "previous": 0, "unreadable": 6}
    assert "INSTEP_SECRET_KEY_PREVIOUS" in problems

    counts, problems = await doctors_secrets(operator)
    assert counts == {"current": 6, "previous": 0, "unreadable": 0}
    assert "secret" not in problems


async def test_every_sealed_column_is_rotated(owner: Tx) -> None:
    tables = await owner.value(
        """
        select array_agg(table_name::text) from information_schema.columns
        where table_schema = 'public' and column_name = 'sealed'
        """
    )
    assert set(tables) == SEALED_TABLES.keys()


async def test_a_cursor_of_the_old_key_is_good_while_it_is_listed(set_setting: SetSetting) -> None:
    order, old = Order(("id",), descending=False), str(settings().secret_key).encode()
    cursor = PageRequest(old, 1).page(order, "articles").page_of([1, 2], lambda row: (row,)).next_cursor
    with pytest.raises(InvalidCursor):
        PageRequest(NEW.encode(), 1, cursor).page(order, "articles")

    for name, value in ROTATED.items():
        set_setting(name, value)

    assert PageRequest(NEW.encode(), 1, cursor).page(order, "articles").after == (1,)


async def test_a_short_previous_key_is_refused(operator: Operator) -> None:
    line = await operator.refused("doctor", INSTEP_SECRET_KEY_PREVIOUS=f"{'x' * 40},short")
    assert "INSTEP_SECRET_KEY_PREVIOUS" in line
    assert "32 characters" in line

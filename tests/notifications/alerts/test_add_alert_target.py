"""An alert target's URL is recognized, encrypted and never shown again."""

import asyncio
from typing import Any

import pytest

from instep.notifications.alerts import actions
from instep.notifications.alerts.schemas import AlertTargetOut, Tool
from instep.platform.core.crypto import Unreadable, key_ring
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import InsufficientScope, InvalidState, InvalidValue, PlanInactive
from tests.support.alert_targets import ADDRESSES, TOKENS, VISITOR, acting, add_target, listed
from tests.support.cast import Cast
from tests.support.limits import SetSetting

SHOWN = {
    "slack": "https://hooks.slack.com/…4bcd",
    "discord": "https://discord.com/…efgh",
    "teams": "https://prod-12.westeurope.logic.azure.com/…ijkl",
    "mattermost": "https://chat.example.com/…smno",
}


@pytest.mark.parametrize("tool", list(ADDRESSES))
async def test_target_shows_its_channel_but_not_its_secret(
    database: Database, cast: Cast, tool: Tool
) -> None:
    target = AlertTargetOut.of(await add_target(database, cast.acme, ADDRESSES[tool], ["lead"]))

    assert target.model_dump(exclude={"id", "created_at"}) == {
        "bot_id": str(cast.acme.bot_id),
        "tool": tool,
        "address": SHOWN[tool],
        "alerts": ["lead"],
        "status": "untried",
        "last_error": None,
        "sent_at": None,
    }
    assert await listed(database, cast.acme) == [target]


async def test_the_address_is_sealed_for_its_own_row(database: Database, cast: Cast, owner: Tx) -> None:
    targets = [await add_target(database, cast.acme) for _ in range(2)]

    rows: list[Any] = await owner.value(
        "select array_agg(sealed order by id) from alert_targets where bot_id = %(bot)s", bot=cast.acme.bot_id
    )

    places = [
        ("alert_targets", "sealed", cast.acme.workspace_id, target.id)
        for target in sorted(targets, key=lambda target: target.id)
    ]
    for sealed, place in zip(rows, places, strict=True):
        assert TOKENS["slack"].encode() not in sealed
        assert key_ring().open(sealed, *place) == ADDRESSES["slack"]
    with pytest.raises(Unreadable):
        key_ring().open(rows[0], *places[1])


async def test_target_accepts_one_kind_of_alert_or_both(database: Database, cast: Cast) -> None:
    for kinds, stored_kinds in (
        (["handoff"], ["handoff"]),
        (["lead", "handoff", "lead"], ["handoff", "lead"]),
    ):
        assert (await add_target(database, cast.acme, kinds=kinds)).alerts == stored_kinds

    for wrong in ([], ["*"], ["lead", "article.published"]):
        with pytest.raises(InvalidValue, match="handoff, lead"):
            await add_target(database, cast.acme, kinds=wrong)


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("https://example.com/", "hooks.slack.com"),
        ("https://chat.local/hooks/secrettokensecrettokensmno", "public domain"),
        ("https://127.0.0.1/hooks/secrettokensecrettokensmno", "not a public address"),
        ("https://169.254.169.254/hooks/secrettokensecrettokensmno", "not a public address"),
        ("x" * 3_000, "2000 characters"),
    ],
)
async def test_other_addresses_are_refused_with_a_sentence_that_helps(
    database: Database, cast: Cast, address: str, words: str
) -> None:
    with pytest.raises(InvalidValue, match=words) as refusal:
        await add_target(database, cast.acme, address)

    assert [field for field, _ in refusal.value.details] == ["url"]
    assert "secrettoken" not in refusal.value.message
    assert await listed(database, cast.acme) == []


async def test_an_operator_may_open_a_host(database: Database, cast: Cast, set_setting: SetSetting) -> None:
    set_setting("INSTEP_WEBHOOK_ALLOW", "chat.local")

    target = await add_target(database, cast.acme, "https://chat.local/hooks/secrettokensecrettokensmno")

    assert target.host == "chat.local"


async def test_a_bot_has_ten_at_most(database: Database, cast: Cast) -> None:
    results = await asyncio.gather(
        *(add_target(database, cast.acme) for _ in range(13)), return_exceptions=True
    )

    refusals = [result for result in results if isinstance(result, BaseException)]
    assert [type(refusal) for refusal in refusals] == [InvalidState] * 3
    assert len(await listed(database, cast.acme)) == 10
    await add_target(database, cast.globex)


async def test_reader_cant_add_a_target(database: Database, cast: Cast) -> None:
    async with acting(database, cast.acme, VISITOR) as ctx:
        with pytest.raises(InsufficientScope):
            await actions.add_alert_target(ctx, ADDRESSES["slack"], ["lead"])


async def test_a_paused_workspace_adds_none(database: Database, cast: Cast, owner: Tx) -> None:
    await owner.execute(
        "update workspaces set paused_at = now() where id = %(id)s", id=cast.acme.workspace_id
    )

    with pytest.raises(PlanInactive):
        await add_target(database, cast.acme)

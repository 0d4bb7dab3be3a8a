"""An owner's model settings are stored, with the key sealed; invalid ones are refused and change nothing."""

from typing import Any

import pytest

from instep.accounts.language_model.actions import show_model, unset_model
from instep.accounts.language_model.schemas import LanguageModelOut
from instep.platform.core.crypto import key_ring
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import AppError, InvalidValue, NotFound
from tests.support.articles import acting
from tests.support.cast import Cast, Company
from tests.support.limits import SetSetting
from tests.support.model_endpoint import KEY
from tests.support.setting_models import LOOPBACK, give_model

ENTRIES = "select actor_name, action, resource from audit_entries where bot_id = %(bot)s order by id"


async def shown(database: Database, company: Company) -> LanguageModelOut:
    async with acting(database, company) as ctx:
        return await show_model(ctx)


async def test_a_key_is_sealed_and_known_by_its_end(database: Database, cast: Cast, owner: Tx) -> None:
    changed = await give_model(database, cast.acme, tokens_per_day=500_000)

    model = await shown(database, cast.acme)
    assert (model.source, model.provider, model.model) == ("bot", "openai", "gpt-9")
    assert (model.key, model.tokens_per_day) == (f"…{KEY[-4:]}", 500_000)
    assert changed == "provider, model, tokens_per_day, key"
    row = "select sealed from language_models where bot_id = %(bot)s"
    sealed = await owner.value(row, bot=cast.acme.bot_id)
    assert KEY.encode() not in sealed
    place = ("language_models", "sealed", cast.acme.workspace_id, str(cast.acme.bot_id))
    assert key_ring().open(sealed, *place) == KEY
    whole = await owner.value(
        "select language_models::text from language_models where bot_id = %(bot)s", bot=cast.acme.bot_id
    )
    assert KEY not in whole


async def test_the_audit_names_fields_and_never_the_key(database: Database, cast: Cast, owner: Tx) -> None:
    await give_model(database, cast.acme)
    await give_model(database, cast.acme, "sk-another-key-000001", purposes=["answers"])
    await give_model(database, cast.acme, None, purposes=["answers"])

    entries = await owner.value(f"select json_agg(e) from ({ENTRIES}) e", bot=cast.acme.bot_id)
    assert [entry["action"] for entry in entries] == ["set_model"] * 3
    assert [entry["resource"] for entry in entries] == ["provider, model, key", "purposes, key", "nothing"]
    assert KEY not in str(entries)


async def test_a_short_key_is_not_shown_at_all(database: Database, cast: Cast) -> None:
    await give_model(database, cast.acme, "ollama")

    assert (await shown(database, cast.acme)).key == "…****"


async def test_without_a_new_key_the_old_one_stays(database: Database, cast: Cast) -> None:
    await give_model(database, cast.acme)
    await give_model(database, cast.acme, None, model="gpt-10")

    model = await shown(database, cast.acme)
    assert (model.model, model.key) == ("gpt-10", f"…{KEY[-4:]}")


async def test_a_key_is_sent_only_to_the_address_that_it_was_entered_for(
    database: Database, cast: Cast
) -> None:
    await give_model(database, cast.acme)
    await give_model(database, cast.acme, None, base_url="https://elsewhere.example.com/v1")

    assert (await shown(database, cast.acme)).key is None


async def test_moving_to_another_provider_needs_its_key(database: Database, cast: Cast) -> None:
    await give_model(database, cast.acme)

    with pytest.raises(InvalidValue, match="key"):
        await give_model(database, cast.acme, None, provider="anthropic")

    assert (await shown(database, cast.acme)).provider == "openai"


@pytest.mark.parametrize(
    ("key", "changes", "named"),
    [
        (None, {}, "key"),
        ("two words", {}, "key"),
        ("line\nbreak", {}, "key"),
        ("k" * 1_001, {}, "key"),
        (KEY, {"provider": "gemini"}, "provider"),
        (KEY, {"provider": None}, "provider"),
        (KEY, {"model": None}, "model"),
        (KEY, {"model": "two words"}, "model"),
        (KEY, {"reader_model": "two words"}, "reader model"),
        (KEY, {"base_url": "ftp://example.com"}, "address"),
        (KEY, {"base_url": "http://example.com/v1"}, "address"),
        (KEY, {"base_url": "https://example.com/v1?key=1"}, "address"),
        (KEY, {"base_url": "https://127.0.0.1/v1"}, "INSTEP_MODEL_ALLOW"),
        (KEY, {"base_url": "https://localhost:11434/v1"}, "INSTEP_MODEL_ALLOW"),
        (KEY, {"base_url": "https://10.0.0.8/v1"}, "INSTEP_MODEL_ALLOW"),
        (KEY, {"base_url": "https://[::1]:11434/v1"}, "INSTEP_MODEL_ALLOW"),
        (KEY, {"base_url": "https://169.254.169.254/v1"}, "can't be allowed"),
        (KEY, {"purposes": ["spying"]}, "purposes"),
        (KEY, {"tokens_per_day": -1}, "tokens per day"),
        (KEY, {"tokens_per_task": 10}, "tokens per task"),
        (KEY, {"input_price": 10**13}, "input price"),
        (KEY, {"cost_per_day": 5}, "prices"),
    ],
)
async def test_invalid_model_settings_are_refused(
    database: Database, cast: Cast, key: str | None, changes: dict[str, Any], named: str
) -> None:
    with pytest.raises(AppError) as refusal:
        await give_model(database, cast.acme, key, **changes)

    assert named in refusal.value.message
    assert (await shown(database, cast.acme)).source == "none"


async def test_a_metadata_service_stays_closed_although_its_network_is_allowed(
    database: Database, cast: Cast, set_setting: SetSetting
) -> None:
    set_setting("INSTEP_MODEL_ALLOW", "169.254.0.0/16")

    with pytest.raises(InvalidValue, match="can't be allowed"):
        await give_model(database, cast.acme, base_url="http://169.254.169.254/v1")


async def test_an_address_that_the_operator_allows_needs_neither_tls_nor_a_key(
    database: Database, cast: Cast, set_setting: SetSetting
) -> None:
    set_setting(*LOOPBACK)
    await give_model(database, cast.acme, None, base_url="http://127.0.0.1:11434/v1")

    model = await shown(database, cast.acme)
    assert (model.base_url, model.key) == ("http://127.0.0.1:11434/v1", None)


async def test_unset_it_is_the_installations_again(
    database: Database, cast: Cast, owner: Tx, set_setting: SetSetting
) -> None:
    set_setting("OPENAI_API_KEY", KEY)
    set_setting("INSTEP_MODEL", "openai:gpt-8")
    await give_model(database, cast.acme)

    async with acting(database, cast.acme) as ctx:
        await unset_model(ctx)
    model = await shown(database, cast.acme)

    assert (model.source, model.model, model.key) == ("installation", "openai:gpt-8", None)
    with pytest.raises(NotFound):
        async with acting(database, cast.acme) as ctx:
            await unset_model(ctx)
    count = "select count(*) from language_models where bot_id = %(bot)s"
    assert await owner.value(count, bot=cast.acme.bot_id) == 0


async def test_each_company_sees_its_own_alone(database: Database, cast: Cast) -> None:
    await give_model(database, cast.acme)

    assert (await shown(database, cast.globex)).source == "none"

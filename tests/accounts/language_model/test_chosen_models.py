"""The model that a bot calls, the limits on its use, and the records kept of it."""

from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from fastapi import FastAPI

from instep.accounts.language_model.choosing import ChosenModel, LanguageModels
from instep.accounts.language_model.queries import find_setting
from instep.drafting.tasks.jobs import give_up, run_task
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import Job
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.llm.budget import Purpose
from instep.platform.llm.client import HttpModel
from instep.platform.llm.protocol import CompletionError, Prompt
from instep.runtime import worker_of
from tests.support.budgets import task_ctx
from tests.support.cast import Api, Cast, Company
from tests.support.changes import get, publish, send, write, write_articles
from tests.support.limits import SetSetting
from tests.support.model_endpoint import INPUT, KEY, OUTPUT, errs, says
from tests.support.questions import RESET, ask
from tests.support.scripted_model import Scripted, replying
from tests.support.setting_models import LOOPBACK, give_model, with_model

PROMPT = Prompt("Do it.", "data", {"type": "object"}, 500)
NO_EDITS = says({"edits": []})


@pytest.fixture(autouse=True)
def loopback(set_setting: SetSetting) -> None:
    set_setting(*LOOPBACK)


async def choose(
    database: Database, company: Company, purpose: Purpose = "drafts", work_id: str | None = None
) -> ChosenModel | None:
    return await LanguageModels().choose(partial(task_ctx, database, company), purpose, work_id)


async def chosen(database: Database, company: Company, **how: Any) -> ChosenModel:
    model = await choose(database, company, **how)
    assert model is not None
    return model


async def run(database: Database, default: Scripted | None = None) -> None:
    await worker_of(database, OutboundClient(AllowList()), default).run_due()


async def test_a_bot_asks_the_model_of_its_owner_and_others_the_installations(
    api: Api, cast: Cast, database: Database
) -> None:
    default = Scripted(lambda data: {"edits": []})
    async with with_model(database, cast.acme, NO_EDITS) as behind:
        for company in (cast.acme, cast.globex):
            await write_articles(api(company.write_key))
            await send(api(company.write_key))
        await run(database, default)

    assert [asked.body["model"] for asked in behind.asked] == ["gpt-9"]
    assert f"Authorization: Bearer {KEY}" in behind.asked[0].head.split("\r\n")
    assert len(default.prompts) == 1


async def test_a_task_says_what_it_has_asked(api: Api, cast: Cast, database: Database) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    async with with_model(database, cast.acme, NO_EDITS):
        before = await send(client)
        await run(database)
    after = await get(client, f"tasks/{before['id']}")

    assert before["model"] is None
    model = {"name": "openai:gpt-9", "inputTokens": INPUT, "outputTokens": OUTPUT, "calls": 1}
    assert after["model"] == model


async def test_a_task_without_a_model_says_none(api: Api, cast: Cast, database: Database) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    task = await send(client)
    await run(database)

    assert (await get(client, f"tasks/{task['id']}"))["model"] is None


async def test_a_failed_question_counts_too(api: Api, cast: Cast, database: Database) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    async with with_model(database, cast.acme, errs(401)):
        task = await send(client)
        await run(database)
    after = await get(client, f"tasks/{task['id']}")

    assert after["outcome"] == "drafts"
    assert after["model"] == {"name": "openai:gpt-9", "inputTokens": 0, "outputTokens": 0, "calls": 1}
    assert "key (401)" in after["summary"]


async def test_a_task_that_begins_again_pays_for_no_question_twice(
    api: Api, cast: Cast, database: Database, owner: Tx, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    await write_articles(client)
    async with with_model(database, cast.acme, NO_EDITS) as behind:
        task = await send(client)
        job = Job(1, "run_task", await owner.value("select payload from jobs"), 1)

        async def die(*arguments: object, **named: object) -> None:
            raise SystemExit

        with monkeypatch.context() as patch:
            patch.setattr("instep.drafting.tasks.jobs.write_report", die)
            with pytest.raises(SystemExit):
                await run_task(database, job, LanguageModels())
        await run_task(database, job, LanguageModels())
    after = await get(client, f"tasks/{task['id']}")

    assert len(behind.asked) == 1
    assert (after["status"], after["model"]["calls"]) == ("completed", 1)
    count = "select count(*) from model_prompts where bot_id = %(bot)s"
    assert await owner.value(count, bot=cast.acme.bot_id) == 0


async def test_a_task_that_is_given_up_says_what_it_has_asked(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    task = await send(client)
    async with with_model(database, cast.acme, says("{}")):
        model = (await chosen(database, cast.acme, work_id=task["id"])).model
        await model.complete(PROMPT)
    await give_up(database, Job(1, "run_task", await owner.value("select payload from jobs"), 3))

    after = await get(client, f"tasks/{task['id']}")
    assert (after["status"], after["model"]["inputTokens"]) == ("failed", INPUT)


async def test_a_purpose_that_is_switched_off_asks_nothing(
    api: Api, cast: Cast, database: Database, app: FastAPI
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Reset your password", RESET)
    async with with_model(database, cast.acme, says("{}"), purposes=["answers"]) as behind:
        await send(client)
        await write(client)
        await run(database)
        assert behind.asked == []
        await ask(api(None), cast.acme, "How do I reset my password?")
        assert len(behind.asked) == 1

    assert await choose(database, cast.acme, "new_articles") is None


async def test_visitors_answers_come_from_the_model_of_the_bot(
    api: Api, cast: Cast, database: Database
) -> None:
    await publish(api(cast.acme.write_key), "Reset your password", RESET)
    reply = replying(("You can change your password at any time.", 1))("")
    async with with_model(database, cast.acme, says(reply)) as behind:
        await ask(api(None), cast.acme, "How do I reset my password?")

    assert len(behind.asked) == 1


async def test_first_readings_go_to_the_cheaper_model(database: Database, cast: Cast) -> None:
    async with with_model(database, cast.acme, says("{}"), reader_model="gpt-9-small") as behind:
        both = await chosen(database, cast.acme)
        await both.reader.complete(PROMPT)
        await both.model.complete(PROMPT)

    assert [asked.body["model"] for asked in behind.asked] == ["gpt-9-small", "gpt-9"]


async def test_without_a_cheaper_model_the_other_one_reads(database: Database, cast: Cast) -> None:
    async with with_model(database, cast.acme, says("{}")):
        both = await chosen(database, cast.acme)

    assert both.reader is both.model


async def test_usage_is_counted_per_purpose_with_its_cost(database: Database, cast: Cast, owner: Tx) -> None:
    prices = {"input_price": Decimal("2"), "output_price": Decimal("10"), "reader_input_price": Decimal(0)}
    async with with_model(database, cast.acme, says("{}"), reader_model="small", **prices):
        for purpose in ("drafts", "answers", "answers"):
            await (await chosen(database, cast.acme, purpose=purpose)).model.complete(PROMPT)
        await (await chosen(database, cast.acme)).reader.complete(PROMPT)

    rows = "select purpose, calls, input_tokens, output_tokens, cost from model_purposes p"
    used = await owner.value(
        f"select json_agg(u order by purpose) from ({rows} where bot_id = %(bot)s) u", bot=cast.acme.bot_id
    )
    cost = (2 * INPUT + 10 * OUTPUT) / 1_000_000
    assert [(row["purpose"], row["calls"], row["input_tokens"], row["output_tokens"]) for row in used] == [
        ("answers", 2, 2 * INPUT, 2 * OUTPUT),
        ("drafts", 2, 2 * INPUT, 2 * OUTPUT),
    ]
    assert [row["cost"] for row in used] == pytest.approx([2 * cost, cost + 10 * OUTPUT / 1_000_000])


@pytest.mark.parametrize(
    "budget",
    [
        {"tokens_per_day": 800},
        {"input_price": Decimal(1), "output_price": Decimal(1), "cost_per_day": Decimal("0.0008")},
        {"input_price": Decimal(1), "output_price": Decimal(1), "cost_per_task": Decimal("0.0008")},
    ],
)
async def test_beyond_a_budget_nothing_is_asked(
    database: Database, cast: Cast, budget: dict[str, Any]
) -> None:
    async with with_model(database, cast.acme, says("{}"), **budget) as behind:
        model = (await chosen(database, cast.acme, work_id="task_1")).model
        await model.complete(PROMPT)
        with pytest.raises(CompletionError, match="used up"):
            await model.complete(Prompt("Do more.", "data", {"type": "object"}, 500))

    assert len(behind.asked) == 1


async def test_an_owner_can_not_raise_the_operators_bound_of_the_installations_model(
    database: Database, cast: Cast, set_setting: SetSetting
) -> None:
    set_setting("INSTEP_MODEL_TOKENS_PER_DAY", "1000")
    await give_model(database, cast.acme, None, provider=None, model=None, tokens_per_day=5_000)
    models = LanguageModels(Scripted(lambda data: {}))
    model = await models.choose(partial(task_ctx, database, cast.acme), "drafts")

    assert model is not None
    assert model.model.budget.tokens_per_day == 1_000


async def test_a_key_of_another_installation_is_told_in_a_sentence(
    database: Database, cast: Cast, owner: Tx
) -> None:
    async with with_model(database, cast.acme, says("{}")) as behind:
        other = "update language_models set sealed = 'x' where bot_id = %(bot)s"
        await owner.execute(other, bot=cast.acme.bot_id)
        await owner.connection.commit()
        with pytest.raises(CompletionError, match="enter the key again"):
            await (await chosen(database, cast.acme)).model.complete(PROMPT)

    assert behind.asked == []


async def test_an_address_that_is_no_longer_allowed_is_not_called(
    database: Database, cast: Cast, set_setting: SetSetting
) -> None:
    async with with_model(database, cast.acme, says("{}")) as behind:
        set_setting("INSTEP_MODEL_ALLOW", "")
        with pytest.raises(CompletionError, match="host can't be reached"):
            await (await chosen(database, cast.acme)).model.complete(PROMPT)

    assert behind.asked == []


async def test_nothing_that_might_be_printed_has_the_key(database: Database, cast: Cast) -> None:
    async with with_model(database, cast.acme, says("{}")):
        model = await chosen(database, cast.acme)
        async with task_ctx(database, cast.acme) as ctx:
            setting = await find_setting(ctx)

    assert isinstance(model.model.model, HttpModel)
    assert KEY not in repr(model) + repr(model.model.model.provider) + repr(setting)

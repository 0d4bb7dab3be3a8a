"""Tasks with a model: what it adds to their drafts, and that it never makes one fail or worse."""

import json

import pytest

from instep.platform.core.database import Database, Tx
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import OutboundClient
from instep.platform.llm.protocol import Completion, CompletionError, Model, OnText, Prompt
from instep.runtime import worker_of
from tests.platform.llm.conftest import Meet
from tests.support.cast import Api, Cast, Client, Json
from tests.support.changes import PETS, SETTINGS, SETTINGS_AFTER, URL, get, publish, send, write
from tests.support.limits import SetSetting
from tests.support.model_endpoint import (
    INPUT,
    KEY,
    OUTPUT,
    Mood,
    errs,
    http,
    is_cut,
    is_huge,
    refuses,
    says,
    sends,
    stays_silent,
    stops_at_its_limit,
)

LINE = "Set `ACME_REQUEST_TIMEOUT` to a number of seconds."
MORE = f"{LINE} Without `ACME_REQUEST_TIMEOUT` it is 30 seconds."
FORMATS = "An export holds all articles as Markdown files, and one JSON file.\n"


CHOICE = {"sections": [{"section": "A1", "reason": ""}], "searches": []}
QUOTE = '+TIMEOUT = int(os.environ.get("ACME_REQUEST_TIMEOUT", "30"))'


class Scripted:
    """A model with scripted replies and no network; it repeats the last one."""

    name = "scripted"

    def __init__(self, *replies: object) -> None:
        self.replies = replies or (CHOICE, {"edits": []})
        self.questions: list[Prompt] = []

    async def complete(self, prompt: Prompt, on_text: OnText | None = None) -> Completion:
        reply = self.replies[min(len(self.questions), len(self.replies) - 1)]
        self.questions.append(prompt)
        if isinstance(reply, Exception):
            raise reply
        return Completion(json.dumps(reply), 700, 50)


def replacing(old: str, new: str, article: str = "A1") -> Json:
    """A reply that replaces a text in an article."""
    edit = {"action": "replace", "line": 3, "old": old, "new": new, "reason": "It is new.", "quote": QUOTE}
    return {"edits": [{"article": article, **edit}]}


async def test_edits_of_the_model_are_added_to_the_certain_ones(
    api: Api, cast: Cast, database: Database, meet: Meet, provider: str
) -> None:
    client = api(cast.acme.write_key)
    article = await write_settings(client)
    async with meet(says(CHOICE), says(replacing(LINE, MORE))) as (model, behind):
        task = await finished(client, database, model)

    [named] = task["drafts"]
    draft = await get(client, f"drafts/{named['id']}")
    assert draft["contentMarkdown"] == SETTINGS_AFTER.replace(LINE, MORE)
    assert draft["articleId"] == article["id"]
    assert "It is new." in draft["reason"]
    assert ("src/settings.py", 3, "It is new.") in [
        (place["file"], place["articleLine"], place["reason"]) for place in draft["evidence"]
    ]
    assert f"The model {provider}:scripted-1 read 1 article and edited 1 article." in task["summary"]
    choice, question = behind.asked
    assert "A1.1 Settings" in choice.data
    assert LINE in question.data
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
async def test_failing_model_leaves_the_task_with_the_certain_drafts(
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


async def test_model_that_is_down_is_left_out(api: Api, cast: Cast, database: Database, meet: Meet) -> None:
    client = api(cast.acme.write_key)
    await write_settings(client)
    async with meet(says("{}")) as (model, _):
        pass

    task = await finished(client, database, model)

    assert (task["outcome"], len(task["drafts"])) == ("drafts", 1)
    assert "be reached" in task["summary"]


async def test_an_edit_that_brings_in_a_strange_link_leaves_a_place_to_write_at(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    await write_settings(client)
    model = Scripted(CHOICE, replacing(LINE, f"{LINE} See [more](https://evil.example/a)."))

    task = await finished(client, database, model)

    draft = await get(client, f"drafts/{task['drafts'][0]['id']}")
    assert draft["contentMarkdown"] == SETTINGS_AFTER
    assert len(model.questions) == 3
    [place] = task["places"]
    assert (await get(client, f"places/{place['id']}"))["line"] == 3


async def test_a_dismissed_draft_and_its_reason_are_part_of_the_next_question(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    await write_settings(client)
    first = await finished(client, database, Scripted(CHOICE, replacing(LINE, MORE)))
    dismissal = {"reason": "wrong_text", "comment": "Nobody runs without it."}
    gone = await client.post(f"/v1/drafts/{first['drafts'][0]['id']}/dismiss", json=dismissal)
    assert gone.status_code == 200, gone.text
    model = Scripted()

    await finished(client, database, model, url=f"{URL}0")

    assert "Nobody runs without it." in model.questions[1].user


async def test_the_context_of_a_change_is_part_of_its_questions(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    await write_settings(client)
    model = Scripted()
    code = {"file": "src/settings.py", "startLine": 9, "text": "def connect(): ..."}
    context = {"issues": [{"title": "Name it better"}], "code": [code], "nextVersion": "2.4.0"}

    task = await finished(client, database, model, context=context)

    assert task["status"] == "completed"
    for text in ("Name it better", "src/settings.py, from line 9:\ndef connect", "2.4.0"):
        assert text in model.questions[1].user


async def test_an_article_of_another_company_can_not_be_edited(
    api: Api, cast: Cast, database: Database
) -> None:
    await publish(api(cast.globex.write_key), "Secrets of Globex", SETTINGS)
    client = api(cast.acme.write_key)
    await write_settings(client)
    choice = {"sections": [{"section": "A1"}, {"section": "A3"}], "searches": ["Secrets of Globex"]}
    model = Scripted(choice, replacing("ACME_TIMEOUT", "ACME_URL", "A3"))

    task = await finished(client, database, model)

    assert len(task["drafts"]) == 1
    assert (await get(api(cast.globex.read_key), "drafts"))["results"] == []
    assert all("Secrets" not in question.user for question in model.questions)


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

    assert free == [True, True]


async def test_tokens_are_counted_for_the_bot(
    api: Api, cast: Cast, database: Database, meet: Meet, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    await write_settings(client)
    async with meet(says(CHOICE), says({"edits": []})) as (model, _):
        await finished(client, database, model)

    row = "select tokens from model_use where bot_id = %(bot)s"
    assert await owner.value(row, bot=cast.acme.bot_id) == 2 * (INPUT + OUTPUT)


async def test_when_the_day_is_used_up_tasks_go_on_without_it(
    api: Api, cast: Cast, database: Database, set_setting: SetSetting
) -> None:
    client = api(cast.acme.write_key)
    await write_settings(client)
    set_setting("INSTEP_MODEL_TOKENS_PER_DAY", "50")
    model = Scripted()

    task = await finished(client, database, model)

    assert (task["outcome"], model.questions) == ("drafts", [])
    assert "budget" in task["summary"]


async def test_no_questions_cost_more_than_a_task_may_use(
    api: Api, cast: Cast, database: Database, set_setting: SetSetting
) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Settings", SETTINGS + "\n\n".join(f"## Part {n}\n\n{PETS}" for n in range(900)))
    set_setting("INSTEP_MODEL_TOKENS_PER_TASK", "12000")
    model = Scripted()

    await finished(client, database, model, body="It was too short. " * 5_000)

    assert all(question.max_total_tokens <= 12_000 for question in model.questions)
    assert "A1.1 Settings" in model.questions[0].user


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
    text = "Exports are made at night. They hold all articles as Markdown files.\n\n1. Choose Export."
    async with meet(says({"text": text, "missing": []})) as (model, behind):
        task = await written(client, database, model, title="What an export holds")

    draft = await get(client, f"drafts/{task['drafts'][0]['id']}")
    assert draft["contentMarkdown"] == (
        f"{text}\n\n## Related articles\n\n- [What exports hold]({source['url']})\n"
    )
    assert f"The model {provider}:scripted-1 wrote it" in draft["reason"]
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
    """The task of the change, after a worker with the model has run its job."""
    return await worked(client, database, model, await send(client, None, **fields))


async def written(client: Client, database: Database, model: Model | None, **fields: object) -> Json:
    return await worked(client, database, model, await write(client, None, **fields))


async def worked(client: Client, database: Database, model: Model | None, task: Json) -> Json:
    await worker_of(database, OutboundClient(AllowList()), model).run_due()
    return await get(client, f"tasks/{task['id']}")

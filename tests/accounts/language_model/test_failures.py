"""A provider that is down, slow, overloaded, wrong or too expensive: tasks and answers end and say why."""

import asyncio
import json

import pytest

from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.outbound.allowed import AllowList
from instep.platform.core.outbound.client import OutboundClient
from instep.runtime import worker_of
from tests.support.cast import Api, Cast, Json
from tests.support.changes import get, publish, send, write_articles
from tests.support.limits import SetLimit, SetSetting
from tests.support.model_endpoint import (
    KEY,
    Asked,
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
from tests.support.questions import RESET, ask
from tests.support.setting_models import LOOPBACK, give_model, with_model

QUESTION = "How do I reset my password?"


@pytest.fixture(autouse=True)
def quick_provider(set_setting: SetSetting, set_limit: SetLimit) -> None:
    set_setting(*LOOPBACK)
    set_setting("INSTEP_MODEL_SECONDS", "1")
    set_limit("MODEL_RETRY_SECONDS", 0)


async def trickles(asked: Asked) -> bytes:
    """Start responding and never finish."""
    await asyncio.sleep(30)
    return b""


async def run(database: Database) -> None:
    await worker_of(database, OutboundClient(AllowList())).run_due()


async def finished(client_api: Api, cast: Cast, database: Database) -> Json:
    """Send a change that the writer can prove, run its job, and return the task."""
    client = client_api(cast.acme.write_key)
    await write_articles(client)
    task = await send(client)
    await run(database)
    return await get(client, f"tasks/{task['id']}")


@pytest.mark.parametrize(
    ("mood", "sentence"),
    [
        (stays_silent, "within 1"),
        (trickles, "within 1"),
        (errs(401), "key (401)"),
        (errs(402), "left (402)"),
        (errs(404), "address (404)"),
        (errs(413), "size (413)"),
        (errs(429), "now (429)"),
        (errs(429, Retry_After="3600"), "too long"),
        (errs(503), "service (503)"),
        (sends(b""), "connection was closed"),
        (sends(b"SSH-2.0-x\r\n\r\n"), "HTTP/1.1"),
        (sends(http(200, b"<html>")), "this provider"),
        (is_cut, "connection was closed"),
        (is_huge, "too large"),
        (refuses, "It refused to answer."),
        (stops_at_its_limit, "the length limit"),
        (says(""), "Its answer is empty."),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_task_ends_with_what_is_certain_and_the_reason(
    api: Api,
    cast: Cast,
    database: Database,
    mood: Mood,
    sentence: str,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with with_model(database, cast.acme, mood):
        task = await finished(api, cast, database)

    assert (task["status"], task["outcome"], len(task["drafts"])) == ("completed", "drafts", 1)
    assert sentence in task["summary"]
    assert task["model"]["calls"] == (2 if "empty" in sentence else 1)
    assert KEY not in json.dumps(task) + "".join(capfd.readouterr()) + caplog.text


async def test_a_provider_that_is_gone_is_named_as_unreachable(
    api: Api, cast: Cast, database: Database
) -> None:
    async with with_model(database, cast.acme, says("{}")):
        pass
    task = await finished(api, cast, database)

    assert (task["outcome"], len(task["drafts"])) == ("drafts", 1)
    assert "be reached" in task["summary"]
    assert task["model"]["inputTokens"] == 0


@pytest.mark.parametrize("mood", [stays_silent, errs(401), errs(429), errs(500), is_cut])
async def test_a_visitor_is_answered_in_the_articles_own_words(
    api: Api, cast: Cast, database: Database, mood: Mood
) -> None:
    await publish(api(cast.acme.write_key), "Reset your password", RESET)
    plain = await ask(api(None), cast.acme, QUESTION)
    async with with_model(database, cast.acme, mood):
        answer = await ask(api(None), cast.acme, QUESTION)

    assert (answer["answered"], answer["answer"]) == (True, plain["answer"])


async def test_when_a_provider_is_down_visitors_do_not_wait_for_it(
    api: Api, cast: Cast, database: Database
) -> None:
    await publish(api(cast.acme.write_key), "Reset your password", RESET)
    async with with_model(database, cast.acme, errs(503)) as behind:
        for _ in range(limits.MAX_MODEL_FAILURES + 3):
            assert (await ask(api(None), cast.acme, QUESTION))["answered"]

    assert len(behind.asked) == limits.MAX_MODEL_FAILURES * (limits.MAX_MODEL_RETRIES + 1)


async def test_a_new_setting_is_asked_although_the_old_one_was_down(
    api: Api, cast: Cast, database: Database
) -> None:
    await publish(api(cast.acme.write_key), "Reset your password", RESET)
    async with with_model(database, cast.acme, errs(503)) as behind:
        for _ in range(limits.MAX_MODEL_FAILURES + 1):
            await ask(api(None), cast.acme, QUESTION)
        count = len(behind.asked)
        await give_model(database, cast.acme, base_url=f"{behind.url}/v1", model="gpt-10")
        await ask(api(None), cast.acme, QUESTION)

    assert len(behind.asked) > count

"""Requests to a model's endpoint over a real socket, and the handling of every unusual response."""

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from email.utils import format_datetime

import pytest

from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.llm.client import Circuit
from instep.platform.llm.protocol import CompletionError, Prompt
from tests.platform.llm.conftest import Meet
from tests.support.model_endpoint import (
    INPUT,
    KEY,
    OUTPUT,
    Asked,
    Mood,
    answered,
    errs,
    http,
    is_cut,
    is_huge,
    refuses,
    says,
    sends,
    stays_silent,
    stops_at_its_limit,
    streams,
)

SCHEMA = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
QUESTION = Prompt("Do it.", "===== BEGIN diff =====", SCHEMA, 500)


async def test_the_reply_comes_with_what_it_took(meet: Meet) -> None:
    async with meet(says('{"edits": []}')) as (model, _):
        reply = await model.complete(QUESTION)

    assert (reply.text, reply.input_tokens, reply.output_tokens) == ('{"edits": []}', INPUT, OUTPUT)
    assert reply.total_tokens == INPUT + OUTPUT


async def test_request_has_the_newest_form_of_the_provider(meet: Meet, provider: str) -> None:
    async with meet(says("{}")) as (model, behind):
        await model.complete(QUESTION)

    [asked] = behind.asked
    assert (asked.system, asked.data) == (QUESTION.system, QUESTION.user)
    assert (asked.body["model"], asked.body["max_tokens"]) == ("scripted-1", 500)
    if provider == "anthropic":
        assert asked.path == "/v1/messages"
        assert {f"x-api-key: {KEY}", "anthropic-version: 2023-06-01"} <= set(asked.head.split("\r\n"))
        assert asked.body["output_config"] == {"format": {"type": "json_schema", "schema": SCHEMA}}
    else:
        assert asked.path == "/v1/chat/completions"
        assert f"Authorization: Bearer {KEY}" in asked.head.split("\r\n")
        form = {"name": "answer", "strict": True, "schema": SCHEMA}
        assert asked.body["response_format"] == {"type": "json_schema", "json_schema": form}


@pytest.mark.parametrize(
    ("mood", "message"),
    [
        (refuses, "It refused to answer."),
        (stops_at_its_limit, "length limit"),
        (says(""), "Its answer is empty."),
        (is_cut, "connection was closed"),
        (is_huge, "too large"),
        (sends(b""), "connection was closed"),
        (sends(b"SSH-2.0-x\r\n\r\n"), "HTTP/1.1"),
        (sends(http(200, b"<html>")), "this provider"),
        (sends(http(200, b'{"choices": 3, "content": 3}')), "this provider"),
        (sends(http(200, b'{"choices": [], "content": []}')), "Its answer is empty."),
        (sends(http(302, b"", Location="http://127.0.0.1:1/")), "It answered 302."),
        (errs(401), "key (401)"),
        (errs(402), "left (402)"),
        (errs(404), "address (404)"),
        (errs(400), "It answered 400."),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_an_answer_of_no_use_is_told_in_a_sentence(meet: Meet, mood: Mood, message: str) -> None:
    async with meet(mood) as (model, behind):
        with pytest.raises(CompletionError) as none:
            await model.complete(QUESTION)

    assert message in none.value.message
    assert len(behind.asked) == 1


async def test_model_that_does_not_answer_in_time_is_given_up(meet: Meet) -> None:
    async with meet(stays_silent, seconds=0.2) as (model, _):
        with pytest.raises(CompletionError, match=r"0\.2 seconds"):
            await model.complete(QUESTION)


async def test_model_that_is_down_is_given_up(meet: Meet) -> None:
    async with meet(says("{}")) as (model, _):
        pass

    with pytest.raises(CompletionError, match="host can't be reached") as gone:
        await model.complete(QUESTION)
    assert gone.value.total_tokens == 0


@pytest.mark.parametrize("status", [429, 500, 503, 529])
async def test_overloaded_model_is_asked_again(meet: Meet, waits: list[float], status: int) -> None:
    async with meet(errs(status), errs(status, Retry_After="7"), says("{}")) as (model, behind):
        assert (await model.complete(QUESTION)).text == "{}"

    assert waits == [limits.MODEL_RETRY_SECONDS, 7]
    assert len(behind.asked) == 3


async def test_model_is_asked_at_most_three_times(meet: Meet, waits: list[float]) -> None:
    async with meet(errs(429)) as (model, behind):
        with pytest.raises(CompletionError, match=r"\(429\)\. It was asked 3 times") as none:
            await model.complete(QUESTION)

    assert (len(behind.asked), len(waits), none.value.total_tokens) == (3, 2, 0)


@pytest.mark.parametrize("asked", ["21", "3600", "-1", "nan", "inf", "Wed, 21 Oct 2099 07:28:00 GMT"])
async def test_model_that_asks_for_a_long_wait_is_left_out(
    meet: Meet, waits: list[float], asked: str
) -> None:
    async with meet(errs(429, Retry_After=asked)) as (model, behind):
        with pytest.raises(CompletionError) as none:
            await model.complete(QUESTION)

    assert none.value.total_tokens == 0
    assert all(0 <= wait <= limits.MAX_MODEL_RETRY_SECONDS for wait in waits)
    assert len(behind.asked) <= 3


@pytest.mark.parametrize("status", [504, 524])
async def test_timeout_of_a_gateway_is_not_retried(meet: Meet, status: int) -> None:
    async with meet(errs(status), says("{}")) as (model, behind):
        with pytest.raises(CompletionError, match="timed out") as error:
            await model.complete(QUESTION)

    assert (len(behind.asked), error.value.total_tokens) == (1, None)


@pytest.mark.parametrize("seconds", [-60, 5])
async def test_a_provider_may_say_the_date_from_which_it_answers(
    meet: Meet, waits: list[float], seconds: int
) -> None:
    date = format_datetime(utc_now() + timedelta(seconds=seconds), usegmt=True)
    async with meet(errs(503, Retry_After=date), says("{}")) as (model, _):
        await model.complete(QUESTION)

    [wait] = waits
    assert max(0, seconds - 2) <= wait <= max(0, seconds)


async def test_the_text_is_handed_over_as_it_arrives(meet: Meet) -> None:
    parts: list[str] = []
    async with meet(errs(500), streams('{"a":', ' "é', '"}')) as (model, _):
        reply = await model.complete(QUESTION, parts.append)

    assert parts == ['{"a":', ' "é', '"}']
    assert (reply.text, reply.input_tokens, reply.output_tokens) == ('{"a": "é"}', INPUT, OUTPUT)


async def is_whole(asked: Asked) -> bytes:
    """A model that ignores the request to stream and gives no reason for stopping."""
    return answered(asked, "{}", **{"stop_reason" if asked.is_anthropic else "finish_reason": None})


async def test_a_server_that_does_not_stream_hands_its_text_over_at_once(meet: Meet) -> None:
    parts: list[str] = []
    async with meet(is_whole) as (model, _):
        reply = await model.complete(QUESTION, parts.append)

    assert (parts, reply.text, reply.total_tokens) == (["{}"], "{}", INPUT + OUTPUT)


@pytest.mark.parametrize(
    "mood",
    [
        streams("beginning", has_end=False),
        sends(http(200, b'data: {"error": {"code": 1}, "type": "error"}\n\n')),
        sends(http(200, b'data: {"type": "error", "error": {"message": "overloaded"}}\n\n')),
        sends(http(200, b"data: no JSON\n\n")),
        sends(http(200, b"data: [DONE]\n\n")),
        is_huge,
    ],
)
async def test_a_stream_that_breaks_off_is_no_completion(meet: Meet, mood: Mood) -> None:
    async with meet(mood) as (model, behind):
        with pytest.raises(CompletionError):
            await model.complete(QUESTION, lambda part: None)

    assert len(behind.asked) == 1


async def test_without_a_schema_it_is_asked_for_plain_text(meet: Meet) -> None:
    async with meet(says("Plain.")) as (model, behind):
        await model.complete(replace(QUESTION, schema={}))

    assert not {"response_format", "output_config"} & set(behind.asked[0].body)


async def test_a_provider_that_is_down_is_left_alone_and_then_asked_by_one_question(meet: Meet) -> None:
    now = 0.0
    async with meet(stays_silent, stays_silent, stays_silent, says("{}"), seconds=0.1) as (model, behind):
        model.circuit = Circuit(lambda: now)
        for _ in range(limits.MAX_MODEL_FAILURES):
            with pytest.raises(CompletionError, match="did not answer within"):
                await model.complete(QUESTION)
        with pytest.raises(CompletionError, match="next attempt is in 30 seconds") as at_once:
            await model.complete(QUESTION)
        assert (len(behind.asked), at_once.value.total_tokens) == (limits.MAX_MODEL_FAILURES, 0)

        now = limits.MODEL_PROBE_SECONDS
        probe = asyncio.create_task(model.complete(QUESTION))
        await asyncio.sleep(0)
        with pytest.raises(CompletionError, match="next attempt is in 30 seconds"):
            await model.complete(QUESTION)
        await probe
        assert (await model.complete(QUESTION)).text == "{}"


async def test_a_wrong_key_opens_no_circuit(meet: Meet) -> None:
    async with meet(errs(401)) as (model, behind):
        for _ in range(limits.MAX_MODEL_FAILURES + 1):
            with pytest.raises(CompletionError, match="refused the key"):
                await model.complete(QUESTION)

    assert len(behind.asked) == limits.MAX_MODEL_FAILURES + 1


@pytest.mark.parametrize(
    "body",
    [
        f'{{"error": {{"message": "Wrong key {KEY[:8]}***{KEY[-5:]} or {KEY}, see docs"}}}}',
        f'{{"error": "Wrong key {KEY}, see docs"}}',
        f'{{"detail": [{{"message": "Wrong key {KEY}, see docs"}}]}}',
        f"<h1>Wrong key</h1> {KEY}, see docs",
    ],
)
async def test_error_of_the_provider_is_kept_without_the_key(meet: Meet, body: str) -> None:
    async with meet(sends(http(400, body.encode()))) as (model, _):
        with pytest.raises(CompletionError) as error:
            await model.complete(QUESTION)

    assert error.value.message == "It answered 400."
    assert error.value.detail.startswith("Wrong key …")
    assert error.value.detail.endswith("see docs")
    assert KEY[:8] not in error.value.detail
    assert KEY[-5:] not in error.value.detail


async def test_an_endpoint_without_schemas_is_asked_in_an_older_form_from_then_on(
    meet: Meet, provider: str
) -> None:
    field = "output_config" if provider == "anthropic" else "response_format"
    unknown = http(
        400, json.dumps({"error": {"message": f"{field}: Extra inputs are not permitted"}}).encode()
    )
    async with meet(sends(unknown), says("{}"), says("{}")) as (model, behind):
        await model.complete(QUESTION)
        await model.complete(QUESTION)

    assert [field in asked.body for asked in behind.asked] == [True, False, False]


async def test_error_that_names_both_forms_ends_the_retries(meet: Meet) -> None:
    message = b"stream_options max_completion_tokens max_tokens response_format json_schema output_config"
    async with meet(sends(http(400, message))) as (model, behind):
        with pytest.raises(CompletionError, match="answered 400"):
            await model.complete(QUESTION)

    assert len(behind.asked) <= 4


async def test_no_message_repeats_the_key(meet: Meet, caplog: pytest.LogCaptureFixture) -> None:
    for status in (400, 401, 403, 429, 500):
        async with meet(errs(status)) as (model, _):
            with pytest.raises(CompletionError) as none:
                await model.complete(QUESTION)
            assert KEY not in none.value.message + repr(none.value) + repr(model.provider) + caplog.text


async def test_proxies_of_the_environment_are_not_used(meet: Meet, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    async with meet(says("{}")) as (model, _):
        assert (await model.complete(QUESTION)).text == "{}"

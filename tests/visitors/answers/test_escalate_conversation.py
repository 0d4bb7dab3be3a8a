"""POST /chat/{conversationId}/escalate."""

import re
from typing import Any

import pytest

from instep.accounts.workspaces.actions import create_key, pause_workspace, resume_workspace
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import PlanInactive
from instep.platform.identity.scopes import Scope
from instep.visitors.answers.actions import escalate_conversation
from instep.visitors.answers.schemas import Escalation
from tests.support.alert_targets import add_target
from tests.support.cast import Api, Cast
from tests.support.events import heard, told
from tests.support.http import TIMESTAMP, at_once, body_of, ok
from tests.support.visitors import (
    ANN,
    SITE,
    alerts,
    begin,
    credentials,
    escalate,
    escalation,
    is_untouched,
    named_fields,
    refusal,
    rows,
    second_bot,
    visiting,
)
from tests.support.webhook_endpoints import create_webhook


async def test_a_conversation_waits_for_a_person(api: Api, cast: Cast, database: Database, owner: Tx) -> None:
    conversation = await begin(database, cast.acme)

    escalated = ok(await escalate(api(None), cast.acme, conversation, email=ANN, message="Call me."))

    assert re.fullmatch(TIMESTAMP, escalated["escalatedAt"])
    assert escalated == {
        "id": conversation,
        "status": "escalated",
        "escalatedAt": escalated["escalatedAt"],
    }
    [row] = await rows(owner, "conversations", cast.acme)
    assert (row["status"], row["email"], row["message"]) == ("escalated", ANN, "Call me.")


async def test_escalation_sends_an_event(api: Api, cast: Cast, database: Database, owner: Tx) -> None:
    webhook = await create_webhook(api(cast.acme.write_key), events=["conversation.escalated"])
    conversation = await begin(database, cast.acme)

    escalated = ok(await escalate(api(None), cast.acme, conversation, email=ANN, message="Call me."))

    [event] = await heard(owner, cast.acme, webhook)
    kind, conversation_object, before = told(event)
    assert kind == "conversation.escalated"
    assert event["botId"] == str(cast.acme.bot_id)
    assert event["actor"] == {"type": "visitor", "name": "Visitor"}
    assert conversation_object == {
        "id": conversation,
        "status": "escalated",
        "locale": "en",
        "pageUrl": f"{SITE}/pricing",
        "email": ANN,
        "message": "Call me.",
        "botId": str(cast.acme.bot_id),
        "createdAt": conversation_object["createdAt"],
        "escalatedAt": escalated["escalatedAt"],
    }
    assert before == {"status": "open", "email": None, "message": None, "escalatedAt": None}


@pytest.mark.parametrize(
    "sent", [{}, {"email": ANN}, {"message": "Help"}, {"message": " \n"}, {"message": ""}], ids=str
)
async def test_email_and_message_may_be_left_out(
    api: Api, cast: Cast, database: Database, owner: Tx, sent: dict[str, Any]
) -> None:
    ok(await escalate(api(None), cast.acme, await begin(database, cast.acme, None), **sent))

    [row] = await rows(owner, "conversations", cast.acme)
    assert (row["email"], row["message"]) == (sent.get("email"), sent.get("message", "").strip() or None)


async def test_the_bots_chat_channels_are_told(api: Api, cast: Cast, database: Database, owner: Tx) -> None:
    handoffs = await add_target(database, cast.acme, kinds=["handoff"])
    await add_target(database, cast.acme, kinds=["lead"])
    await add_target(database, cast.globex)
    full, bare = await begin(database, cast.acme), await begin(database, cast.acme, None)

    ok(await escalate(api(None), cast.acme, full, email=ANN, message="Call me."))
    ok(await escalate(api(None), cast.acme, bare))

    assert [(told["target"], told["title"], told["text"]) for told in await alerts(owner, cast.acme)] == [
        (handoffs.id, "Acme: a visitor asks for a person", text)
        for text in (
            f"Email: {ANN}\nMessage: Call me.\nPage: {SITE}/pricing\nConversation: {full}",
            f"Conversation: {bare}",
        )
    ]
    assert await alerts(owner, cast.globex) == []


async def test_the_second_time_gets_the_same_answer_and_tells_nobody(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    await create_webhook(api(cast.acme.write_key))
    conversation = await begin(database, cast.acme)
    first = await escalate(api(None), cast.acme, conversation, email=ANN)

    again = await escalate(api(None), cast.acme, conversation, email="bob@example.com", message="Me too")

    assert ok(again) == ok(first)
    assert len(await heard(owner, cast.acme)) == 1
    [row] = await rows(owner, "conversations", cast.acme)
    assert (row["email"], row["message"]) == (ANN, None)


async def test_parallel_requests_send_one_event_and_one_alert(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    await create_webhook(api(cast.acme.write_key))
    await add_target(database, cast.acme)
    conversation = await begin(database, cast.acme)
    clients = [api(None) for _ in range(4)]

    async def ask(number: int) -> bytes:
        answer = await escalate(clients[number % 4], cast.acme, conversation, message=f"From {number}")
        assert answer.status_code == 200
        return answer.content

    assert len(set(await at_once(20, ask))) == 1
    [event] = await heard(owner, cast.acme)
    [row] = await rows(owner, "conversations", cast.acme)
    assert len(await alerts(owner, cast.acme)) == 1
    assert event["data"]["object"]["message"] == row["message"]


async def test_conversation_of_another_bot_gets_the_404_of_an_unknown_one(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    conversation = await begin(database, cast.acme)
    unknown = ["conv_01kbb6x4mwh2v7n8q9r0s1t2v8", "x", "%22", "a" * 5_000]
    asked = [(cast.globex, conversation), (await second_bot(owner, cast), conversation)]
    asked += [(cast.acme, name) for name in unknown]

    answers = [await escalate(api(None), company, name, email=ANN) for company, name in asked]

    assert {refusal(answer) for answer in answers} == {(404, "not_found")}
    assert len({answer.content for answer in answers}) == 1
    assert await is_untouched(owner, cast)


async def test_an_id_that_can_not_be_stored_is_refused(api: Api, cast: Cast) -> None:
    for name in ("%00", "conv_%00"):
        assert refusal(await escalate(api(None), cast.acme, name)) == (400, "invalid_request")


async def test_a_paused_workspace_refuses_and_goes_on_afterwards(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    await pause_workspace(owner, cast.paused.workspace_id)
    conversation = await begin(database, cast.paused)

    refused = await escalate(api(None), cast.paused, conversation)

    assert refusal(refused) == (402, "plan_inactive")
    [row] = await rows(owner, "conversations", cast.paused)
    assert row["status"] == "open"
    await resume_workspace(owner, cast.paused.workspace_id)
    ok(await escalate(api(None), cast.paused, conversation))


async def test_a_pause_that_came_after_the_door_is_kept_too(
    cast: Cast, database: Database, owner: Tx
) -> None:
    conversation = await begin(database, cast.paused)
    await pause_workspace(owner, cast.paused.workspace_id)
    sent = Escalation.model_validate(credentials(cast.paused))

    with pytest.raises(PlanInactive):
        async with visiting(database, cast.paused) as ctx:
            await escalate_conversation(ctx, conversation, sent)


@pytest.mark.parametrize(
    "sent",
    [
        {"email": None},
        {"email": ""},
        {"email": "ann"},
        {"email": 7},
        {"message": None},
        {"message": ["Help"]},
        {"message": "x" * 2_001},
        {"message": "a\0b"},
        {"visitor": "ann"},
        {"status": "open"},
        {"email": "ann", "message": 1},
    ],
    ids=str,
)
async def test_a_bad_value_is_refused_by_name(
    api: Api, cast: Cast, database: Database, owner: Tx, sent: dict[str, Any]
) -> None:
    refused = await escalate(api(None), cast.acme, await begin(database, cast.acme), **sent)

    assert named_fields(refused) == list(sent)
    assert await is_untouched(owner, cast)


async def test_an_api_key_is_no_bot_key(api: Api, cast: Cast, database: Database, owner: Tx) -> None:
    key = await create_key(owner, cast.acme.workspace_id, "all", Scope.WRITE, [])
    conversation = await begin(database, cast.acme)
    wrong = {"botId": str(cast.acme.bot_id), "botKey": key.key}

    refused = await api(key.key).post(escalation(conversation), json=wrong)

    assert refusal(refused) == (401, "invalid_credentials")
    assert await is_untouched(owner, cast)


async def test_responses_and_logs_hold_no_data_of_the_visitor(
    api: Api, cast: Cast, database: Database, logged: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    """Neither the response nor a log line contains what the visitor entered."""
    conversation = await begin(database, cast.acme)
    sent = {"email": "zed@example.com", "message": "Zanzibar"}

    answers = [
        await escalate(api(None), cast.acme, conversation, **sent),
        await escalate(api(None), cast.acme, conversation, **sent),
        await escalate(api(None), cast.globex, conversation, **sent),
        await api(None).post(
            escalation(conversation), json={**credentials(cast.acme), **sent, "x": "Zanzibar"}
        ),
    ]

    assert [line["path"] for line in logged] == [escalation(conversation)] * len(answers)
    assert [answer.status_code for answer in answers] == [200, 200, 404, 400]
    for text in (str(logged), caplog.text, *(str(body_of(answer)) for answer in answers)):
        assert "zed@" not in text
        assert "Zanzibar" not in text
        assert cast.acme.bot_key not in text

"""POST /leads."""

import re
from typing import Any

import pytest

from instep.accounts.workspaces.actions import pause_workspace
from instep.platform.core import limits
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import PlanInactive
from instep.visitors.answers.actions import create_lead
from instep.visitors.answers.schemas import LeadCreate
from tests.support.alert_targets import add_target
from tests.support.cast import Api, Cast
from tests.support.events import heard, told
from tests.support.http import ID, TIMESTAMP, at_once, body_of
from tests.support.visitors import (
    ANN,
    LEADS,
    alerts,
    begin,
    credentials,
    is_untouched,
    leave,
    named_fields,
    refusal,
    rows,
    second_bot,
    visiting,
)
from tests.support.webhook_endpoints import create_webhook

EMAILS = [
    "a@b.co",
    "Ann.O'Neil+news@mail.example.com",
    "x" * 64 + "@example.com",
    "ann@xn--bcher-kva.example",
    "1_2-3@4.example",
]
NO_EMAILS = [
    "",
    " ",
    "ann",
    "ann@",
    "@example.com",
    "ann@example",
    "ann@@example.com",
    "ann@example..com",
    "ann@.example.com",
    "ann@example.com.",
    "ann@-example.com",
    "ann@example-.com",
    ".ann@example.com",
    "ann.@example.com",
    "an..n@example.com",
    "an n@example.com",
    " ann@example.com",
    "ann@example.com ",
    "ann@example.com\n",
    "ann@example.com\r\nBcc: all@example.com",
    "ann@example.com,bob@example.com",
    "Ann <ann@example.com>",
    "<ann@example.com>",
    '"ann"@example.com',
    "ann@[127.0.0.1]",
    "ann@exam_ple.com",
    "änn@example.com",
    "ann@bücher.example",
    "ann\u202e@example.com",
    "ann@example.com\0",
    "x" * 65 + "@example.com",
    "ann@" + "x" * 64 + ".com",
    "ann@" + "x." * 126 + "com",
    "a" * 60_000 + "@",
    "a@" + "a-" * 30_000,
]


async def test_lead_is_stored_with_its_conversation(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    conversation = await begin(database, cast.acme)

    lead = await leave(
        api(None), cast.acme, name=" Ann Example ", message="A plan for schools?", conversationId=conversation
    )

    assert re.fullmatch("lead" + ID, lead["id"])
    assert re.fullmatch(TIMESTAMP, lead["createdAt"])
    assert lead.keys() == {"id", "createdAt"}
    [row] = await rows(owner, "leads", cast.acme)
    assert row["id"] == lead["id"]
    assert (row["email"], row["name"], row["message"]) == (ANN, "Ann Example", "A plan for schools?")
    assert (row["bot_id"], row["conversation_id"]) == (str(cast.acme.bot_id), conversation)


async def test_lead_sends_an_event(api: Api, cast: Cast, database: Database, owner: Tx) -> None:
    webhook = await create_webhook(api(cast.acme.write_key), events=["lead.created"])
    conversation = await begin(database, cast.acme)

    full = await leave(api(None), cast.acme, name="Ann", message="Hello", conversationId=conversation)
    bare = await leave(api(None), cast.acme)

    first, second = await heard(owner, cast.acme, webhook)
    assert first["actor"] == {"type": "visitor", "name": "Visitor"}
    assert first["botId"] == str(cast.acme.bot_id)
    assert told(first) == (
        "lead.created",
        {
            "id": full["id"],
            "email": ANN,
            "name": "Ann",
            "message": "Hello",
            "conversationId": conversation,
            "botId": str(cast.acme.bot_id),
            "createdAt": full["createdAt"],
        },
        {},
    )
    lead_object = told(second)[1]
    assert lead_object["id"] == bare["id"]
    assert (lead_object["name"], lead_object["message"], lead_object["conversationId"]) == (None, None, None)


async def test_the_bots_chat_channels_are_told(api: Api, cast: Cast, database: Database, owner: Tx) -> None:
    await add_target(database, cast.acme, kinds=["handoff"])
    leads = await add_target(database, cast.acme, kinds=["lead"])

    await leave(api(None), cast.acme, name="Ann", message="A plan for schools?")
    await leave(api(None), cast.acme)

    assert [(told["target"], told["title"], told["text"]) for told in await alerts(owner, cast.acme)] == [
        (leads.id, "Acme: a visitor left contact details", text)
        for text in (f"Email: {ANN}\nName: Ann\nMessage: A plan for schools?", f"Email: {ANN}")
    ]


async def test_each_is_one_of_its_own_also_when_they_come_at_once(api: Api, cast: Cast, owner: Tx) -> None:
    await create_webhook(api(cast.acme.write_key))
    clients = [api(None) for _ in range(4)]

    leads = await at_once(12, lambda number: leave(clients[number % 4], cast.acme))

    assert len({lead["id"] for lead in leads}) == 12
    assert {body["data"]["object"]["id"] for body in await heard(owner, cast.acme)} == {
        lead["id"] for lead in leads
    }


async def test_empty_fields_are_stored_as_null(api: Api, cast: Cast, owner: Tx) -> None:
    await leave(api(None), cast.acme, name="", message=" \n")

    [row] = await rows(owner, "leads", cast.acme)
    assert (row["name"], row["message"]) == (None, None)


@pytest.mark.parametrize("email", EMAILS)
async def test_an_email_address_is_kept_as_it_was_sent(api: Api, cast: Cast, owner: Tx, email: str) -> None:
    await leave(api(None), cast.acme, email=email)

    [row] = await rows(owner, "leads", cast.acme)
    assert row["email"] == email


@pytest.mark.parametrize("email", NO_EMAILS, ids=lambda email: ascii(email)[:40])
async def test_invalid_emails_are_refused(api: Api, cast: Cast, owner: Tx, email: str) -> None:
    refused = await api(None).post(LEADS, json={**credentials(cast.acme), "email": email})

    assert named_fields(refused) == ["email"]
    assert await is_untouched(owner, cast)


@pytest.mark.parametrize(
    "sent",
    [
        {"email": None},
        {"email": ["ann@example.com"]},
        {"name": None},
        {"name": "x" * 201},
        {"name": "a\0b"},
        {"message": None},
        {"message": "x" * 2_001},
        {"conversationId": None},
        {"conversationId": 7},
        {"conversationId": ""},
        {"conversationId": "a\0b"},
        {"conversationId": "conv_01kbb6x4mwh2v7n8q9r0s1t2v8"},
        {"visitor": "ann"},
        {"id": "lead_1"},
        {"name": 1, "message": 2},
    ],
    ids=str,
)
async def test_a_bad_value_is_refused_by_name(api: Api, cast: Cast, owner: Tx, sent: dict[str, Any]) -> None:
    refused = await api(None).post(LEADS, json={**credentials(cast.acme), "email": ANN, **sent})

    assert named_fields(refused) == list(sent)
    assert await is_untouched(owner, cast)


async def test_the_email_address_is_required(api: Api, cast: Cast) -> None:
    assert named_fields(await api(None).post(LEADS, json=credentials(cast.acme))) == ["email"]


async def test_a_conversation_of_another_bot_is_as_unknown_as_none(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    others = [cast.globex, await second_bot(owner, cast)]
    conversations = [await begin(database, company) for company in others]
    conversations += ["conv_01kbb6x4mwh2v7n8q9r0s1t2v8"]
    sent = [{**credentials(cast.acme), "email": ANN, "conversationId": name} for name in conversations]

    answers = [await api(None).post(LEADS, json=body) for body in sent]

    assert [named_fields(answer) for answer in answers] == [["conversationId"]] * 3
    assert len({answer.content for answer in answers}) == 1
    assert await is_untouched(owner, cast)


async def test_a_paused_workspace_refuses(api: Api, cast: Cast, owner: Tx) -> None:
    await pause_workspace(owner, cast.paused.workspace_id)

    refused = await api(None).post(LEADS, json={**credentials(cast.paused), "email": ANN})

    assert refusal(refused) == (402, "plan_inactive")
    assert await rows(owner, "leads", cast.paused) == []


async def test_a_pause_that_came_after_the_door_is_kept_too(
    cast: Cast, database: Database, owner: Tx
) -> None:
    await pause_workspace(owner, cast.paused.workspace_id)
    sent = LeadCreate.model_validate({**credentials(cast.paused), "email": ANN})

    with pytest.raises(PlanInactive):
        async with visiting(database, cast.paused) as ctx:
            await create_lead(ctx, sent)


async def test_responses_and_logs_hold_no_data_of_the_lead(
    api: Api, cast: Cast, logged: list[Any], caplog: pytest.LogCaptureFixture
) -> None:
    sent = {"email": "zed@example.com", "name": "Zed", "message": "Zanzibar"}
    answers = [
        await api(None).post(LEADS, json={**credentials(cast.acme), **sent}),
        await api(None).post(LEADS, json={**credentials(cast.acme), **sent, "name": "Zed" * 100}),
        await api(None).post(LEADS, json={**credentials(cast.acme), **sent, "email": "zed@"}),
    ]

    assert [line["path"] for line in logged] == [LEADS] * len(answers)
    assert [answer.status_code for answer in answers] == [201, 400, 400]
    for text in (str(logged), caplog.text, *(str(body_of(answer)) for answer in answers)):
        assert not any(word in text for word in ("zed@", "Zed", "Zanzibar", cast.acme.bot_key))


async def test_a_bot_takes_so_many_leads_in_an_hour(api: Api, cast: Cast, owner: Tx) -> None:
    await owner.execute(
        """
        insert into rate_windows (policy, subject, started_at, hits)
        values ('leads', %(bot)s, clock_timestamp(), %(hits)s)
        """,
        bot=str(cast.acme.bot_id),
        hits=limits.LEADS_PER_HOUR - 1,
    )
    answers = [
        await api(None).post(LEADS, json={**credentials(company), "email": ANN})
        for company in (cast.acme, cast.acme, cast.globex)
    ]

    assert [answer.status_code for answer in answers] == [201, 429, 201]
    assert refusal(answers[1]) == (429, "rate_limited")
    assert 0 < int(answers[1].headers["Retry-After"]) <= limits.HOUR_SECONDS
    assert len(await rows(owner, "leads", cast.acme)) == 1

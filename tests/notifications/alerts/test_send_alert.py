"""Each tool receives what it can display, over TLS under its own name; the target records the outcome."""

import asyncio
import logging
from typing import Any

import pytest

from instep.notifications.alerts import actions
from instep.notifications.alerts.schemas import AlertKind, Tool
from instep.platform.core.database import Database, Tx
from instep.platform.core.jobs import MAX_ATTEMPTS
from tests.notifications.alerts.chat import OK, Chat, Nearby
from tests.support.alert_targets import (
    ADDRESSES,
    POWER_PLATFORM,
    TOKENS,
    acting,
    add_target,
    listed,
    only_target,
    send_due,
    tell,
)
from tests.support.cast import Cast
from tests.support.wording import like

TITLE = "A visitor asks for a person"
LINES = ("Question: How do I export?", "Email: jane_doe@example.com")
LINK = "https://help.test/inbox/1"


async def post_to(address: str, database: Database, cast: Cast, chat: Chat, nearby: Nearby) -> Any:
    await add_target(database, cast.acme, address)
    await tell(database, cast.acme, TITLE, LINES, LINK)
    assert await send_due(database, nearby) == 1
    [request] = chat.posted
    assert request.method == "POST"
    assert request.headers["content-type"].partition(";")[0] == "application/json"
    assert request.headers["user-agent"] == "Instep"
    return request


async def test_slack_gets_an_attachment_without_markup(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby
) -> None:
    request = await post_to(ADDRESSES["slack"], database, cast, chat, nearby)

    assert (request.host, request.target) == (
        "hooks.slack.com",
        f"/services/T0AAAAAAA/B0BBBBBBB/{TOKENS['slack']}",
    )
    assert request.json["mrkdwn"] is False
    [attachment] = request.json["attachments"]
    assert attachment["title"] == TITLE
    assert attachment["text"] == "\n".join((*LINES, LINK))
    assert request.json.keys() == {"mrkdwn", "attachments"}


async def test_discord_gets_content_and_shows_no_previews(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby
) -> None:
    request = await post_to(ADDRESSES["discord"], database, cast, chat, nearby)

    assert (request.host, request.target) == (
        "discord.com",
        f"/api/webhooks/123456789012345678/{TOKENS['discord']}",
    )
    assert request.json["content"].splitlines() == [
        TITLE,
        "Question: How do I export?",
        r"Email: jane\_doe@example.com",
        LINK,
    ]
    assert request.json["flags"] == 4
    assert request.json["allowed_mentions"] == {"parse": []}
    assert request.json.keys() == {"content", "flags", "allowed_mentions"}


@pytest.mark.parametrize(
    ("address", "path"),
    [
        (ADDRESSES["teams"], "/workflows/0123456789abcdef0123456789abcdef/triggers/manual/paths/invoke"),
        (
            POWER_PLATFORM,
            "/powerautomate/automations/direct"
            "/workflows/0123456789abcdef0123456789abcdef/triggers/manual/paths/invoke",
        ),
    ],
    ids=["logic", "power platform"],
)
async def test_teams_gets_an_adaptive_card(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby, address: str, path: str
) -> None:
    request = await post_to(address, database, cast, chat, nearby)

    assert address.startswith(f"https://{request.host}:443{path}?")
    assert request.target == address.partition(":443")[2]
    assert request.json["type"] == "message"
    [attachment] = request.json["attachments"]
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    card = attachment["content"]
    assert (card["type"], card["msteams"]) == ("AdaptiveCard", {"width": "full"})
    assert [block["type"] for block in card["body"]] == ["TextBlock", "TextBlock"]
    assert [block["text"] for block in card["body"]] == [
        TITLE,
        "\n\n".join((*LINES, f"[{LINK}]({LINK})")),
    ]


@pytest.mark.parametrize("folder", ["", "/tools/chat"])
async def test_mattermost_gets_text(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby, folder: str
) -> None:
    address = f"https://chat.example.com:8443{folder}/hooks/{TOKENS['mattermost']}"
    request = await post_to(address, database, cast, chat, nearby)

    assert request.headers["host"] == "chat.example.com:8443"
    assert request.target == f"{folder}/hooks/{TOKENS['mattermost']}"
    assert request.json["text"].splitlines() == [
        TITLE,
        "Question: How do I export?",
        r"Email: jane\_doe@example.com",
        LINK,
    ]
    assert request.json.keys() == {"text", "username"}
    assert request.json["username"] == "Instep"


async def test_accepted_alert_sets_the_target_to_working(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby, owner: Tx
) -> None:
    await add_target(database, cast.acme)
    assert (await only_target(database, cast.acme)).status == "untried"

    await tell(database, cast.acme)
    await send_due(database, nearby)

    target = await only_target(database, cast.acme)
    assert (target.status, target.last_error) == ("working", None)
    assert target.sent_at is not None
    assert await owner.value("select count(*) from jobs") == 0


async def test_only_targets_of_that_kind_get_the_alert(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby
) -> None:
    kinds: dict[Tool, list[AlertKind]] = {
        "slack": ["handoff"],
        "discord": ["lead"],
        "mattermost": ["lead", "handoff"],
    }
    for tool, subjects in kinds.items():
        await add_target(database, cast.acme, ADDRESSES[tool], subjects)
    await add_target(database, cast.globex, ADDRESSES["teams"])

    await tell(database, cast.acme, kind="lead")
    assert await send_due(database, nearby) == 2

    assert sorted(request.host for request in chat.posted) == ["chat.example.com", "discord.com"]


async def test_an_error_of_the_tool_is_tried_again_until_it_takes_the_message(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby, owner: Tx
) -> None:
    await add_target(database, cast.acme)
    await tell(database, cast.acme)
    chat.answer = b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
    await send_due(database, nearby)

    target = await only_target(database, cast.acme)
    assert (target.status, target.sent_at) == ("failing", None)
    assert target.last_error == like("…503…")

    chat.answer = None
    await owner.execute("update jobs set run_at = now()")
    assert await send_due(database, nearby) == 1

    target = await only_target(database, cast.acme)
    assert (target.status, target.last_error) == ("working", None)
    assert len(chat.posted) == 2


@pytest.mark.parametrize("status", [400, 403, 404, 410])
async def test_a_refusal_is_not_tried_again(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby, owner: Tx, status: int
) -> None:
    await add_target(database, cast.acme)
    await tell(database, cast.acme)
    chat.answer = f"HTTP/1.1 {status} No\r\nContent-Length: 0\r\n\r\n".encode()

    assert await send_due(database, nearby) == 1

    assert (await only_target(database, cast.acme)).last_error == like(f"…{status}…")
    assert await owner.value("select count(*) from jobs") == 0


@pytest.mark.parametrize("tool", list(ADDRESSES))
async def test_too_many_messages_are_tried_again(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby, owner: Tx, tool: Tool
) -> None:
    await add_target(database, cast.acme, ADDRESSES[tool])
    await tell(database, cast.acme)
    chat.answer = b"HTTP/1.1 429 Too Many\r\nContent-Length: 0\r\nRetry-After: 1\r\n\r\n"

    await send_due(database, nearby)

    assert (await only_target(database, cast.acme)).last_error == (like("…429…"))
    assert await owner.value("select count(*) from jobs where run_at > now()") == 1


async def test_slack_has_taken_a_message_only_when_it_says_so(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby
) -> None:
    await add_target(database, cast.acme)
    await tell(database, cast.acme)
    chat.answer = b"HTTP/1.1 200 OK\r\nContent-Length: 13\r\n\r\n<html></html>"

    await send_due(database, nearby)

    assert (await only_target(database, cast.acme)).status == "failing"


async def test_after_the_last_attempt_nothing_of_the_message_stays(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby, owner: Tx
) -> None:
    """The message may contain a visitor's text; the failure is shown with the target."""
    await add_target(database, cast.acme)
    await tell(database, cast.acme)
    await owner.execute("update jobs set attempts = %(before)s", before=MAX_ATTEMPTS - 1)
    chat.answer = b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n"

    assert await send_due(database, nearby) == 1

    assert (await only_target(database, cast.acme)).status == "failing"
    assert await owner.value("select count(*) from jobs") == 0


async def test_alerts_of_a_removed_target_are_not_sent(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby, owner: Tx
) -> None:
    target = await add_target(database, cast.acme)
    await tell(database, cast.acme)
    async with acting(database, cast.acme) as ctx:
        await actions.remove_alert_target(ctx, target.id)

    assert await send_due(database, nearby) == 1

    assert (chat.connections, await owner.value("select count(*) from jobs")) == (0, 0)


async def test_an_address_that_another_key_has_sealed_is_named_as_the_reason(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby, owner: Tx
) -> None:
    await add_target(database, cast.acme)
    await owner.execute(
        "update alert_targets set sealed = 'another key' where bot_id = %(b)s", b=cast.acme.bot_id
    )
    await tell(database, cast.acme)

    assert await send_due(database, nearby) == 1

    error = (await only_target(database, cast.acme)).last_error
    assert error is not None
    assert "secret key" in error
    assert (chat.connections, await owner.value("select count(*) from jobs")) == (0, 0)


async def test_a_paused_workspace_is_still_told(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby, owner: Tx
) -> None:
    """A paused workspace still answers, so its people still receive requests."""
    await add_target(database, cast.acme)
    await owner.execute(
        "update workspaces set paused_at = now() where id = %(id)s", id=cast.acme.workspace_id
    )

    await tell(database, cast.acme)
    await send_due(database, nearby)

    assert len(chat.posted) == 1


async def test_one_workspace_never_takes_all_places_of_a_worker(
    database: Database, cast: Cast, chat: Chat, nearby: Nearby, owner: Tx
) -> None:
    for _ in range(6):
        await add_target(database, cast.acme)
    await add_target(database, cast.globex)
    await tell(database, cast.acme)
    await tell(database, cast.globex)
    full, released = asyncio.Event(), asyncio.Event()

    async def hold(writer: asyncio.StreamWriter) -> None:
        if len(chat.posted) == 5:
            full.set()
        await released.wait()
        writer.write(OK)

    chat.behave = hold
    sending = asyncio.create_task(send_due(database, nearby))
    await full.wait()
    # Jobs that wait for their turn have not used an attempt.
    assert await owner.value("select count(*) from jobs where worker is null and attempts = 0") == 2
    assert len(chat.posted) == 5
    released.set()
    await sending

    await owner.execute("update jobs set run_at = now()")
    await send_due(database, nearby)
    assert len(chat.posted) == 7
    assert {target.status for target in await listed(database, cast.acme)} == {"working"}


async def test_no_address_gets_into_logs_errors_and_jobs(
    database: Database,
    cast: Cast,
    chat: Chat,
    nearby: Nearby,
    owner: Tx,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    for address in ADDRESSES.values():
        await add_target(database, cast.acme, address)
    await tell(database, cast.acme)
    jobs = str(await owner.value("select jsonb_agg(to_jsonb(jobs)) from jobs"))
    await send_due(database, nearby)
    await tell(database, cast.acme)
    chat.answer = b"HTTP/1.1 500 Oh\r\nContent-Length: 0\r\n\r\n"
    await send_due(database, nearby)

    jobs += str(await owner.value("select jsonb_agg(to_jsonb(jobs)) from jobs"))
    rows = str(await owner.value("select jsonb_agg(to_jsonb(t) - 'sealed') from alert_targets t"))
    listing = "".join(target.model_dump_json() for target in await listed(database, cast.acme))
    output = caplog.text + "".join(capfd.readouterr()) + jobs + rows + listing
    assert "500" in listing
    for token in TOKENS.values():
        assert token not in output
        assert token[:-4] not in output

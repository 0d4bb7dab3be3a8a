"""Conversations in the dashboard, contact details, and a visitor's rights to a copy and to erasure."""

import json
import re

from instep.platform.core.database import Tx
from tests.interfaces.dashboard.conftest import Desk
from tests.support.cast import Cast, Client, Company, Json
from tests.support.http import ok
from tests.support.questions import ask
from tests.support.site_pages import publish
from tests.support.visitors import ANN, escalate, leave, rows

PASSWORDS = "# Passwords\n\nYou can change your password at any time: open **Settings**, then *Security*."
IN_VAIN = "Is there a plan for zeppelins?"


async def converse(client: Client, company: Company, question: str = IN_VAIN, visitor: str = "ann") -> Json:
    return await ask(client, company, question, visitor=visitor)


async def test_conversations_that_ask_for_a_person_come_first(
    desk: Desk, visitor: Client, cast: Cast
) -> None:
    first = await converse(visitor, cast.acme)
    await converse(visitor, cast.acme, "May I bring my dog?", "bob")
    ok(await escalate(visitor, cast.acme, first["conversationId"], email=ANN))

    text = (await desk.get("conversations")).text

    assert titles_in(text) == [IN_VAIN, "May I bring my dog?"]
    assert ANN in text
    assert titles_in((await desk.get("conversations?status=escalated")).text) == [IN_VAIN]


async def test_the_list_shows_what_was_not_answered_and_goes_on(
    desk: Desk, client: Client, visitor: Client, cast: Cast
) -> None:
    await publish(client, "Passwords", PASSWORDS)
    await converse(visitor, cast.acme, "How do I change my password?", "bob")
    for number in range(21):
        await converse(visitor, cast.acme, IN_VAIN, f"visitor {number}")

    text = (await desk.get("conversations?status=unanswered")).text
    [following] = re.findall(r'rel="next" href="([^"]+)"', text)
    rest = (await desk.visitor.get(following.replace("&amp;", "&"))).text

    assert (len(titles_in(text)), titles_in(rest)) == (20, [IN_VAIN])


async def test_a_conversation_shows_answers_sources_and_what_the_visitor_thought(
    desk: Desk, client: Client, visitor: Client, cast: Cast
) -> None:
    article = await publish(client, "Passwords", PASSWORDS)
    answer = await converse(visitor, cast.acme, "How do I change my password?")
    feedback = {"botId": str(cast.acme.bot_id), "botKey": cast.acme.bot_key, "helpful": False}
    ok(
        await visitor.post(
            f"/chat/messages/{answer['messageId']}/feedback", json=feedback | {"comment": "<b>"}
        )
    )

    text = (await desk.get(f"conversations/{answer['conversationId']}")).text

    for words in ("answered", "<strong>Settings</strong>", "did not help", "&lt;b&gt;", "confidence "):
        assert words in text
    assert f'href="{desk.path("articles/" + article["id"])}"' in text


async def test_contact_details_are_listed_also_without_a_conversation(
    desk: Desk, visitor: Client, cast: Cast
) -> None:
    answer = await converse(visitor, cast.acme)
    await leave(visitor, cast.acme, message="Call <me>", conversationId=answer["conversationId"])
    await leave(visitor, cast.acme, email="bob?bcc=all@example.com")

    text = (await desk.get("conversations?status=leads")).text

    assert text.index('href="mailto:bob%3Fbcc%3Dall@example.com"') < text.index(ANN)
    assert f'href="{desk.path("conversations/" + answer["conversationId"])}"' in text
    conversation = (await desk.get(f"conversations/{answer['conversationId']}")).text
    assert "Call &lt;me&gt;" in conversation


async def test_the_newest_contact_details_stand_above_all_conversations(
    desk: Desk, visitor: Client, cast: Cast
) -> None:
    await converse(visitor, cast.acme)
    await leave(visitor, cast.acme, email="bob@example.com", message="Call me about the invoice.")
    text = (await desk.get("conversations")).text

    assert text.index("Call me about the invoice.") < text.index('aria-label="Conversations"')
    assert "Call me" not in (await desk.get("conversations?status=escalated")).text


async def test_contact_details_are_marked_as_done_by_somebody_and_wait_again(
    desk: Desk, editor: Desk, viewer: Desk, visitor: Client, cast: Cast, owner: Tx
) -> None:
    lead = await leave(visitor, cast.acme, email="bob@example.com")
    await leave(visitor, cast.acme)
    page, act = "conversations?status=leads", f"conversations/leads/{lead['id']}"
    assert waiting_in((await desk.get(page)).text) == 2

    assert (await viewer.send("conversations", act, done="yes")).status_code == 403
    await editor.send(page, act, done="yes")
    await desk.send(page, act, done="yes")

    text = (await desk.get(page)).text
    assert ("mailto:bob" in text, ANN in text, waiting_in(text)) == (False, True, 1)
    assert "mailto:bob" not in (await desk.get("conversations")).text
    # If two people finish one at once, the first one is recorded.
    assert f"by <bdi>{editor.user.email}</bdi>" in (await desk.get(f"{page}&show=all")).text
    assert await audited(owner, cast, "finish_lead") in (editor.user.email, desk.user.email)
    await editor.send(f"{page}&show=all", act, done="no")
    assert "mailto:bob" in (await desk.get(page)).text
    foreign = await leave(visitor, cast.globex)
    assert (await desk.send(page, f"conversations/leads/{foreign['id']}", done="yes")).status_code == 404


async def test_a_conversation_that_is_done_waits_no_more(desk: Desk, visitor: Client, cast: Cast) -> None:
    first = await converse(visitor, cast.acme)
    await converse(visitor, cast.acme, "May I bring my dog?", "bob")
    ok(await escalate(visitor, cast.acme, first["conversationId"], email=ANN))
    await leave(visitor, cast.acme, conversationId=first["conversationId"])
    page = f"conversations/{first['conversationId']}"
    assert waiting_in((await desk.get(page)).text) == 1

    await desk.send(page, f"{page}/done", done="yes")

    text = (await desk.get("conversations")).text
    assert (waiting_in(text), titles_in(text)) == (0, ["May I bring my dog?", IN_VAIN])
    assert f"by <bdi>{desk.user.email}</bdi>" in (await desk.get(page)).text
    await desk.send(page, f"{page}/done", done="no")
    assert titles_in((await desk.get("conversations")).text) == [IN_VAIN, "May I bring my dog?"]


def waiting_in(text: str) -> int:
    """The number of waiting conversations in the navigation, which does not show zero."""
    return int(next(iter(re.findall(r"<span>Conversations</span><span[^>]*>(\d+)", text)), 0))


async def test_an_owner_exports_what_belongs_to_a_conversation(
    desk: Desk, visitor: Client, cast: Cast, owner: Tx
) -> None:
    first = await converse(visitor, cast.acme)
    second = await converse(visitor, cast.acme, "May I bring my dog?")
    await converse(visitor, cast.acme, "Something else?", "bob")
    page = f"conversations/visitor?conversation={first['conversationId']}"
    summary = (await desk.get(page)).text

    answer = await desk.send(page, "conversations/visitor/export", conversation=str(first["conversationId"]))

    assert "2 conversations" in summary
    assert answer.headers["Content-Disposition"] == 'attachment; filename="visitor.json"'
    export = json.loads(answer.text)
    assert "done_by_name" not in export["conversations"][0]
    assert {row["id"] for row in export["conversations"]} == {
        first["conversationId"],
        second["conversationId"],
    }
    assert await audited(owner, cast, "export_visitor") == desk.user.email


async def test_an_owner_erases_a_visitor_once_it_is_confirmed(
    desk: Desk, visitor: Client, cast: Cast, owner: Tx
) -> None:
    answer = await converse(visitor, cast.acme)
    ok(await escalate(visitor, cast.acme, answer["conversationId"], email=ANN))
    await leave(visitor, cast.acme)
    other = await converse(visitor, cast.acme, "Something else?", "bob")
    act, fields = "conversations/visitor/erase", {"conversation": str(answer["conversationId"])}

    unconfirmed = await desk.send("conversations/visitor", act, **fields)
    erased = await desk.send("conversations/visitor", act, **fields, confirmed="yes")

    assert (unconfirmed.status_code, erased.status_code) == (400, 303)
    assert [row["id"] for row in await rows(owner, "conversations", cast.acme)] == [other["conversationId"]]
    assert await rows(owner, "leads", cast.acme) == []
    assert await audited(owner, cast, "erase_visitor") == desk.user.email
    assert "Conversations: 1" in (await desk.follow(erased)).text


async def test_a_visitor_is_looked_up_by_the_identifier_and_forgotten_with_its_limits(
    desk: Desk, visitor: Client, cast: Cast, owner: Tx
) -> None:
    await converse(visitor, cast.acme, visitor="ann")
    await converse(visitor, cast.globex, visitor="ann")
    windows = (
        "select count(*) from rate_windows where policy = 'widget-chat' and subject like %(bot)s || ' %%'"
    )
    assert "1 conversation" in (await desk.get("conversations/visitor?visitor=ann")).text

    await desk.send("conversations/visitor", "conversations/visitor/erase", visitor="ann", confirmed="yes")

    assert "Nothing is stored." in (await desk.get("conversations/visitor?visitor=ann")).text
    assert await owner.value(windows, bot=str(cast.acme.bot_id)) == 0
    assert await owner.value(windows, bot=str(cast.globex.bot_id)) == 1
    assert len(await rows(owner, "conversations", cast.globex)) == 1


async def test_only_owners_get_at_the_data_of_a_visitor(
    desk: Desk, editor: Desk, viewer: Desk, stranger: Desk, visitor: Client, cast: Cast, owner: Tx
) -> None:
    answer = await converse(visitor, cast.acme)
    foreign = await converse(visitor, cast.globex)
    act, fields = "conversations/visitor/erase", {"conversation": str(answer["conversationId"])}

    for person in (editor, viewer):
        assert (await person.get("conversations/visitor")).status_code == 403
        refused = await person.send("conversations", act, **fields, confirmed="yes")
        assert refused.status_code == 403
        assert "conversations/visitor" not in (await person.get("conversations")).text
    assert (await desk.post(act, {**fields, "confirmed": "yes"})).status_code == 403
    assert (await stranger.get(f"conversations/{answer['conversationId']}")).status_code == 404
    assert (await desk.get(f"conversations/{foreign['conversationId']}")).status_code == 404
    theirs = {"conversation": str(foreign["conversationId"]), "confirmed": "yes"}
    assert (await desk.send("conversations", act, **theirs)).status_code == 404
    assert len(await rows(owner, "conversations", cast.acme)) == 1


async def test_empty_page_links_to_the_settings_of_the_widget(desk: Desk) -> None:
    assert desk.path("settings/widget") in (await desk.get("conversations")).text


async def audited(owner: Tx, cast: Cast, action: str) -> str:
    name: str = await owner.value(
        "select actor_name from audit_entries where workspace_id = %(workspace)s and action = %(action)s",
        workspace=cast.acme.workspace_id,
        action=action,
    )
    return name


def titles_in(text: str) -> list[str]:
    return re.findall(r'<a class="row" [^>]*><strong><bdi>([^<]+)', text)

"""One visitor's data: handed out whole, and erased so that no table holds a trace of it."""

import pytest

from instep.core.database import Database, Tx
from tests.alerts.targets import add_target
from tests.support.cast import Api, Cast, Json
from tests.support.commands import Operator
from tests.support.http import ok
from tests.support.questions import ask
from tests.support.visitors import escalate, leave, rows
from tests.webhooks.endpoints import create_webhook

CANARY = "Canary.Bird@example.com"
NAME = "Zebedee Quux"
VISITOR = "visitor-4711-canary"
MINE = f"Where is my invoice 4711? Write to {CANARY}."


async def everywhere(owner: Tx) -> str:
    """All that any table holds, in lower case; bytes as the text that they are."""
    tables = await owner.value("select array_agg(tablename::text) from pg_tables where schemaname = 'public'")
    texts = []
    for table in tables:
        texts.append(await owner.value(f"select string_agg(to_jsonb(t)::text, ' ') from {table} t") or "")
    texts.append(await owner.value("select string_agg(convert_from(body, 'UTF8'), ' ') from events") or "")
    return " ".join(texts).lower()


async def visit(api: Api, cast: Cast, database: Database, email: str, visitor: str, question: str) -> Json:
    """Ask in vain, leave contact details in every way, and ask for a person."""
    client = api(None)
    answer = await ask(client, cast.acme, question, visitor=visitor)
    conversation = answer["conversationId"]
    await leave(
        client, cast.acme, email=email, name=NAME, message=f"I am {NAME}", conversationId=conversation
    )
    await leave(client, cast.acme, email=email.upper(), message="no conversation")
    asked = {"email": email, "message": f"Call {NAME} at {email}"}
    ok(await escalate(client, cast.acme, conversation, **asked))
    return answer


@pytest.fixture
async def told(api: Api, cast: Cast, database: Database) -> None:
    """Acme's webhooks and chat channels are told of everything."""
    await create_webhook(api(cast.acme.write_key), events=["*"])
    await add_target(database, cast.acme)


def named(how: str) -> tuple[str, ...]:
    return ("--email", CANARY.swapcase()) if how == "email" else ("--visitor", VISITOR)


@pytest.mark.parametrize("how", ["email", "visitor"])
async def test_nothing_is_left_of_who_is_erased_and_everything_of_others(
    api: Api, cast: Cast, database: Database, owner: Tx, operator: Operator, told: None, how: str
) -> None:
    await visit(api, cast, database, CANARY, VISITOR, MINE)
    other = await visit(api, cast, database, "other@example.com", "somebody", "Is there a plan for schools?")
    before = await everywhere(owner)
    assert all(sign.lower() in before for sign in (CANARY, NAME, "4711"))
    mine = ("--workspace", cast.acme.workspace_id)
    if how == "visitor":
        # A lead without a conversation is known by its address alone.
        await owner.execute("delete from leads where conversation_id is null")
        await owner.execute(
            'update events set body = \'{"data": {"object": {"id": ""}}}\' where type = \'lead.created\''
            " and position('no conversation' in convert_from(body, 'UTF8')) > 0"
        )

    erasure = await operator.json("visitor", "erase", *named(how), *mine)

    assert {name: erasure[name] for name in ("conversations", "messages", "unansweredQuestions")} == {
        "conversations": 1,
        "messages": 1,
        "unansweredQuestions": 1,
    }
    assert (erasure["leads"], erasure["events"]) == ((2, 3) if how == "email" else (1, 2))
    after = await everywhere(owner)
    assert CANARY.lower() not in after
    assert "4711" not in after
    kept = {row["id"] for row in await rows(owner, "conversations", cast.acme)}
    assert kept == {other["conversationId"]}
    assert "is there a plan for schools?" in after
    assert await owner.value("select count(*) from audit_entries where action = 'erase_visitor'") >= 1
    again = await operator.json("visitor", "erase", *named(how), *mine)
    assert set(again.values()) == {0}


async def test_everything_of_one_visitor_is_handed_out(
    api: Api, cast: Cast, database: Database, operator: Operator
) -> None:
    answer = await visit(api, cast, database, CANARY, VISITOR, MINE)
    await visit(api, cast, database, "other@example.com", "somebody", "Is there a plan for schools?")

    exported = await operator.json(
        "visitor", "export", "--email", CANARY, "--workspace", cast.acme.workspace_id
    )

    assert [row["id"] for row in exported["conversations"]] == [answer["conversationId"]]
    assert [row["question"] for row in exported["messages"]] == [MINE]
    assert {row["email"].lower() for row in exported["leads"]} == {CANARY.lower()}
    assert len(exported["leads"]) == 2
    assert "other@example.com" not in str(exported)


async def test_another_workspace_is_not_touched(api: Api, cast: Cast, owner: Tx, operator: Operator) -> None:
    for company in (cast.acme, cast.globex):
        await leave(api(None), company, email=CANARY)

    erasure = await operator.json(
        "visitor", "erase", "--email", CANARY, "--workspace", cast.acme.workspace_id
    )

    assert erasure["leads"] == 1
    assert [len(await rows(owner, "leads", company)) for company in (cast.acme, cast.globex)] == [0, 1]


async def test_a_question_that_others_ask_too_stays_in_their_words(
    api: Api, cast: Cast, owner: Tx, operator: Operator
) -> None:
    client = api(None)
    await ask(client, cast.acme, "How to export invoices", visitor=VISITOR)
    await ask(client, cast.acme, "how do I export invoices?", visitor="somebody")

    await operator.json("visitor", "erase", "--visitor", VISITOR, "--workspace", cast.acme.workspace_id)

    [question] = await rows(owner, "unanswered_questions", cast.acme)
    assert (question["question"], question["examples"]) == (
        "how do I export invoices?",
        ["how do I export invoices?"],
    )


@pytest.mark.parametrize("options", [(), ("--email", "a@example.com", "--visitor", "b"), ("--email", " ")])
async def test_a_visitor_is_named_in_one_way(operator: Operator, options: tuple[str, ...]) -> None:
    for command in ("erase", "export"):
        assert "exactly one" in await operator.refused("visitor", command, *options)

"""One visitor's data: exported in full, and erased without a trace in any table."""

import secrets
from dataclasses import dataclass
from string import ascii_lowercase

import pytest

from instep.platform.core.database import Database, Tx
from tests.support.alert_targets import add_target
from tests.support.cast import Api, Cast, Client, Json
from tests.support.commands import Operator
from tests.support.http import ok
from tests.support.questions import ask
from tests.support.visitors import escalate, leave, rows
from tests.support.webhook_endpoints import create_webhook

OTHER = ("other@example.com", "Olga Other", "somebody", "Is there a plan for schools?")


@dataclass(frozen=True, slots=True)
class Canary:
    """A visitor whose name, address and words are unique, so that leftovers can be found."""

    token: str

    @property
    def email(self) -> str:
        return f"Canary.{self.token}@example.com"

    @property
    def name(self) -> str:
        return f"Zebedee {self.token.title()}"

    @property
    def visitor(self) -> str:
        return f"visitor-{self.token}"

    @property
    def question(self) -> str:
        return f"Where is my invoice {self.token}? Write to {self.email}."


@pytest.fixture
def canary() -> Canary:
    return Canary("".join(secrets.choice(ascii_lowercase) for _ in range(12)))


async def everywhere(owner: Tx) -> str:
    """The contents of all tables in lower case, with bytes decoded as text."""
    tables = await owner.value("select array_agg(tablename::text) from pg_tables where schemaname = 'public'")
    texts = []
    for table in tables:
        texts.append(await owner.value(f"select string_agg(to_jsonb(t)::text, ' ') from {table} t") or "")
    texts.append(await owner.value("select string_agg(convert_from(body, 'UTF8'), ' ') from events") or "")
    return " ".join(texts).lower()


async def visit(api: Api, cast: Cast, email: str, name: str, visitor: str, question: str) -> Json:
    """Ask in vain, leave contact details in every way, and ask for a person."""
    client = api(None)
    answer = await ask(client, cast.acme, question, visitor=visitor)
    conversation = answer["conversationId"]
    await leave(
        client, cast.acme, email=email, name=name, message=f"I am {name}", conversationId=conversation
    )
    await leave(client, cast.acme, email=email.upper(), message="no conversation")
    lead = {"email": email, "message": f"Call {name} at {email}"}
    ok(await escalate(client, cast.acme, conversation, **lead))
    return answer


async def visit_as(api: Api, cast: Cast, canary: Canary) -> Json:
    return await visit(api, cast, canary.email, canary.name, canary.visitor, canary.question)


@pytest.fixture
async def visitor_rows(api: Api, cast: Cast, database: Database) -> None:
    """Acme has a webhook and a chat channel that receive everything."""
    await create_webhook(api(cast.acme.write_key), events=["*"])
    await add_target(database, cast.acme)


def named(how: str, canary: Canary) -> tuple[str, ...]:
    return ("--email", canary.email.swapcase()) if how == "email" else ("--visitor", canary.visitor)


@pytest.mark.parametrize("how", ["email", "visitor"])
async def test_erasure_leaves_nothing_of_the_visitor_and_all_of_others(
    api: Api, cast: Cast, owner: Tx, operator: Operator, visitor_rows: None, canary: Canary, how: str
) -> None:
    await visit_as(api, cast, canary)
    other = await visit(api, cast, *OTHER)
    before = await everywhere(owner)
    assert all(trace.lower() in before for trace in (canary.email, canary.name, canary.visitor[8:]))
    mine = ("--workspace", cast.acme.workspace_id)
    if how == "visitor":
        # A lead without a conversation can be found only by its email address.
        await owner.execute(
            "delete from leads where conversation_id is null and workspace_id = %(workspace)s",
            workspace=cast.acme.workspace_id,
        )
        await owner.execute(
            'update events set body = \'{"data": {"object": {"id": ""}}}\' where type = \'lead.created\''
            " and position('no conversation' in convert_from(body, 'UTF8')) > 0"
            " and workspace_id = %(workspace)s",
            workspace=cast.acme.workspace_id,
        )

    erasure = await operator.json("visitor", "erase", *named(how, canary), *mine)

    assert {name: erasure[name] for name in ("conversations", "messages", "unansweredQuestions")} == {
        "conversations": 1,
        "messages": 1,
        "unansweredQuestions": 1,
    }
    assert (erasure["leads"], erasure["events"]) == ((2, 3) if how == "email" else (1, 2))
    after = await everywhere(owner)
    assert canary.token not in after
    conversation_ids = {row["id"] for row in await rows(owner, "conversations", cast.acme)}
    assert conversation_ids == {other["conversationId"]}
    assert "is there a plan for schools?" in after
    assert await owner.value("select count(*) from audit_entries where action = 'erase_visitor'") >= 1
    again = await operator.json("visitor", "erase", *named(how, canary), *mine)
    assert set(again.values()) == {0}


async def test_export_holds_all_data_of_one_visitor(
    api: Api, cast: Cast, operator: Operator, canary: Canary
) -> None:
    answer = await visit_as(api, cast, canary)
    await visit(api, cast, *OTHER)

    exported = await operator.json(
        "visitor", "export", "--email", canary.email, "--workspace", cast.acme.workspace_id
    )

    assert [row["id"] for row in exported["conversations"]] == [answer["conversationId"]]
    assert [row["question"] for row in exported["messages"]] == [canary.question]
    assert {row["email"].lower() for row in exported["leads"]} == {canary.email.lower()}
    assert len(exported["leads"]) == 2
    assert "other@example.com" not in str(exported)


async def test_another_workspace_is_not_touched(
    visitor: Client, cast: Cast, owner: Tx, operator: Operator, canary: Canary
) -> None:
    for company in (cast.acme, cast.globex):
        await leave(visitor, company, email=canary.email)

    erasure = await operator.json(
        "visitor", "erase", "--email", canary.email, "--workspace", cast.acme.workspace_id
    )

    assert erasure["leads"] == 1
    assert [len(await rows(owner, "leads", company)) for company in (cast.acme, cast.globex)] == [0, 1]


async def test_a_question_that_others_ask_too_stays_in_their_words(
    visitor: Client, cast: Cast, owner: Tx, operator: Operator, canary: Canary
) -> None:
    await ask(visitor, cast.acme, "How to export invoices", visitor=canary.visitor)
    await ask(visitor, cast.acme, "how do I export invoices?", visitor="somebody")

    await operator.json(
        "visitor", "erase", "--visitor", canary.visitor, "--workspace", cast.acme.workspace_id
    )

    [question] = await rows(owner, "unanswered_questions", cast.acme)
    assert (question["question"], question["examples"]) == (
        "how do I export invoices?",
        ["how do I export invoices?"],
    )


@pytest.mark.parametrize("options", [(), ("--email", "a@example.com", "--visitor", "b"), ("--email", " ")])
async def test_a_visitor_is_named_in_one_way(operator: Operator, options: tuple[str, ...]) -> None:
    for command in ("erase", "export"):
        assert "exactly one" in await operator.refused("visitor", command, *options)

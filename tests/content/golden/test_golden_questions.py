"""Golden questions: saved with the article that must answer them, and asked as a visitor would."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

import psycopg
import pytest
from typer.testing import CliRunner, Result

from instep.cli import app
from instep.cli.asking import NOT_ANSWERED
from instep.content.articles.actions import create_article, publish_article, unpublish_article
from instep.content.articles.body_schemas import ArticleCreate
from instep.content.golden.actions import add_golden_question, list_golden_questions, remove_golden_question
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.config import settings
from instep.platform.core.database import Database, Tx
from instep.platform.core.errors import AppError, InvalidState
from instep.platform.identity.queries import find_bot
from instep.platform.identity.schemas import Actor, Ctx
from instep.visitors.answers.golden import ask_golden_questions
from tests.support.cast import Api, Cast, Client, Company, assemble
from tests.support.golden_questions import EXPORT, TEXT, TITLE, WITHOUT_EXPORT, keep, publish_golden, working
from tests.support.http import at_once, ok
from tests.support.limits import SetLimit
from tests.support.site_pages import publish
from tests.support.wording import like

Made = TypeVar("Made")


async def faults(database: Database, company: Company) -> list[str | None]:
    async with working(database, company) as ctx:
        return [asked.fault for asked in await ask_golden_questions(ctx)]


async def test_golden_question_has_no_fault_while_its_article_answers_it(
    api: Api, cast: Cast, database: Database, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    article = await publish_golden(client, database, cast)
    path = f"/v1/articles/{article['id']}"
    assert await faults(database, cast.acme) == [None]

    ok(await client.patch(path, json={"contentMarkdown": WITHOUT_EXPORT}))
    other = await publish(client, "Export invoices", "Export your invoices: choose Export on their page.")
    assert await faults(database, cast.acme) == [like("…“Export invoices”…")]

    ok(await client.delete(f"/v1/articles/{other['id']}"))
    ok(await client.delete(path))
    assert await faults(database, cast.acme) == ["The question is not answered."]

    await owner.execute("delete from articles where id = %(id)s", id=article["id"])
    assert await faults(database, cast.acme) == [like("…deleted…")]


@pytest.mark.parametrize(
    ("section", "says", "fault"),
    [
        ("invoices", "choose the format csv", None),
        ("Reports", None, like("…not from “Reports”…")),
        (None, "as PDF", like("…“as PDF”…")),
        ("  ", "", None),
    ],
)
async def test_section_and_words_must_be_in_the_answer(
    client: Client, cast: Cast, database: Database, section: str | None, says: str | None, fault: str | None
) -> None:
    text = "## Invoices\n\nTo export invoices, choose the format **CSV**.\n\n## Reports\n\nThey come daily.\n"
    article = await publish(client, "Files of yours", text)
    async with working(database, cast.acme) as ctx:
        await add_golden_question(ctx, "How do I export invoices?", article["id"], section, says)

    assert await faults(database, cast.acme) == [fault]


async def test_golden_questions_belong_to_their_bot(api: Api, cast: Cast, database: Database) -> None:
    await publish_golden(api(cast.acme.write_key), database, cast)

    async with working(database, cast.globex) as ctx:
        assert await list_golden_questions(ctx) == []
    async with working(database, cast.acme) as ctx:
        [golden] = await list_golden_questions(ctx)
    async with working(database, cast.globex) as ctx:
        with pytest.raises(AppError, match="No golden question has the id"):
            await remove_golden_question(ctx, golden.id)


@pytest.mark.parametrize(
    ("question", "ref", "sentence"),
    [
        (EXPORT.upper(), "invoices", "golden question"),
        (EXPORT, "gone", "No article has the id or slug gone"),
        (" \n", "invoices", "1 to 2000"),
        ("x" * (limits.MAX_QUESTION_CHARACTERS + 1), "invoices", "1 to 2000"),
    ],
)
async def test_invalid_golden_question_is_refused_with_its_reason(
    api: Api, cast: Cast, database: Database, question: str, ref: str, sentence: str
) -> None:
    await publish_golden(api(cast.acme.write_key), database, cast)

    async with working(database, cast.acme) as ctx:
        with pytest.raises(AppError) as refused:
            await add_golden_question(ctx, question, ref)
    assert sentence in str([refused.value.message, refused.value.details])


async def test_golden_question_is_asked_in_the_language_of_its_article(
    api: Api, cast: Cast, database: Database
) -> None:
    client = api(cast.acme.write_key)
    german = await publish(
        client, "Rechnungen", "Wähle Export, um Rechnungen zu exportieren.", locale="de", slug="rechnungen"
    )
    golden = await keep(database, cast, german, "Wie exportiere ich Rechnungen?")

    assert golden.locale == "de"
    assert await faults(database, cast.acme) == [None]


async def test_no_more_than_a_run_can_ask(
    api: Api, cast: Cast, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "MAX_GOLDEN_QUESTIONS", 1)
    client = api(cast.acme.write_key)
    await publish_golden(client, database, cast)

    with pytest.raises(AppError, match="at most 1 golden"):
        await keep(database, cast, await publish(client, "Other"))


async def test_questions_added_at_once_are_no_more_than_a_run_can_ask(
    api: Api, cast: Cast, database: Database, set_limit: SetLimit
) -> None:
    set_limit("MAX_GOLDEN_QUESTIONS", 2)
    article = await publish(api(cast.acme.write_key), "Install")

    async def add(number: int) -> bool:
        try:
            await keep(database, cast, article, f"How to install number {number}?")
        except InvalidState:
            return False
        return True

    assert sorted(await at_once(6, add)) == [False] * 4 + [True] * 2


@pytest.fixture
def company(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Company]:
    """A company in the tests' database, configured for commands in this process."""
    monkeypatch.setenv("INSTEP_DATABASE_URL", database_url)
    settings.cache_clear()
    yield asyncio.run(as_owner(database_url, make_company))
    settings.cache_clear()


async def make_company(tx: Tx) -> Company:
    return (await assemble(tx)).globex


def test_the_commands(company: Company, database_url: str) -> None:
    async def write(tx: Tx) -> str:
        ctx = await operating(tx, company)
        made = await create_article(
            ctx, ArticleCreate.model_validate({"title": TITLE, "contentMarkdown": TEXT})
        )
        return (await publish_article(ctx, made.id)).id

    async def unpublish(tx: Tx) -> None:
        ctx = await operating(tx, company)
        await unpublish_article(ctx, "invoices")

    article_id = asyncio.run(as_owner(database_url, write))
    where = ["--workspace", company.workspace_id]

    added = told("golden", "add", EXPORT, "--article", "invoices", *where)
    assert (added["question"], added["articleId"], added["articleTitle"]) == (EXPORT, article_id, TITLE)
    assert [row["id"] for row in told("golden", "list", *where)["results"]] == [added["id"]]
    assert told("ask", "--golden", *where)["holds"] is True

    answer = told("ask", EXPORT, *where)
    assert answer["answered"] is True
    assert answer["sources"][0]["articleId"] == article_id
    spoken = run("ask", EXPORT, *where).stdout
    assert "[1]" in spoken
    assert "[1] Invoices: http://help.test/help/" in spoken
    declined = run("ask", "Which hotels accept lamas?", *where, "--json")
    assert (declined.exit_code, json.loads(declined.stdout)["answered"]) == (NOT_ANSWERED, False)

    asyncio.run(as_owner(database_url, unpublish))
    lost = run("ask", "--golden", *where)
    assert lost.exit_code == 1
    assert lost.stdout.splitlines() == [
        f"LOST  {EXPORT}",
        like("…“Invoices”…not answered…"),
        like("0 of 1…"),
    ]

    assert told("golden", "remove", added["id"], *where)["id"] == added["id"]
    assert run("ask", "--golden", *where).exit_code == 0
    for wrong in (["ask"], ["ask", EXPORT, "--golden"], ["ask", EXPORT, "--locale", "?", *where]):
        assert isinstance(run(*wrong).exception, AppError)


async def operating(tx: Tx, company: Company) -> Ctx:
    tx.workspace_id = company.workspace_id
    return Ctx(tx, await find_bot(tx, company.bot_id), Actor("command", "test", can_write=True), utc_now())


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def told(*arguments: str) -> Any:
    done = run(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


async def as_owner(database_url: str, work: Callable[[Tx], Awaitable[Made]]) -> Made:
    async with await psycopg.AsyncConnection.connect(database_url) as connection:
        return await work(Tx(connection))

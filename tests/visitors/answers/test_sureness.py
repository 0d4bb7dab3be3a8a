"""Confidence of answers: a small help center answers what it covers; below that it suggests articles."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.identity.schemas import Ctx
from instep.search.retrieve import retrieve
from instep.visitors.answers.ask import RetrievedContext, declined_answer
from tests.support.cast import Api, Cast, Client
from tests.support.http import all_pages
from tests.support.questions import ask, titles
from tests.support.search import context
from tests.support.site_pages import publish
from tests.support.wording import like

REFUNDS = "You can get your money back within 14 days of the purchase. Write to billing@acme.test."


@pytest.fixture
async def ctx(cast: Cast, database: Database) -> AsyncIterator[Ctx]:
    async with database.enter_workspace(cast.acme.workspace_id) as tx:
        yield context(tx, cast.acme)


async def publish_three(client: Client) -> None:
    await publish(client, "Refunds", REFUNDS)
    await publish(client, "Invite people to your team", "Open Team, choose Invite, and enter an address.")
    await publish(client, "Export your data", "Open Settings, choose Export, and wait for the file.")


@pytest.mark.parametrize(
    ("question", "part"),
    [
        ("How many days do I have to ask for a refund?", "14 days"),
        ("How do I invite someone to my team?", "choose Invite"),
        ("Can I export my data?", "choose Export"),
    ],
)
async def test_a_help_center_of_three_articles_answers_what_it_holds(
    api: Api, cast: Cast, question: str, part: str
) -> None:
    await publish_three(api(cast.acme.write_key))

    answer = await ask(api(None), cast.acme, question)

    assert answer["answered"] is True
    assert part in answer["answer"]


async def test_the_name_of_the_help_center_makes_no_answer_surer(api: Api, cast: Cast, ctx: Ctx) -> None:
    client = api(cast.acme.write_key)
    await publish_three(client)
    await publish(client, "Zebrix", "Zebrix takes payments by card. Zebrix sends a receipt.")

    question = "Does Zebrix take PayPal, cheques or cash?"

    by_name = [
        (await retrieve(replace(ctx, bot=replace(ctx.bot, name=name)), question)).signals
        for name in ("Zebrix", "Another")
    ]

    assert by_name[0].confidence < by_name[1].confidence - 0.05


async def test_words_alone_are_not_sure_without_a_word_that_says_much_of_the_question(
    api: Api, cast: Cast
) -> None:
    client = api(cast.acme.write_key)
    await publish_three(client)
    await publish(client, "Change an invoice", "Open the invoice, choose Change, and save it.")

    whole, without_logo = [
        await ask(api(None), cast.acme, question)
        for question in ("How do I change an invoice?", "How do I change the logo of an invoice?")
    ]

    assert (whole["answered"], whole["mayHelp"]) == (True, False)
    assert (without_logo["answered"], without_logo["mayHelp"]) == (False, True)
    assert titles(without_logo) == ["Change an invoice"]


@pytest.mark.parametrize("question", ["Which hotels accept lamas?", "How do I connect a printer?"])
async def test_a_help_center_of_three_articles_declines_what_it_does_not_hold(
    api: Api, cast: Cast, question: str
) -> None:
    await publish_three(api(cast.acme.write_key))

    answer = await ask(api(None), cast.acme, question)

    assert (answer["answered"], answer["mayHelp"], answer["sources"]) == (False, False, [])


async def test_between_sure_and_no_the_nearest_article_is_named_and_not_quoted(
    api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    await publish_three(client)
    monkeypatch.setattr(limits, "ANSWER_THRESHOLD", 1.1)

    answer = await ask(api(None), cast.acme, "How many days do I have to ask for a refund?")

    assert (answer["answered"], answer["mayHelp"]) == (False, True)
    assert limits.MAY_HELP_THRESHOLD <= answer["confidence"] < 1
    assert answer["answer"] == like("…found no answer…closest…person…")
    assert "14 days" not in answer["answer"]
    assert titles(answer) == ["Refunds"]
    [unanswered] = await all_pages(client, "/v1/insights/unanswered")
    assert unanswered["question"] == "How many days do I have to ask for a refund?"


async def test_two_equally_helpful_articles_are_both_named(api: Api, cast: Cast, ctx: Ctx) -> None:
    for name in ("Card", "Letter"):
        await publish(api(cast.acme.write_key), name, f"The {name.lower()} arrives on Monday.")
    passages = (await retrieve(ctx, "When does it arrive?", candidates=8)).passages
    alike = [replace(passage, section_score=1.0) for passage in passages]
    clear = [alike[0], replace(alike[1], section_score=-1.0)]

    of_two, of_one = [
        declined_answer(RetrievedContext("When does it arrive?", "en", passages, 0.3))
        for passages in (alike, clear)
    ]

    assert [source.n for source in of_two.sources] == [1, 2]
    assert [source.passage.title for source in of_one.sources] == [alike[0].title]


async def test_sureness_does_not_depend_on_how_long_a_question_is(api: Api, cast: Cast, ctx: Ctx) -> None:
    await publish_three(api(cast.acme.write_key))

    short = (await retrieve(ctx, "refund days")).signals
    long = (
        await retrieve(ctx, "please could you tell me how many refund days there are, or what they are")
    ).signals

    assert abs(short.confidence - long.confidence) < 0.25
    assert all(0 <= value <= 1 for value in short.signs.values())


async def test_a_misspelled_word_counts_as_the_one_that_was_meant(api: Api, cast: Cast) -> None:
    await publish_three(api(cast.acme.write_key))

    answer = await ask(api(None), cast.acme, "How do I exprot my data?")

    assert answer["answered"] is True

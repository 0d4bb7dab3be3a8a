"""How sure an answer is: small help centers answer what they hold, and between both something may help."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.identity.schemas import Ctx
from instep.search.retrieve import retrieve
from instep.visitors.answers.ask import RetrievedContext, extractive_answer
from tests.support.cast import Api, Cast, Client
from tests.support.http import all_pages
from tests.support.questions import ask
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
    assert "choose Change" in without_logo["answer"]


@pytest.mark.parametrize("question", ["Which hotels accept lamas?", "How do I connect a printer?"])
async def test_a_help_center_of_three_articles_declines_what_it_does_not_hold(
    api: Api, cast: Cast, question: str
) -> None:
    await publish_three(api(cast.acme.write_key))

    answer = await ask(api(None), cast.acme, question)

    assert (answer["answered"], answer["mayHelp"]) == (False, False)


async def test_between_sure_and_no_the_nearest_section_may_help(
    api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = api(cast.acme.write_key)
    await publish_three(client)
    monkeypatch.setattr(limits, "ANSWER_THRESHOLD", 1.1)

    answer = await ask(api(None), cast.acme, "How many days do I have to ask for a refund?")

    assert (answer["answered"], answer["mayHelp"]) == (False, True)
    assert limits.MAY_HELP_THRESHOLD <= answer["confidence"] < 1
    lead, quote, person = answer["answer"].split("\n\n")
    assert "not sure" in lead
    assert quote == (
        "**Refunds**: You can get your money back within 14 days of the purchase [1]. "
        "Write to `billing@acme.test` [1]."
    )
    assert person == like("…person…")
    assert [source["title"] for source in answer["sources"]] == ["Refunds"]
    [unanswered] = await all_pages(client, "/v1/insights/unanswered")
    assert unanswered["question"] == "How many days do I have to ask for a refund?"


async def test_of_two_sections_that_may_help_alike_both_are_named(api: Api, cast: Cast, ctx: Ctx) -> None:
    text = "## Card\n\nThe card arrives on Monday.\n\n## Letter\n\nThe letter arrives on Friday."
    await publish(api(cast.acme.write_key), "Post", text)
    passages = (await retrieve(ctx, "When does it arrive?", candidates=8)).passages
    passages = [replace(passage, section_score=1.0) for passage in passages]

    answer = extractive_answer(RetrievedContext("When does it arrive?", "en", passages, 0.3))
    clear = [passages[0], replace(passages[1], section_score=-1.0)]
    of_one = extractive_answer(RetrievedContext("When does it arrive?", "en", clear, 0.3))

    assert "**Post > Card**: The card arrives on Monday [1]." in answer.text
    assert "**Post > Letter**: The letter arrives on Friday [2]." in answer.text
    assert [source.n for source in answer.sources] == [1, 2]
    assert "Letter" not in of_one.text


async def test_what_may_help_is_quoted_with_its_steps_and_code(api: Api, cast: Cast, ctx: Ctx) -> None:
    text = "1. Stop the printer.\n2. Run this:\n\n   ```\n   printer reset\n   ```\n\nLamps blink twice."
    await publish(api(cast.acme.write_key), "Reset the printer", text)
    question = "How do I reset the printer?"
    passages = (await retrieve(ctx, question)).passages

    answer = extractive_answer(RetrievedContext(question, "en", passages, limits.MAY_HELP_THRESHOLD))

    assert answer.may_help
    assert (
        "**Reset the printer**:\n\n"
        "1. Stop the printer [1].\n2. Run this [1]:\n   \n   ```\n   printer reset\n   ```"
    ) in answer.text


async def test_what_may_help_is_the_short_part_that_bears_on_the_question(
    api: Api, cast: Cast, ctx: Ctx
) -> None:
    filler = "Each lamp of the panel has a colour that shows what the panel is doing now. " * 5
    text = f"{filler}\n\nA red blinking lamp means that the toner is empty."
    await publish(api(cast.acme.write_key), "Lamps of the panel", text)
    question = "What does a red blinking lamp mean?"
    passages = (await retrieve(ctx, question)).passages

    answer = extractive_answer(RetrievedContext(question, "en", passages, limits.MAY_HELP_THRESHOLD))

    assert "**Lamps of the panel**: A red blinking lamp means that the toner is empty [1]." in answer.text
    assert "colour" not in answer.text


async def test_what_may_help_holds_no_link_and_no_html(api: Api, cast: Cast, ctx: Ctx) -> None:
    text = "Refunds are [paid](https://evil.test) within 14 days <img src=x onerror=alert(1)>."
    await publish(api(cast.acme.write_key), "Refunds [1] <b>now</b>", text)
    question = "How many days does a refund take?"
    passages = (await retrieve(ctx, question)).passages

    answer = extractive_answer(RetrievedContext(question, "en", passages, limits.MAY_HELP_THRESHOLD))

    assert answer.may_help
    assert "evil.test" not in answer.text
    assert "<img" not in answer.text
    assert "\\[1\\]" in answer.text


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

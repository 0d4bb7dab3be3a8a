"""Words that are common in questions: synonyms that most help centers share, and words without content."""

from dataclasses import replace

import pytest

from instep.platform.identity.schemas import Ctx
from instep.search.retrieve import retrieve
from tests.support.cast import Api, Cast
from tests.support.search import publish


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("How much RAM?", "Memory"),
        ("When are the grades shown?", "Marks"),
        ("my kid", "Children"),
        ("no wifi", "Internet"),
        ("get my money back", "Refunds"),
    ],
)
async def test_a_word_finds_the_article_that_says_it_in_another_one(
    api: Api, cast: Cast, ctx: Ctx, question: str, title: str
) -> None:
    client = api(cast.acme.write_key)
    for text in ("Memory", "Marks", "Children", "Internet", "Refunds"):
        await publish(client, text, f"What holds for {text.lower()}.")

    passages = (await retrieve(ctx, question)).passages

    assert passages[0].title == title


async def test_words_that_the_bots_language_leaves_out_are_told_also_of_articles_in_another(
    api: Api, cast: Cast, ctx: Ctx
) -> None:
    await publish(api(cast.acme.write_key), "Bestellen", "Als Gast bestellen.", locale="en")
    german = replace(ctx, bot=replace(ctx.bot, locale="de"))

    for of_bot, stop_words in ((german, {"kann", "ich", "auch", "als"}), (ctx, set[str]())):
        [passage] = (await retrieve(of_bot, "Kann ich auch als Gast bestellen?")).passages
        assert passage.stop_words == stop_words

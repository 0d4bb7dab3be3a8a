"""In languages that join words into compounds, a search also uses the parts."""

from dataclasses import replace

import pytest

from instep.platform.identity.schemas import Ctx
from instep.search.retrieve import retrieve
from instep.search.schemas import Retrieval
from tests.support.cast import Api, Cast
from tests.support.search import publish

ARTICLES = {
    "Vertrag kündigen": "Die Kündigung hat eine Frist von einem Monat.",
    "Lieferung": "Die Versandkosten betragen 4,90 Euro.",
    "Rückgabe": "Wir zahlen die Rücksendung.",
    "Tarife": "Unser Tarif kostet 9 Euro.",
    "Zähler": "Lesen Sie im Dezember den Zählerstand ab.",
}


def german(ctx: Ctx, locale: str = "de") -> Ctx:
    return replace(ctx, bot=replace(ctx.bot, locale=locale))


async def ask(api: Api, cast: Cast, ctx: Ctx, question: str, locale: str = "de") -> Retrieval:
    for title, text in ARTICLES.items():
        await publish(api(cast.acme.write_key), title, text, locale=locale)
    return await retrieve(german(ctx, locale), question, locale)


@pytest.mark.parametrize(
    ("question", "title"),
    [
        # Both parts are words of the articles, or only the second one is.
        ("Kündigungsfrist", "Vertrag kündigen"),
        ("Fahrradrücksendung", "Rückgabe"),
        # The word is a part of a compound in the articles.
        ("Was kostet der Versand?", "Lieferung"),
        ("Kosten", "Lieferung"),
        ("Stand", "Zähler"),
    ],
)
async def test_a_compound_and_its_parts_find_each_other(
    api: Api, cast: Cast, ctx: Ctx, question: str, title: str
) -> None:
    passages = (await ask(api, cast, ctx, question)).passages

    assert title in [passage.title for passage in passages[:2]]


async def test_a_part_that_no_article_has_makes_something_else_of_the_other(
    api: Api, cast: Cast, ctx: Ctx
) -> None:
    retrieval = await ask(api, cast, ctx, "Nachttarif")

    assert retrieval.passages[0].title == "Tarife"
    assert retrieval.signals.signs["coverage"] <= 0.5
    assert (
        retrieval.signals.confidence < (await retrieve(german(ctx), "Tarif", "de")).signals.confidence - 0.1
    )


async def test_words_of_other_languages_are_not_divided(api: Api, cast: Cast, ctx: Ctx) -> None:
    retrieval = await ask(api, cast, ctx, "Kündigungsfrist", "en")

    assert retrieval.passages == []

"""Synonyms of seven languages and of a bot, through the API and in the dashboard."""

import pytest

from instep.platform.core import limits
from instep.platform.identity.schemas import Ctx
from instep.search.retrieve import retrieve
from tests.support.cast import Api, Cast
from tests.support.http import ok
from tests.support.search import publish

PATH = "/v1/synonyms"


async def first_title(ctx: Ctx, question: str, locale: str = "en") -> str | None:
    passages = (await retrieve(ctx, question, locale)).passages
    return passages[0].title if passages else None


@pytest.mark.parametrize(
    ("locale", "title", "text", "question"),
    [
        ("en", "Sign in", "Sign in with your address.", "How do I log in?"),
        ("en", "Second factors", "Add an authenticator app.", "Turn on 2FA"),
        ("en", "Pictures", "Show a picture in a text.", "Where do I put a screenshot?"),
        ("de", "Mitglieder", "Ein Mitglied einladen.", "Wie füge ich einen Kollegen hinzu?"),
        ("fr", "Résilier", "Résilier la formule.", "Comment annuler mon abonnement ?"),
        ("es", "Eliminar la cuenta", "Eliminar el perfil.", "¿Cómo borro mi cuenta?"),
        ("pt", "Convites", "Envie um convite.", "Como adicionar um colega?"),
        ("ja", "招待", "招待します。", "追加"),
        ("ar", "الترجمة", "ترجمة المقالات.", "كيف أغير لغة"),
    ],
)
async def test_words_that_mean_the_same_are_known_in_seven_languages(
    api: Api, cast: Cast, ctx: Ctx, locale: str, title: str, text: str, question: str
) -> None:
    await publish(api(cast.acme.write_key), title, text, locale=locale)

    assert await first_title(ctx, question, locale) == title


async def test_the_word_itself_comes_before_its_synonyms(api: Api, cast: Cast, ctx: Ctx) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Dismiss", "Dismiss a proposal: dismiss it here.")
    await publish(client, "Reject", "Reject a proposal.")

    assert await first_title(ctx, "reject a proposal") == "Reject"
    assert await first_title(ctx, "dismiss a proposal") == "Dismiss"


async def test_a_bot_has_synonyms_of_its_own(api: Api, cast: Cast, ctx: Ctx) -> None:
    client = api(cast.acme.write_key)
    await publish(client, "Basket", "What lies in the basket.")
    assert await first_title(ctx, "Where is my trolley?") is None

    changed = ok(await client.patch(PATH, json={"groups": [["trolley", "basket"], ["a  b", "c"]]}))

    assert changed == {"groups": [["trolley", "basket"], ["a b", "c"]]}
    assert ok(await api(cast.acme.read_key).get(PATH)) == changed
    assert await first_title(ctx, "Where is my trolley?") == "Basket"
    assert ok(await api(cast.globex.write_key).get(PATH)) == {"groups": []}

    ok(await client.patch(PATH, json={"groups": []}))
    assert await first_title(ctx, "Where is my trolley?") is None


@pytest.mark.parametrize(
    "groups",
    [
        [["alone"]],
        [["a,b", "c"]],
        [["", "c"]],
        [["?!", "c"]],
        [["x" * (limits.MAX_SYNONYM_CHARACTERS + 1), "c"]],
        [[str(number) for number in range(limits.MAX_SYNONYMS_PER_GROUP + 1)]],
        [["a", "b"]] * (limits.MAX_SYNONYM_GROUPS + 1),
        "a, b",
    ],
)
async def test_invalid_groups_of_synonyms_are_refused(api: Api, cast: Cast, groups: object) -> None:
    refused = await api(cast.acme.write_key).patch(PATH, json={"groups": groups})

    assert refused.status_code == 400
    assert ok(await api(cast.acme.read_key).get(PATH)) == {"groups": []}

"""GET /widget/{botId}/search: the articles that a widget lists while a visitor types."""

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Json
from tests.support.http import Response, ok
from tests.support.site_pages import publish
from tests.support.visitor_tokens import claims, secret_of, sign
from tests.support.visitors import SITE, cors_of, named_fields, open_to, refusal


async def search(api: Api, cast: Cast, query: str, token: str | None = None, **params: str) -> Response:
    headers = {"Visitor-Token": token} if token else {}
    sent = {"botKey": cast.acme.bot_key, "q": query, **params}
    return await api(None).get(f"/widget/{cast.acme.bot_id}/search", params=sent, headers=headers)


async def titles(api: Api, cast: Cast, query: str, token: str | None = None, **params: str) -> list[str]:
    results: list[Json] = ok(await search(api, cast, query, token, **params))["results"]
    return [article["title"] for article in results]


async def test_each_article_is_listed_once_with_its_best_passage(api: Api, cast: Cast) -> None:
    text = "## Invoices\n\nInvoices come by e-mail.\n\n## Receipts\n\nReceipts of invoices come later."
    article = await publish(api(cast.acme.write_key), "Paying", text)

    [found] = ok(await search(api, cast, "invoices"))["results"]

    assert found == {
        "articleId": article["id"],
        "title": "Paying",
        "locale": "en",
        "url": f"http://help.test/help/{cast.acme.slug}/articles/paying#h-invoices",
        "heading": "Invoices",
        "version": None,
        "excerpt": "Invoices come by e-mail.",
    }


async def test_beginning_of_the_last_word_is_enough(api: Api, cast: Cast) -> None:
    await publish(api(cast.acme.write_key), "Two-factor authentication", "Sign in with a code.")

    assert await titles(api, cast, "authent") == ["Two-factor authentication"]
    assert await titles(api, cast, "zeppelin") == []


async def test_a_language_without_articles_finds_those_of_the_others(api: Api, cast: Cast) -> None:
    await publish(api(cast.acme.write_key), "Invoices", "Invoices come by e-mail.")
    await publish(api(cast.acme.write_key), "Invoices in German", "Invoices", locale="de")

    assert await titles(api, cast, "invoices", locale="de") == ["Invoices in German"]
    assert await titles(api, cast, "invoices", locale="fr") != []


async def test_articles_for_signed_in_readers_need_their_token(api: Api, cast: Cast, owner: Tx) -> None:
    await publish(api(cast.acme.write_key), "Invoices", "Words.", visibility="authenticated")
    secret = await secret_of(owner, cast.acme)

    assert await titles(api, cast, "invoices") == []
    assert await titles(api, cast, "invoices", sign(secret, claims())) == ["Invoices"]
    assert named_fields(await search(api, cast, "invoices", "forged")) == ["visitorToken"]


@pytest.mark.parametrize("query", ["", "a", " ", "a\0b", "x" * 501])
async def test_invalid_queries_are_refused(api: Api, cast: Cast, query: str) -> None:
    assert named_fields(await search(api, cast, query)) == ["q"]


async def test_a_page_may_send_the_token_of_its_visitor(api: Api, cast: Cast, owner: Tx) -> None:
    await open_to(owner, cast.acme, SITE)
    path = f"/widget/{cast.acme.bot_id}/search"
    first = {"Origin": SITE, "Access-Control-Request-Method": "GET"}

    preflight = await api(None).request("OPTIONS", path, headers=first)
    foreign = {"Origin": "https://evil.example"}
    refused = await api(None).get(path, params={"botKey": cast.acme.bot_key, "q": "ab"}, headers=foreign)

    assert "Visitor-Token" in cors_of(preflight)["access-control-allow-headers"]
    assert refusal(refused) == (403, "origin_not_allowed")

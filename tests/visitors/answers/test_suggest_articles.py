"""GET /widget/{botId}/suggestions: the articles that a widget lists before a visitor asks."""

import pytest

from instep.platform.core.database import Tx
from instep.visitors.answers.page_words import words_of_page
from tests.support.cast import Api, Cast, Json
from tests.support.http import ok
from tests.support.site_pages import collect, publish
from tests.support.visitor_tokens import claims, secret_of, sign
from tests.support.visitors import named_fields


async def suggestions(
    api: Api, cast: Cast, page: str | None = None, token: str | None = None, **params: str
) -> list[str]:
    sent = {"botKey": cast.acme.bot_key, **params} | ({"pageUrl": page} if page else {})
    headers = {"Visitor-Token": token} if token else {}
    answer = await api(None).get(f"/widget/{cast.acme.bot_id}/suggestions", params=sent, headers=headers)
    results: list[Json] = ok(answer)["results"]
    return [article["title"] for article in results]


async def test_suggestions_are_about_the_subject_of_the_page(api: Api, cast: Cast) -> None:
    client = api(cast.acme.write_key)
    for title in ("Invite people", "Read your invoices", "Delete a project"):
        await publish(client, title, "Words.")

    assert await suggestions(api, cast, "https://app.acme.example/billing/invoices?tab=2") == [
        "Read your invoices"
    ]
    assert await suggestions(api, cast, "https://app.acme.example/#/projects/8f3a21/delete") == [
        "Delete a project"
    ]


async def test_without_a_subject_they_are_the_first_of_the_help_center(
    api: Api, cast: Cast, owner: Tx
) -> None:
    client = api(cast.acme.write_key)
    start = await collect(client, "Start")
    inside = await collect(client, "Staff", visibility="authenticated")
    await publish(client, "Nowhere")
    await publish(client, "First", description="How to begin.", collectionId=start["id"])
    await publish(client, "Hidden", collectionId=inside["id"])
    await publish(client, "Erste", locale="de")

    assert await suggestions(api, cast) == ["First", "Nowhere"]
    assert await suggestions(api, cast, "https://app.acme.example/zeppelin") == ["First", "Nowhere"]
    assert await suggestions(api, cast, locale="de") == ["Erste"]
    assert await suggestions(api, cast, locale="fr") == ["First", "Nowhere"]


async def test_suggestions_of_private_articles_need_a_visitor_token(api: Api, cast: Cast, owner: Tx) -> None:
    await publish(api(cast.acme.write_key), "Read your invoices", "Words.", visibility="authenticated")
    page, secret = "https://app.acme.example/invoices", await secret_of(owner, cast.acme)

    assert await suggestions(api, cast, page) == []
    assert await suggestions(api, cast, page, sign(secret, claims())) == ["Read your invoices"]


async def test_an_address_beyond_the_limit_is_refused(api: Api, cast: Cast) -> None:
    sent = {"botKey": cast.acme.bot_key, "pageUrl": "https://a.test/" + "x" * 2_000}

    assert named_fields(await api(None).get(f"/widget/{cast.acme.bot_id}/suggestions", params=sent)) == [
        "pageUrl"
    ]


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("https://a.test/app/teamSettings/members.html", "team settings members"),
        ("https://a.test/projects/8f3a2b/settings", "projects settings"),
        ("https://a.test/x#!/billing/invoices", "billing invoices"),
        ("https://a.test/x#billing", ""),
        ("https://a.test/reset/" + "x" * 40, "reset"),
        ("https://a.test/%E8%AB%8B%E6%B1%82/", "請求"),
        ("http://[bad", ""),
        ("", ""),
    ],
)
def test_the_words_of_a_page_are_those_of_its_path(address: str, words: str) -> None:
    assert words_of_page(address) == words

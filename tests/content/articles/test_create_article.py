"""POST /v1/articles."""

import re
from typing import Any

import pytest

from tests.support.cast import Cast, Client, Json
from tests.support.http import (
    ID,
    TIMESTAMP,
    Response,
    all_pages,
    at_once,
    create_article,
    create_collection,
    created,
    error,
    named_fields,
    ok,
)

FIELDS = {
    *("id", "slug", "title", "description", "contentMarkdown", "collectionId", "visibility", "locale"),
    *("translationOf", "translations", "position", "status", "hasUnpublishedChanges", "version", "url"),
    *("botId", "publishedAt", "createdAt", "updatedAt", "owner", "reviewBy", "freshness"),
    *("sinceVersion", "untilVersion", "versionOf"),
}


async def test_a_new_article_is_a_draft_with_every_field(client: Client, cast: Cast) -> None:
    body = {"title": "Install it", "contentMarkdown": "# Run *it*\r\n"}

    article = created(await client.post("/v1/articles", json=body))

    assert article.keys() == FIELDS
    assert re.fullmatch("art" + ID, article.pop("id"))
    assert TIMESTAMP.fullmatch(article["createdAt"])
    assert article.pop("updatedAt") == article.pop("createdAt")
    assert article == {
        **body,
        "slug": "install-it",
        "description": None,
        "collectionId": None,
        "visibility": "public",
        "locale": "en",
        "translationOf": None,
        "translations": [],
        "position": 0,
        "status": "draft",
        "hasUnpublishedChanges": False,
        "version": 1,
        "url": None,
        "botId": str(cast.acme.bot_id),
        "publishedAt": None,
        "owner": None,
        "reviewBy": None,
        "freshness": None,
        "sinceVersion": None,
        "untilVersion": None,
        "versionOf": None,
    }


async def test_the_fields_sent_are_kept(client: Client) -> None:
    collection = await create_collection(client)
    body = {
        "title": "Einrichten",
        "contentMarkdown": "",
        "slug": "ganz-anders",
        "description": "Wie man es einrichtet.",
        "collectionId": collection["id"],
        "visibility": "authenticated",
        "locale": "de-AT",
        "position": 7,
    }

    article = await create_article(client, **body)

    assert article | body == article
    assert ok(await client.get("/v1/articles/ganz-anders")) == article


async def test_the_answer_names_its_state(client: Client) -> None:
    body = {"title": "Install", "contentMarkdown": "Run it."}

    etag = (await client.post("/v1/articles", json=body)).headers["ETag"]

    again = await client.get("/v1/articles/install", headers={"If-None-Match": etag})
    assert (again.status_code, again.headers["ETag"]) == (304, etag)


async def test_a_new_article_is_not_on_the_site(client: Client, visitor: Client, cast: Cast) -> None:
    await create_article(client)

    assert (await visitor.get(f"/help/{cast.acme.slug}/articles/install")).status_code == 404


async def test_a_collection_may_be_named_by_its_slug(client: Client) -> None:
    collection = await create_collection(client, "Guides")

    article = await create_article(client, collectionId=collection["slug"])

    assert article["collectionId"] == collection["id"]


async def test_a_title_may_have_200_characters_of_any_script(client: Client) -> None:
    article = await create_article(client, "語" * 199 + "🙂")

    assert article["title"] == "語" * 199 + "🙂"
    assert article["slug"] == "語" * 120


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", None),
        ("title", ""),
        ("title", " \n\t"),
        ("title", "\u200b\u202e\ufeff"),
        ("title", "x" * 201),
        ("title", 5),
        ("title", ["Install"]),
        ("title", "a\0b"),
        ("contentMarkdown", None),
        ("contentMarkdown", 5),
        ("contentMarkdown", "a\0b"),
        ("contentMarkdown", "x" * 1_000_001),
        ("description", "x" * 501),
        ("description", None),
        ("slug", None),
        ("slug", ""),
        ("slug", "search"),
        ("slug", "art_01k0000000000000000000000a"),
        ("slug", "0190163d-8694-739b-aea5-966c26f8ad91"),
        ("slug", "Upper"),
        ("slug", "two words"),
        ("slug", "-edge"),
        ("slug", "a--b"),
        ("slug", "a/b"),
        ("slug", "a_b"),
        ("slug", "x" * 121),
        ("collectionId", "col_01k0000000000000000000000a"),
        ("collectionId", "nowhere"),
        ("collectionId", 5),
        ("collectionId", "a\0b"),
        ("translationOf", "art_01k0000000000000000000000a"),
        ("translationOf", True),
        ("translationOf", None),
        ("translationOf", ""),
        ("collectionId", ""),
        ("visibility", "secret"),
        ("visibility", None),
        ("locale", "English"),
        ("locale", ""),
        ("locale", None),
        ("position", -1),
        ("position", 2_147_483_648),
        ("position", 10**30),
        ("position", 1.5),
        ("position", "1"),
        ("position", True),
        ("position", None),
        ("status", "published"),
        ("id", "art_01k0000000000000000000000a"),
        ("content_markdown", "x"),
    ],
)
async def test_a_bad_value_is_refused_by_name(client: Client, field: str, value: Any) -> None:
    body = {"title": "Install", "contentMarkdown": "Run it.", field: value}

    assert named_fields(await client.post("/v1/articles", json=body)) == [field]
    assert await all_pages(client, "/v1/articles") == []


async def test_a_whole_number_may_be_written_with_a_point(client: Client) -> None:
    body = b'{"title": "Install", "contentMarkdown": "Run it.", "position": 3.0}'
    headers = {"Content-Type": "application/json"}

    article = created(await client.post("/v1/articles", content=body, headers=headers))

    assert article["position"] == 3


@pytest.mark.parametrize("missing", ["title", "contentMarkdown"])
async def test_title_and_text_are_required(client: Client, missing: str) -> None:
    body = {"title": "Install", "contentMarkdown": "Run it."}
    del body[missing]

    assert named_fields(await client.post("/v1/articles", json=body)) == [missing]


async def test_all_bad_values_are_named_at_once(client: Client) -> None:
    body = {"title": "", "contentMarkdown": 5, "colour": "red"}

    refusal = await client.post("/v1/articles", json=body)

    assert set(named_fields(refusal)) == {"title", "contentMarkdown", "colour"}


async def test_a_collection_of_another_bot_is_as_unknown_as_none(client: Client, globex: Client) -> None:
    theirs = await create_collection(globex)
    body = {"title": "Install", "contentMarkdown": ""}

    refusal = await client.post("/v1/articles", json={**body, "collectionId": theirs["id"]})
    unknown = await client.post("/v1/articles", json={**body, "collectionId": "nowhere"})

    assert named_fields(refusal) == ["collectionId"]
    assert refusal.json() == unknown.json()


async def test_slugs_of_equal_titles_are_numbered(client: Client) -> None:
    slugs = [(await create_article(client, "Set up!"))["slug"] for _ in range(3)]

    assert slugs == ["set-up", "set-up-2", "set-up-3"]


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("Search", "search-2"),
        ("0190163d-8694-739b-aea5-966c26f8ad91", "0190163d-8694-739b-aea5-966c26f8ad91-2"),
        ("Größe ändern: 2 Wege", "größe-ändern-2-wege"),
        ("設定を変更する", "設定を変更する"),
        ("पासवर्ड बदलें", "पासवर्ड-बदलें"),
        ("!!!", "article"),
        ("snake_case & <b>", "snake-case-b"),
    ],
)
async def test_the_slug_is_made_from_the_title(client: Client, title: str, slug: str) -> None:
    article = await create_article(client, title)

    assert article["slug"] == slug
    assert ok(await client.get(f"/v1/articles/{slug}"))["id"] == article["id"]


async def test_a_numbered_slug_of_a_long_title_fits(client: Client) -> None:
    slugs = [(await create_article(client, "x" * 200))["slug"] for _ in range(2)]

    assert slugs == ["x" * 120, "x" * 118 + "-2"]


async def test_a_slug_in_use_is_taken(client: Client) -> None:
    await create_article(client, "Install")

    body = {"title": "Other", "contentMarkdown": "", "slug": "install"}

    assert error(await client.post("/v1/articles", json=body)) == (400, "slug_taken")


async def test_a_slug_is_free_in_another_locale_bot_and_workspace(
    client: Client, globex: Client, wide: Client, cast: Cast
) -> None:
    await create_article(client, slug="install")

    assert (await create_article(client, slug="install", locale="de"))["slug"] == "install"
    body = {"title": "Install", "contentMarkdown": "", "slug": "install"}
    second = {"bot_id": str(cast.second_bot_id)}
    assert (await wide.post("/v1/articles", json=body, params=second)).status_code == 201
    assert (await create_article(globex, slug="install"))["slug"] == "install"


async def test_twenty_of_one_title_at_once_get_twenty_slugs(client: Client) -> None:
    articles = await at_once(20, lambda _: create_article(client, "Install"))

    expected = {"install"} | {f"install-{number}" for number in range(2, 21)}
    assert {article["slug"] for article in articles} == expected


async def test_twenty_at_once_get_twenty_slugs_and_places(client: Client) -> None:
    articles = await at_once(20, lambda number: create_article(client, "AB"[number % 2]))

    expected = {letter + suffix for letter in "ab" for suffix in ("", *(f"-{n}" for n in range(2, 11)))}
    assert {article["slug"] for article in articles} == expected
    assert sorted(article["position"] for article in articles) == list(range(20))


async def test_twenty_parallel_requests_for_one_slug_create_one_article(client: Client) -> None:
    body = {"title": "Install", "contentMarkdown": "", "slug": "wanted"}

    async def ask(_: int) -> Response:
        return await client.post("/v1/articles", json=body)

    answers = [(answer.status_code, answer.json().get("code")) for answer in await at_once(20, ask)]

    assert sorted(answers, key=str) == [(201, None)] + [(400, "slug_taken")] * 19


async def test_a_new_article_goes_to_the_end_of_its_collection(client: Client) -> None:
    guides, tips = [(await create_collection(client, title))["id"] for title in ("Guides", "Tips")]

    async def position(**fields: Any) -> Any:
        return (await create_article(client, **fields))["position"]

    assert [await position(collectionId=guides) for _ in range(2)] == [0, 1]
    assert await position(collectionId=tips) == 0
    assert await position() == 0
    assert await position(collectionId=guides, position=40) == 40
    assert await position(collectionId=guides) == 41


async def test_there_is_room_behind_the_last_position(client: Client) -> None:
    await create_article(client, position=2_147_483_647)

    assert (await create_article(client))["position"] == 2_147_483_647


async def test_a_translation_shows_at_its_root(client: Client) -> None:
    root = await create_article(client, "Install")

    german = await create_article(client, "Einrichten", translationOf=root["id"], locale="de")
    french = await create_article(client, "Installer", translationOf=german["id"], locale="fr")

    assert german["translationOf"] == french["translationOf"] == root["id"]
    assert ok(await client.get(f"/v1/articles/{root['id']}"))["translations"] == [
        entry(german),
        entry(french),
    ]


async def test_a_root_may_be_named_by_a_slug_that_it_has_or_had(client: Client) -> None:
    root = await create_article(client, "Install")
    ok(await client.patch("/v1/articles/install", json={"slug": "set-up"}))

    for slug, locale in (("set-up", "de"), ("install", "fr")):
        translation = await create_article(client, "T", translationOf=slug, locale=locale)
        assert translation["translationOf"] == root["id"]


async def test_a_translation_has_the_readers_of_its_original_unless_others_are_sent(client: Client) -> None:
    team = await create_collection(client, "Team")
    root = await create_article(client, "Passwords", visibility="authenticated", collectionId=team["slug"])
    german = await create_article(client, "Passwörter", translationOf=root["id"], locale="de")
    french = await create_article(client, "Mots de passe", translationOf=german["id"], locale="fr")
    sent = {"visibility": "public", "collectionId": None}
    dutch = await create_article(client, "Wachtwoorden", translationOf=root["id"], locale="nl", **sent)

    for translation in (german, french):
        readers = (translation["visibility"], translation["collectionId"])
        assert readers == ("authenticated", team["id"])
    assert (dutch["visibility"], dutch["collectionId"]) == ("public", None)


@pytest.mark.parametrize("locale", ["en", "de"])
async def test_an_article_has_one_text_a_locale(client: Client, locale: str) -> None:
    root = await create_article(client, "Install")
    await create_article(client, "Einrichten", translationOf=root["id"], locale="de")
    body = {"title": "Again", "contentMarkdown": "", "translationOf": root["id"], "locale": locale}

    assert named_fields(await client.post("/v1/articles", json=body)) == ["locale"]


async def test_ten_parallel_translations_into_one_locale_create_one(client: Client) -> None:
    root = await create_article(client, "Install")
    body = {"title": "Einrichten", "contentMarkdown": "", "translationOf": root["id"], "locale": "de"}

    async def ask(_: int) -> int:
        return (await client.post("/v1/articles", json=body)).status_code

    assert sorted(await at_once(10, ask)) == [201] + [400] * 9


async def test_a_translation_belongs_to_an_article_of_the_bot(client: Client, globex: Client) -> None:
    theirs = await create_article(globex)
    body = {"title": "Einrichten", "contentMarkdown": "", "translationOf": theirs["id"], "locale": "de"}

    assert named_fields(await client.post("/v1/articles", json=body)) == ["translationOf"]


async def test_long_texts_and_odd_markdown_are_stored_as_sent(client: Client) -> None:
    text = "\ufeff" + "line\u2028 <script>x</script>\r\n" * 3_000 + "```\nopen"

    article = await create_article(client, contentMarkdown=text)

    assert ok(await client.get(f"/v1/articles/{article['id']}"))["contentMarkdown"] == text


def entry(article: Json) -> Json:
    return {"id": article["id"], "locale": article["locale"], "status": "draft", "outdated": False}

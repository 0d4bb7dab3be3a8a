"""GET /v1/articles/{id}."""

import pytest
from pydantic import BaseModel

from instep.content.articles.body_schemas import ArticleHtmlOut, ArticleOut
from tests.support.cast import Cast, Client
from tests.support.http import create_article, create_collection, error, named_fields, ok


async def test_article_is_found_by_id_and_by_slug(client: Client) -> None:
    article = await create_article(client, "Größe ändern")

    for ref in (article["id"], article["slug"]):
        assert ok(await client.get(f"/v1/articles/{ref}")) == article


@pytest.mark.parametrize(("format", "shape"), [("markdown", ArticleOut), ("html", ArticleHtmlOut)])
async def test_response_has_the_documented_shape(client: Client, format: str, shape: type[BaseModel]) -> None:
    await create_article(client)
    await client.post("/v1/articles/install/publish")

    response = await client.get("/v1/articles/install", params={"format": format})

    assert shape.model_validate(ok(response)).model_dump_json(by_alias=True) == response.text


async def test_html_takes_the_place_of_markdown(client: Client) -> None:
    text = "# Run\n\n*it* <script>alert(1)</script><b onclick=x>now</b>"
    article = await create_article(client, contentMarkdown=text)

    html = ok(await client.get("/v1/articles/install", params={"format": "html"}))

    content = html.pop("contentHtml")
    assert html == {name: value for name, value in article.items() if name != "contentMarkdown"}
    assert "<em>it</em>" in content
    assert "script" not in content
    assert "onclick" not in content


async def test_html_is_exactly_what_the_site_shows(client: Client, visitor: Client) -> None:
    await create_article(client, contentMarkdown="## Step\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done")
    url = ok(await client.post("/v1/articles/install/publish"))["url"]

    html = ok(await client.get("/v1/articles/install?format=html"))["contentHtml"]

    assert html in (await visitor.get(url)).text


async def test_another_format_is_refused(reader: Client) -> None:
    refusal = await reader.get("/v1/articles/install", params={"format": "pdf"})

    assert named_fields(refusal) == ["format"]


async def test_an_unknown_parameter_is_ignored(client: Client) -> None:
    article = await create_article(client)

    assert ok(await client.get("/v1/articles/install?colour=red")) == article


async def test_an_article_of_somebody_else_is_as_unknown_as_none(reader: Client, globex: Client) -> None:
    theirs = await create_article(globex, "Theirs")

    answers = [
        await reader.get(f"/v1/articles/{ref}")
        for ref in (theirs["id"], theirs["slug"], "art_01k0000000000000000000000a", "nothing", "%00")
    ]

    assert {error(answer) for answer in answers[:-1]} == {(404, "not_found")}
    assert len({answer.content for answer in answers[:-1]}) == 1
    assert error(answers[-1])[0] in (400, 404)


async def test_a_former_slug_keeps_working(client: Client) -> None:
    await create_article(client, "First")
    for slug in ("second", "third", "first"):
        article = ok(await client.patch("/v1/articles/first", json={"slug": slug}))

    for slug in ("first", "second", "third"):
        assert ok(await client.get(f"/v1/articles/{slug}")) == article


async def test_a_slug_in_use_wins_over_a_former_one(client: Client) -> None:
    await create_article(client, "First")
    await client.patch("/v1/articles/first", json={"slug": "moved"})

    newcomer = await create_article(client, "First")

    assert newcomer["slug"] == "first"
    assert ok(await client.get("/v1/articles/first"))["id"] == newcomer["id"]
    assert ok(await client.get("/v1/articles/moved"))["id"] != newcomer["id"]


async def test_the_default_locale_comes_first_then_the_others(client: Client) -> None:
    german = await create_article(client, slug="install", locale="de")
    assert ok(await client.get("/v1/articles/install"))["id"] == german["id"]

    english = await create_article(client, slug="install")

    assert ok(await client.get("/v1/articles/install"))["id"] == english["id"]


async def test_matching_etag_gets_304(client: Client) -> None:
    await create_article(client)
    etag = (await client.get("/v1/articles/install")).headers["ETag"]

    for tag in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        again = await client.get("/v1/articles/install", headers={"If-None-Match": tag})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", etag)
    changed = await client.get("/v1/articles/install", headers={"If-None-Match": '"other"'})
    assert changed.status_code == 200


@pytest.mark.parametrize("act", ["patch", "publish", "translate", "delete collection"])
async def test_the_etag_changes_with_the_article(client: Client, act: str) -> None:
    collection = await create_collection(client)
    article = await create_article(client, collectionId=collection["id"])
    etag = (await client.get("/v1/articles/install")).headers["ETag"]

    if act == "patch":
        ok(await client.patch("/v1/articles/install", json={"description": "New"}))
    elif act == "publish":
        ok(await client.post("/v1/articles/install/publish"))
    elif act == "translate":
        await create_article(client, "Einrichten", translationOf=article["id"], locale="de")
    else:
        ok(await client.delete(f"/v1/collections/{collection['id']}"))

    changed = await client.get("/v1/articles/install", headers={"If-None-Match": etag})
    assert (changed.status_code, changed.headers["ETag"] != etag) == (200, True)


async def test_a_translation_is_outdated_until_it_follows_its_root(client: Client) -> None:
    root = await create_article(client, "Install")
    await create_article(client, "Einrichten", translationOf=root["id"], locale="de")

    async def outdated() -> bool:
        [translation] = ok(await client.get("/v1/articles/install"))["translations"]
        is_outdated: bool = translation["outdated"]
        return is_outdated

    await client.patch("/v1/articles/install", json={"position": 5})
    assert not await outdated()
    await client.patch("/v1/articles/install", json={"contentMarkdown": "Run it twice."})
    assert await outdated()
    await client.patch("/v1/articles/einrichten", json={"contentMarkdown": "Zweimal starten."})
    assert not await outdated()


async def test_the_status_of_a_translation_shows_at_its_root(client: Client, cast: Cast) -> None:
    root = await create_article(client, "Install")
    await create_article(client, "Einrichten", translationOf=root["id"], locale="de")

    published = ok(await client.post("/v1/articles/einrichten/publish"))

    assert published["url"] == f"http://help.test/help/{cast.acme.slug}/de/articles/einrichten"
    [translation] = ok(await client.get("/v1/articles/install"))["translations"]
    assert translation["status"] == "published"

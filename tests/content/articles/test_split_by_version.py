"""POST /v1/articles/{id}/split: one article for several product versions becomes two."""

import pytest

from instep.content.articles.texts import find_article
from instep.drafting.drafts.actions import queue_new_article
from instep.drafting.drafts.proposals import NewArticle
from instep.platform.core.database import Database
from tests.support.articles import acting
from tests.support.cast import Cast, Client, Json
from tests.support.http import create_article, create_collection, created, error, ok
from tests.support.site_pages import publish

VERSIONS = "/v1/product-versions"


@pytest.fixture(autouse=True)
async def three_versions(client: Client) -> None:
    for slug in ("1.x", "2.x", "3.0"):
        created(await client.post(VERSIONS, json={"slug": slug}))
    ok(await client.patch(f"{VERSIONS}/2.x", json={"isCurrent": True}))


async def split(client: Client, article: Json, version: str) -> Json:
    return created(await client.post(f"/v1/articles/{article['id']}/split", json={"version": version}))


async def read(client: Client, article: Json) -> Json:
    return ok(await client.get(f"/v1/articles/{article['id']}"))


def bounds(article: Json) -> tuple[str | None, str | None]:
    return article["sinceVersion"], article["untilVersion"]


async def test_the_part_with_the_current_version_keeps_its_address(client: Client) -> None:
    collection = await create_collection(client)
    article = await publish(client, "Install", collectionId=collection["id"], description="How to.")

    old = await split(client, article, "2.x")

    now = await read(client, article)
    assert (bounds(old), bounds(now)) == ((None, "1.x"), ("2.x", None))
    assert (old["slug"], now["slug"]) == ("install-1-x", "install")
    assert (old["status"], old["versionOf"]) == ("published", article["id"])
    same = ("title", "description", "contentMarkdown", "collectionId", "position", "visibility")
    assert [old[name] for name in same] == [now[name] for name in same]

    new = await split(client, article, "3.0")
    assert (bounds(new), bounds(await read(client, article))) == (("3.0", None), ("2.x", "2.x"))
    assert (new["slug"], new["versionOf"]) == ("install-3-0", article["id"])


async def test_translations_are_split_with_their_original(client: Client) -> None:
    article = await publish(client, "Install")
    german = await publish(client, "Installieren", locale="de", translationOf=article["id"])
    ok(await client.patch(f"/v1/articles/{article['id']}", json={"contentMarkdown": "Run it again."}))

    old = await split(client, article, "2.x")

    [copy] = (await read(client, old))["translations"]
    assert (copy["locale"], copy["status"], copy["outdated"]) == ("de", "published", True)
    assert bounds(ok(await client.get(f"/v1/articles/{copy['id']}"))) == (None, "1.x")
    assert bounds(await read(client, german)) == ("2.x", None)
    refusal = await client.post(f"/v1/articles/{german['id']}/split", json={"version": "3.0"})
    assert error(refusal) == (400, "invalid_state")


async def test_a_translation_in_review_is_not_copied(client: Client, database: Database, cast: Cast) -> None:
    article = await publish(client, "Install")
    async with acting(database, cast.acme, "Writer") as ctx:
        original = await find_article(ctx, article["id"])
        new = NewArticle(title="Installieren", content="Los.", locale="de", original=original)
        await queue_new_article(ctx, new)

    old = await split(client, article, "2.x")

    [german] = (await read(client, article))["translations"]
    assert german["status"] == "in_review"
    assert bounds(await read(client, german)) == ("2.x", None)
    assert (await read(client, old))["translations"] == []


async def test_an_archived_article_and_a_draft_keep_their_status_and_owner(client: Client) -> None:
    draft = await create_article(client, "Draft", description="")
    ok(await client.patch(f"/v1/articles/{draft['id']}", json={"reviewBy": "2030-01-31"}))

    copy = await read(client, await split(client, draft, "2.x"))

    assert (copy["status"], copy["reviewBy"]) == ("draft", "2030-01-31")
    archived = await publish(client, "Old")
    ok(await client.post(f"/v1/articles/{archived['id']}/unpublish"))
    assert (await split(client, archived, "2.x"))["status"] == "draft"


@pytest.mark.parametrize(("version", "code"), [("1.x", "invalid_state"), ("9", "invalid_request")])
async def test_there_is_no_older_part_before_the_first_version(
    client: Client, version: str, code: str
) -> None:
    article = await publish(client, "Install")

    refusal = await client.post(f"/v1/articles/{article['id']}/split", json={"version": version})

    assert error(refusal) == (400, code)


async def test_an_article_that_begins_with_a_version_is_not_split_before_it(client: Client) -> None:
    article = await create_article(client, "New", sinceVersion="3.0")

    refusal = await client.post(f"/v1/articles/{article['id']}/split", json={"version": "3.0"})

    assert error(refusal) == (400, "invalid_state")

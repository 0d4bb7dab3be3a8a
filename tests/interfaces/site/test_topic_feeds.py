"""GET /help/{bot}/articles/{slug}.atom and collections/{slug}.atom: dated versions that anyone could read."""

from typing import Any

import feedparser  # type: ignore[import-untyped]
import pytest

from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import create_article, ok
from tests.support.limits import SetLimit
from tests.support.site_pages import Page, collect, publish, visit

TEXT = "Begin.\n\n## Install\n\nRun it.\n\n## Configure\n\nSet it."


async def read(api: Api, cast: Cast, path: str) -> Any:
    """The feed, parsed by feedparser."""
    answer = await visit(api, f"{cast.acme.slug}/{path}.atom")
    assert answer.status_code == 200
    feed = feedparser.parse(answer.content, response_headers={"content-type": answer.headers["Content-Type"]})
    assert (feed.bozo, feed.version) == (False, "atom10")
    return feed


async def change(client: Client, article: Json, **fields: object) -> Json:
    return ok(await client.patch(f"/v1/articles/{article['id']}", json=fields))


async def test_the_feed_of_an_article_says_which_sections_changed(
    client: Client, api: Api, cast: Cast
) -> None:
    article = await publish(client, "Guide & \x01more", TEXT, description="How to begin")
    changed = await change(client, article, contentMarkdown=TEXT.replace("Set it", "Set both"))
    await change(client, article, description="Another")
    await change(client, article, contentMarkdown="All new.")

    feed = await read(api, cast, f"articles/{article['slug']}")

    here = f"http://help.test/help/{cast.acme.slug}/articles/{article['slug']}"
    links = [(link.rel, link.href) for link in feed.feed.links]
    assert links == [("self", f"{here}.atom"), ("alternate", here)]
    assert [entry.summary for entry in feed.entries] == [
        "The text has changed.",
        "Changed: Configure",
        "New article: Another",
    ]
    assert (feed.entries[1].updated, feed.entries[1].link) == (changed["updatedAt"], here)
    assert len({entry.id for entry in feed.entries}) == 3
    page = Page((await visit(api, f"{cast.acme.slug}/articles/{article['slug']}")).text)
    assert f"{here}.atom" in {link.get("href") for link in page.attributes("link")}
    assert f"/help/{cast.acme.slug}/follow?article={article['slug']}" in page.links


async def test_a_collection_has_the_articles_of_those_below_it_in_one_language(
    client: Client, api: Api, cast: Cast, set_limit: SetLimit
) -> None:
    top = await collect(client, "Guides")
    below = await collect(client, "Advanced", parentId=top["id"])
    other = await collect(client, "Other")
    first = await publish(client, "First", collectionId=top["id"])
    second = await publish(client, "Second", collectionId=below["id"])
    await publish(client, "Elsewhere", collectionId=other["id"])
    german = await publish(client, "Erstens", translationOf=first["id"], locale="de", collectionId=top["id"])
    await change(client, second, title="Second and better")

    feed = await read(api, cast, "collections/guides")
    in_german = await read(api, cast, "de/collections/guides")
    set_limit("MAX_FEED_VERSIONS", 1)
    assert len((await read(api, cast, "collections/guides")).entries) == 1

    titles = [(entry.title, entry.summary) for entry in feed.entries]
    assert titles == [
        ("Second and better", "The text has changed."),
        ("Second and better", "New article"),
        ("First", "New article"),
    ]
    assert [(entry.title, entry.link) for entry in in_german.entries] == [("Erstens", german["url"])]
    assert in_german.feed.language == "de"
    page = Page((await visit(api, f"{cast.acme.slug}/collections/guides")).text)
    assert f"/help/{cast.acme.slug}/follow?collection=guides" in page.links


async def test_nothing_is_told_of_what_was_not_public(client: Client, api: Api, cast: Cast) -> None:
    hidden = await collect(client, "Hidden", visibility="authenticated")
    guides = await collect(client, "Guides")
    article = await publish(client, "Guide", "## Secret plan\n\nOne.", visibility="authenticated")
    await change(client, article, contentMarkdown="## Secret plan\n\nTwo.")
    inside = await publish(client, "Inside", "## Secret place\n\nOne.", collectionId=hidden["id"])
    draft = await create_article(client, "Draft", contentMarkdown="Secret.")
    for path in ("articles/guide", "articles/inside", "articles/draft", "collections/hidden"):
        assert (await visit(api, f"{cast.acme.slug}/{path}.atom")).status_code == 404, path

    await change(client, article, contentMarkdown="## Open\n\nThree.", visibility="public")
    await change(client, inside, contentMarkdown="## Open\n\nTwo.", collectionId=guides["id"])
    await change(client, draft, contentMarkdown="Open.")
    ok(await client.post(f"/v1/articles/{draft['id']}/publish"))

    for path in ("articles/guide", "articles/inside", "articles/draft", "collections/guides"):
        feed = await read(api, cast, path)
        assert [entry.summary for entry in feed.entries] == ["New article"], path
        assert "Secret" not in str(feed)


@pytest.mark.parametrize("end", ["unpublish", "delete"])
async def test_the_feed_ends_with_the_article(end: str, client: Client, api: Api, cast: Cast) -> None:
    article = await publish(client, "Guide", collectionId=(await collect(client, "Guides"))["id"])
    path = f"/v1/articles/{article['id']}"
    answer = await (client.delete(path) if end == "delete" else client.post(f"{path}/{end}"))

    assert answer.status_code == 200
    assert (await visit(api, f"{cast.acme.slug}/articles/guide.atom")).status_code == 404
    assert (await read(api, cast, "collections/guides")).entries == []


async def test_feed_readers_follow_a_new_slug_and_ask_whether_there_is_news(
    client: Client, api: Api, cast: Cast
) -> None:
    article = await publish(client, "Guide")
    path = f"{cast.acme.slug}/articles/guide.atom"
    etag = (await visit(api, path)).headers["ETag"]
    assert (await visit(api, path, **{"If-None-Match": etag})).status_code == 304

    await change(client, article, slug="handbook")
    moved = await visit(api, path)

    assert moved.status_code == 301
    assert moved.headers["Location"].endswith("/articles/handbook.atom")
    [entry] = (await read(api, cast, "articles/handbook")).entries
    assert entry.summary == "New article"


async def test_publishing_again_is_no_news(client: Client, api: Api, cast: Cast) -> None:
    article = await publish(client, "Guide", TEXT)
    for action in ("unpublish", "publish"):
        ok(await client.post(f"/v1/articles/{article['id']}/{action}"))

    assert len((await read(api, cast, "articles/guide")).entries) == 1

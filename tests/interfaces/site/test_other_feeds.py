"""GET /help/{bot}/changelog.atom and changelog.json; all three feeds as feed readers parse them."""

import json
from typing import Any

import feedparser  # type: ignore[import-untyped]
import pytest

from tests.support.cast import Api, Cast, Client
from tests.support.changelog_entries import ENTRIES, create_entry, publish_entry
from tests.support.limits import SetLimit
from tests.support.site_pages import visit

ATOM_TYPE = "application/atom+xml; charset=utf-8"


async def read(api: Api, cast: Cast, name: str) -> Any:
    """The feed, parsed by feedparser."""
    answer = await visit(api, f"{cast.acme.slug}/{name}")
    assert answer.status_code == 200
    feed = feedparser.parse(answer.content, response_headers={"content-type": answer.headers["Content-Type"]})
    assert not feed.bozo, feed.bozo_exception
    return feed


@pytest.mark.parametrize(("name", "version"), [("changelog.xml", "rss20"), ("changelog.atom", "atom10")])
async def test_feed_readers_accept_it(
    name: str, version: str, client: Client, api: Api, cast: Cast, set_limit: SetLimit
) -> None:
    set_limit("MAX_CHANGELOG_INLINE_CHARACTERS", 90)
    await publish_entry(client, "Exports & \x01more", contentMarkdown="Choose **CSV** < XML. [a](/help/x)")
    await publish_entry(client, "Long", contentMarkdown="word " * 20)
    await create_entry(client, "Draft")

    feed = await read(api, cast, name)

    assert feed.version == version
    assert feed.feed.title == "Acme changelog"
    assert feed.feed.link == f"http://help.test/help/{cast.acme.slug}/changelog"
    assert [entry.title for entry in feed.entries] == ["Long", "Exports & more"]
    content = feed.entries[1].get("content", [{"value": feed.entries[1].get("summary")}])[0]["value"]
    assert "<strong>CSV</strong> &lt; XML" in content
    assert 'href="http://help.test/help/x"' in content


async def test_the_atom_feed_says_where_and_when(client: Client, api: Api, cast: Cast) -> None:
    entry = await publish_entry(client, "Exports")

    feed = await read(api, cast, "changelog.atom")

    here = f"http://help.test/help/{cast.acme.slug}/changelog"
    [item] = feed.entries
    assert (feed.feed.id, feed.feed.author, feed.feed.updated) == (here, "Acme", entry["updatedAt"])
    links = [(link.rel, link.href) for link in feed.feed.links]
    assert links == [("self", f"{here}.atom"), ("alternate", here)]
    assert (item.id, item.link) == (entry["url"], entry["url"])
    assert (item.published, item.updated) == (entry["publishedAt"], entry["updatedAt"])
    assert (await visit(api, f"{cast.acme.slug}/changelog.atom")).headers["Content-Type"] == ATOM_TYPE


async def test_the_json_feed_has_what_version_1_1_asks_for(
    client: Client, api: Api, cast: Cast, set_limit: SetLimit
) -> None:
    set_limit("MAX_CHANGELOG_INLINE_CHARACTERS", 90)
    entry = await publish_entry(client, "Exports & more", contentMarkdown="Choose **CSV**.")
    long = await publish_entry(client, "Long", contentMarkdown="word " * 20)

    answer = await visit(api, f"{cast.acme.slug}/changelog.json")

    here = f"http://help.test/help/{cast.acme.slug}/changelog"
    assert answer.headers["Content-Type"] == "application/feed+json"
    feed = json.loads(answer.content)
    items = feed.pop("items")
    assert feed == {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "Acme changelog",
        "home_page_url": here,
        "feed_url": f"{here}.json",
        "language": "en",
        "authors": [{"name": "Acme"}],
    }
    assert items[0]["content_text"] == f"Read it at {long['url']}"
    assert items[1] == {
        "id": entry["id"],
        "url": entry["url"],
        "title": "Exports & more",
        "content_html": "<p>Choose <strong>CSV</strong>.</p>\n",
        "date_published": entry["publishedAt"],
        "date_modified": entry["updatedAt"],
    }


async def test_feeds_without_entries_are_feeds(client: Client, api: Api, cast: Cast) -> None:
    await publish_entry(client, "Exports")
    assert len((await read(api, cast, "changelog.atom")).entries) == 1

    await client.post(f"{ENTRIES}/exports/unpublish")

    feed = await read(api, cast, "changelog.atom")
    assert (feed.entries, bool(feed.feed.updated)) == ([], True)
    assert (await visit(api, f"{cast.acme.slug}/changelog.json")).json()["items"] == []

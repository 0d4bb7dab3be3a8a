"""Odd texts as visitors and programs read them: on pages, in the feed and in the sitemap."""

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from instep.platform.core import limits
from instep.platform.text.characters import shows_something
from tests.corpora.requests import Sender
from tests.corpora.texts import confusables, odd_texts
from tests.support.cast import Cast, Json
from tests.support.http import created, ok
from tests.support.limits import SetLimit

pytestmark = pytest.mark.corpora

SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
# Longer than any run of tildes in the texts.
FENCE = "~" * 40
# Characters that XML does not allow (XML 1.0, section 2.2).
NOT_IN_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
VOID = {"meta", "link", "input", "img", "br", "hr"}


async def test_article_pages_show_titles_leads_and_code_as_they_were_written(
    corpora: Path, sender: Sender
) -> None:
    for text in titles(corpora):
        fields = {"title": text, "description": text, "contentMarkdown": f"{FENCE}\n{text}\n{FENCE}"}
        article = await publish(sender, "articles", fields)
        page = await open_page(sender, article["url"])

        assert page.texts("h1") == [text]
        assert page.texts("p.lead") == ([text] if text.strip() else []), text
        assert page.texts("code") == [f"{text}\n"]
        assert page.description == text
        assert page.texts("title")[0].startswith(text)


async def test_collection_pages_show_titles_descriptions_and_icons(
    corpora: Path, sender: Sender, cast: Cast
) -> None:
    for number, text in enumerate(titles(corpora)):
        fields = {
            "title": text,
            "description": text,
            "icon": text[: limits.MAX_ICON_CHARACTERS],
            "slug": f"shelf-{number}",
        }
        collection = created(await sender.client.post("/v1/collections", json=fields))
        page = await open_page(sender, collection["url"])

        assert page.texts("h1") == [f"{text[: limits.MAX_ICON_CHARACTERS]} {text}"]
        assert page.texts("p.lead")[0] == text


async def test_slugs_that_are_taken_are_addresses_that_lead_to_their_articles(
    corpora: Path, sender: Sender, cast: Cast
) -> None:
    accepted_count = 0
    for slug in [*odd_texts(corpora), *confusables(corpora)]:
        answer = await sender.client.post(
            "/v1/articles", json={"title": slug.strip() or "x", "slug": slug, "contentMarkdown": ""}
        )
        assert answer.status_code in (201, 400), answer.text
        if answer.is_success:
            accepted_count += 1
            article = ok(await sender.client.post(f"/v1/articles/{answer.json()['id']}/publish"))
            assert article["slug"] == slug
            assert (await open_page(sender, article["url"])).texts("h1") == [article["title"]]
            assert ok(await sender.client.get(f"/v1/articles/{slug}"))["id"] == article["id"]
    assert accepted_count > 20


async def test_every_address_of_the_sitemap_leads_to_a_page(
    corpora: Path, sender: Sender, cast: Cast
) -> None:
    for text in titles(corpora):
        await publish(sender, "articles", {"title": text, "contentMarkdown": text})
        await publish(sender, "changelog/entries", {"title": text, "contentMarkdown": text})

    sitemap = await sender.visit(f"/help/{cast.acme.slug}/sitemap.xml")
    addresses = [str(place.text) for place in ElementTree.fromstring(sitemap.content).iter(f"{SITEMAP}loc")]

    for address in addresses:
        await open_page(sender, address)
    assert len(set(addresses)) == len(addresses) > 2 * len(titles(corpora))


async def test_the_feed_and_the_changelog_tell_titles_as_they_were_written(
    corpora: Path, sender: Sender, cast: Cast, set_limit: SetLimit
) -> None:
    set_limit("MAX_CHANGELOG_PAGE_ENTRIES", 1_000)
    for text in titles(corpora):
        await publish(sender, "changelog/entries", {"title": text, "contentMarkdown": text})

    feed = await sender.visit(f"/help/{cast.acme.slug}/changelog.xml")
    page = await open_page(sender, f"http://help.test/help/{cast.acme.slug}/changelog")

    feed_titles = [item.findtext("title") for item in ElementTree.fromstring(feed.content).iter("item")]
    newest_first = titles(corpora)[::-1]
    assert feed_titles[: len(newest_first)] == [NOT_IN_XML.sub("", text) for text in newest_first]
    assert page.texts("h2")[: len(newest_first)] == newest_first


def titles(corpora: Path) -> list[str]:
    return [
        text
        for text in odd_texts(corpora)
        if shows_something(text) and len(text) <= limits.MAX_TITLE_CHARACTERS
    ]


async def publish(sender: Sender, kind: str, fields: Json) -> Json:
    thing = created(await sender.client.post(f"/v1/{kind}", json=fields))
    return ok(await sender.client.post(f"/v1/{kind}/{thing['id']}/publish"))


async def open_page(sender: Sender, url: str) -> "Shown":
    answer = await sender.visit(url)
    assert answer.status_code == 200, url
    return Shown(answer.text)


class Shown(HTMLParser):
    """The text of each element of a page, by tag, or by tag and class."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tagged_texts: list[tuple[str, list[str]]] = []
        self.inside: list[list[str]] = []
        self.description = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "meta" and attributes.get("name") == "description":
            self.description = attributes["content"] or ""
        if tag not in VOID:
            name = f"{tag}.{attributes['class']}" if attributes.get("class") else tag
            self.inside.append([])
            self.tagged_texts.append((name, self.inside[-1]))

    def handle_endtag(self, tag: str) -> None:
        self.inside.pop()

    def handle_data(self, data: str) -> None:
        for words in self.inside:
            words.append(data)

    def texts(self, name: str) -> list[str]:
        return ["".join(words) for tag, words in self.tagged_texts if tag == name]

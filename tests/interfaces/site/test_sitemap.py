"""GET /help/{bot}/sitemap.xml."""

import xml.etree.ElementTree as ET
from datetime import UTC, datetime
from typing import Any

import pytest
from cachetools import LRUCache

from instep.interfaces.site import sitemap as sitemap_module
from instep.interfaces.site.schemas import ArticleAddress, EntryAddress
from instep.interfaces.site.sitemap import cache_sitemap, cached_sitemap, write_sitemap
from instep.platform.core import limits
from instep.platform.core.ids import new_uuid
from instep.platform.identity.schemas import Bot
from tests.support.cast import Api, Cast, Client, Json
from tests.support.changelog_entries import publish_entry
from tests.support.limits import SetLimit
from tests.support.site_pages import Page, collect, publish, visit

NAMESPACES = {
    "s": "http://www.sitemaps.org/schemas/sitemap/0.9",
    "x": "http://www.w3.org/1999/xhtml",
}


async def sitemap(api: Api, cast: Cast) -> dict[str, ET.Element]:
    """The sitemap's entries by URL."""
    answer = await visit(api, f"{cast.acme.slug}/sitemap.xml")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/xml; charset=utf-8"
    root = ET.fromstring(answer.content)
    assert root.tag == f"{{{NAMESPACES['s']}}}urlset"
    return {entry.findtext("s:loc", "", NAMESPACES): entry for entry in root}


async def test_sitemap_lists_every_public_page_once(
    client: Client, visitor: Client, api: Api, cast: Cast
) -> None:
    group = await collect(client, "First steps")
    await collect(client, "Empty")
    german = await collect(client, "Nur deutsch")
    await publish(client, "Install", collectionId=group["id"])
    await publish(client, "Sign in", collectionId=group["id"])
    await publish(client, "Loose")
    await publish(client, "Einrichten", locale="de", collectionId=german["id"])
    await publish_entry(client, "Exports")

    listed = await sitemap(api, cast)

    here = f"http://help.test/help/{cast.acme.slug}"
    assert sorted(listed) == sorted(
        f"{here}/{path}"
        for path in (
            *("", "collections/first-steps", "articles/install", "articles/sign-in", "articles/loose"),
            *("de/", "de/collections/nur-deutsch", "de/articles/einrichten"),
            *("changelog", "changelog/exports"),
        )
    )
    for address in listed:
        assert (await visitor.get(address)).status_code == 200


async def test_sitemap_gives_the_time_of_the_last_change(client: Client, api: Api, cast: Cast) -> None:
    group = await collect(client, "First steps")
    await publish(client, "Install", collectionId=group["id"])
    later = await publish(client, "Sign in", collectionId=group["id"])
    entry = await publish_entry(client)

    listed = await sitemap(api, cast)

    def changed_at(path: str) -> str:
        entry = listed[f"http://help.test/help/{cast.acme.slug}/{path}"]
        return entry.findtext("s:lastmod", "", NAMESPACES)

    for path in ("", "collections/first-steps", "articles/sign-in"):
        assert changed_at(path) == later["updatedAt"]
    assert changed_at("articles/install") < later["updatedAt"]
    for path in ("changelog", "changelog/exports-as-csv"):
        assert changed_at(path) == entry["updatedAt"]


async def test_texts_name_their_translations(client: Client, api: Api, cast: Cast) -> None:
    root = await publish(client, "Install")
    german = await publish(client, "Einrichten", locale="de", translationOf=root["id"])
    await publish(client, "Installer", locale="fr", translationOf=root["id"])
    await client.post("/v1/articles/installer/unpublish")
    alone = await publish(client, "Alone")

    listed = await sitemap(api, cast)

    def languages(article: Json) -> dict[str | None, str | None]:
        links = listed[article["url"]].findall("x:link", NAMESPACES)
        assert {link.get("rel") for link in links} <= {"alternate"}
        return {link.get("hreflang"): link.get("href") for link in links}

    assert (
        languages(root)
        == languages(german)
        == {
            "de": german["url"],
            "en": root["url"],
            "x-default": root["url"],
        }
    )
    assert languages(alone) == {}


async def test_the_page_of_a_collection_is_listed_in_each_language(
    client: Client, api: Api, cast: Cast
) -> None:
    top = await collect(client, "Guides")
    below = await collect(client, "Advanced", parentId=top["id"])
    root = await publish(client, "Install", collectionId=below["id"])
    await publish(client, "Einrichten", locale="de", translationOf=root["id"], collectionId=below["id"])
    await publish(client, "Sign in", collectionId=(await collect(client, "Account"))["id"])

    listed = await sitemap(api, cast)

    here = f"http://help.test/help/{cast.acme.slug}"
    for slug in ("guides", "advanced"):
        english, german = f"{here}/collections/{slug}", f"{here}/de/collections/{slug}"
        for path in (english, german):
            links = [link.attrib for link in listed[path].findall("x:link", NAMESPACES)]
            found = {link["hreflang"]: link["href"] for link in links}
            assert found == {"de": german, "en": english, "x-default": english}
            page = Page((await visit(api, path.partition("/help/")[2])).text)
            heads = [link for link in page.attributes("link") if "hreflang" in link]
            assert {link["hreflang"]: link["href"] for link in heads} == found
    assert not listed[f"{here}/collections/account"].findall("x:link", NAMESPACES)
    assert f"{here}/de/collections/account" not in listed
    account = Page((await visit(api, f"{cast.acme.slug}/de/collections/account")).text)
    assert not [link for link in account.attributes("link") if "hreflang" in link]


async def test_letters_of_any_script_are_encoded(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Größe 設定")

    listed = await sitemap(api, cast)

    here = f"http://help.test/help/{cast.acme.slug}"
    assert set(listed) == {f"{here}/", f"{here}/articles/gr%C3%B6%C3%9Fe-%E8%A8%AD%E5%AE%9A"}


async def test_sitemap_has_no_more_urls_than_the_protocol_allows(
    client: Client, api: Api, cast: Cast, set_limit: SetLimit
) -> None:
    assert limits.MAX_SITEMAP_URLS <= 50_000
    set_limit("MAX_SITEMAP_URLS", 3)
    for number in range(4):
        await publish(client, f"No {number}")

    paths = [address.rsplit("/", 1)[1] for address in await sitemap(api, cast)]

    assert paths == ["", "no-3", "no-2"]


async def test_an_empty_help_center_has_its_home_page(api: Api, cast: Cast) -> None:
    [(address, entry)] = (await sitemap(api, cast)).items()

    assert address == f"http://help.test/help/{cast.acme.slug}/"
    assert entry.find("s:lastmod", NAMESPACES) is None


async def test_sitemap_is_written_again_only_after_a_change(
    client: Client, api: Api, cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    article = await publish(client, "Install")
    sitemap_names: list[str] = []

    def write(bot: Bot, articles: list[ArticleAddress], news: list[EntryAddress]) -> bytes:
        sitemap_names.append(bot.slug)
        return write_sitemap(bot, articles, news)

    monkeypatch.setattr("instep.interfaces.site.sitemap.write_sitemap", write)
    first = await sitemap(api, cast)
    again = await sitemap(api, cast)
    await client.post(f"/v1/articles/{article['id']}/unpublish")
    changed = await sitemap(api, cast)

    assert (first.keys(), len(sitemap_names)) == (again.keys(), 2)
    assert first.keys() - changed.keys() == {f"http://help.test/help/{cast.acme.slug}/articles/install"}


def test_cached_sitemaps_take_bounded_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    size = sitemap_module.sitemaps.getsizeof
    sitemaps: LRUCache[Any, Any] = LRUCache(10, getsizeof=size)
    monkeypatch.setattr(sitemap_module, "sitemaps", sitemaps)
    state = (datetime(2026, 1, 1, tzinfo=UTC), "http://help.test", "en")
    first, second, third = (new_uuid() for _ in range(3))
    for bot_id, content in ((first, b"1234"), (second, b"1234"), (first, b"12345"), (third, b"1234")):
        cache_sitemap(bot_id, state, content)

    assert cached_sitemap(first, state) == b"12345"
    assert cached_sitemap(second, state) is None
    assert cached_sitemap(third, state) == b"1234"
    cache_sitemap(second, state, b"longer than all")
    assert cached_sitemap(second, state) is None
    assert sitemaps.currsize <= 10

"""Rules for every machine-readable URL of a help center; proxies never keep old texts."""

import xml.etree.ElementTree as ET

from tests.support.cast import Api, Cast, Client
from tests.support.changelog_entries import publish_entry
from tests.support.site_pages import FOR_PROGRAMS, publish, visit

PATHS = (*FOR_PROGRAMS, "articles/install.md", "de/articles/einrichten.md", "changelog/exports.md")


async def test_caches_ask_each_time_and_nothing_is_written(
    client: Client, visitor: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Install")
    await publish(client, "Einrichten", locale="de")
    await publish_entry(client, "Exports")

    for name in PATHS:
        path = f"{cast.acme.slug}/{name}"
        whole = await visit(api, path)
        again = await visit(api, path, **{"If-None-Match": whole.headers["ETag"]})
        head = await visitor.head(f"/help/{path}")
        assert (whole.status_code, again.status_code, again.content) == (200, 304, b"")
        assert head.headers["ETag"] == whole.headers["ETag"]
        assert "no-cache" in whole.headers["Cache-Control"]
        assert whole.headers["X-Content-Type-Options"] == "nosniff"
        refusal = await visitor.post(f"/help/{path}")
        assert (refusal.status_code, refusal.headers["Allow"]) == (405, "GET, HEAD")
        assert (await visit(api, f"nobody/{name}")).status_code == 404


async def test_the_sitemap_and_the_pages_name_the_same_languages(
    client: Client, api: Api, cast: Cast
) -> None:
    """If a text has no version in the bot's language, its first version is the default."""
    root = await publish(client, "Einrichten", locale="de")
    french = await publish(client, "Installer", locale="fr", translationOf=root["id"])

    sitemap = ET.fromstring((await visit(api, f"{cast.acme.slug}/sitemap.xml")).content)

    links = [
        link.attrib
        for link in sitemap.iter("{http://www.w3.org/1999/xhtml}link")
        if "/articles/" in link.attrib["href"]
    ]
    group = {"de": root["url"], "fr": french["url"], "x-default": root["url"]}
    alternates = [{"rel": "alternate", "hreflang": code, "href": url} for code, url in group.items()]
    assert links == alternates * 2
    for url in (root["url"], french["url"]):
        html = (await api(None).get(url)).text
        for code, other in group.items():
            assert f'<link rel="alternate" hreflang="{code}" href="{other}">' in html

"""The help center in its product versions: URLs, lists, notices, and what search engines index."""

from dataclasses import dataclass

import feedparser  # type: ignore[import-untyped]
import httpx2
import pytest

from instep.accounts.workspaces.domain_claims import change_domain
from instep.platform.core import pipeline
from instep.platform.core.database import Database, Tx
from instep.platform.core.pipeline import SqlStatement
from tests.interfaces.site.test_without_statistics import count_rows
from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import created, ok
from tests.support.site_pages import LISTED, Page, collect, publish, visit

VERSIONS = "/v1/product-versions"
MANY = 2_000


@dataclass(frozen=True)
class Site:
    """Acme's help center with the versions 1.x, 2.x (current) and 3.x, and how visitors request its pages."""

    api: Api
    slug: str
    articles: dict[str, Json]

    @property
    def home(self) -> str:
        return f"/help/{self.slug}"

    async def get(self, path: str, **headers: str) -> httpx2.Response:
        return await visit(self.api, f"{self.slug}/{path}", **headers)

    async def page(self, path: str) -> Page:
        answer = await self.get(path)
        assert answer.status_code == 200, path
        return Page(answer.text)


@pytest.fixture
async def site(client: Client, api: Api, cast: Cast) -> Site:
    for slug in ("1.x", "2.x", "3.x"):
        created(await client.post(VERSIONS, json={"slug": slug, "isCurrent": slug == "2.x"}))
    group = (await collect(client, "Guides"))["id"]
    links = f"[Setup](/help/{cast.acme.slug}/articles/configure) [Gone](/help/{cast.acme.slug}/versions/1.x/)"
    install = await publish(client, "Install", f"Run the installer. {links}", collectionId=group)
    two = await publish(client, "Configure", "Use the new panel.", collectionId=group, sinceVersion="2.x")
    one = await publish(
        client,
        "Configure 1",
        "Use the old file.",
        slug="configure-1",
        collectionId=group,
        untilVersion="1.x",
        versionOf=two["id"],
    )
    telnet = await publish(client, "Telnet", "Dial in with telnet.", collectionId=group, untilVersion="1.x")
    orbit = await publish(client, "Orbit", "Reach the orbit.", collectionId=group, sinceVersion="3.x")
    articles = {"install": install, "two": two, "one": one, "telnet": telnet, "orbit": orbit}
    return Site(api, cast.acme.slug, articles)


def canonical(page: Page) -> str | None:
    [address] = [link["href"] for link in page.attributes("link") if link.get("rel") == "canonical"]
    return address


def is_noindex(page: Page) -> bool:
    return {"name": "robots", "content": "noindex"} in page.attributes("meta")


def titles_in(page: Page) -> set[str]:
    return {
        title for title in ("Install", "Configure", "Configure 1", "Telnet", "Orbit") if title in page.words
    }


async def test_lists_contain_the_articles_of_the_version(site: Site) -> None:
    for prefix, titles in (
        ("", {"Install", "Configure"}),
        ("versions/1.x/", {"Install", "Configure 1", "Telnet"}),
        ("versions/3.x/", {"Install", "Configure", "Orbit"}),
    ):
        for path in ("", "collections/guides"):
            assert titles_in(await site.page(prefix + path)) == titles, prefix + path


async def test_all_links_of_a_page_stay_in_its_version(site: Site) -> None:
    for path in ("versions/1.x/", "versions/1.x/collections/guides", "versions/1.x/articles/install"):
        page = await site.page(path)
        to_choose = {*page.links_in("nav", "Version")}
        others = {link for link in page.links if not link.startswith((f"{site.home}/versions/1.x/", "#"))}
        assert others < to_choose, path
    assert f"{site.home}/versions/1.x/articles/configure" in page.links
    forms = {form["action"] for form in page.attributes("form")}
    assert forms == {f"{site.home}/versions/1.x/search", f"{site.home}/versions/1.x/feedback"}


async def test_links_of_a_text_stay_in_its_version_except_to_addresses_without_one(
    site: Site, client: Client
) -> None:
    kept = ("", "de/", "?page=2", "de/articles/configure", "collections/guides", "search?q=a", "ask")
    pages = ("versions/3.x/articles/orbit", "articles/install.atom", "legacy/page", "preview/token")
    others = (*pages, "llms.txt", "mcp", "de/mcp")
    links = "".join(f"[{path}-]({site.home}/{path}) " for path in (*kept, *others))
    await publish(client, "Links", links, untilVersion="1.x")

    page = await site.page("versions/1.x/articles/links")

    for path in kept:
        assert f"{site.home}/versions/1.x/{path}" in page.links, path
    for path in others:
        assert f"{site.home}/{path}" in page.links, path


async def test_a_redirect_leads_on_from_each_version(site: Site, client: Client) -> None:
    install = {"articleId": site.articles["install"]["id"]}
    for source in ("/articles/former", "/old/articles/page", "/versions/1.x/articles/orbit-1"):
        created(await client.post("/v1/redirects", json={"from": source, **install}))

    for path in ("articles/former", "versions/1.x/articles/former", "versions/1.x/old/articles/page"):
        moved = await site.get(path)
        assert moved.status_code == 301, path
        assert moved.headers["Location"].endswith(f"{site.home}/articles/install")
    assert (await site.get("versions/1.x/articles/orbit-1")).status_code == 301
    assert (await site.get("articles/orbit-1")).status_code == 404


async def test_choosing_a_version_keeps_the_page(site: Site) -> None:
    page = await site.page("articles/install")
    assert page.links_in("nav", "Version") == [
        f"{site.home}/versions/3.x/articles/install",
        f"{site.home}/articles/install",
        f"{site.home}/versions/1.x/articles/install",
    ]
    search = await site.page("versions/3.x/search?q=orbit")
    assert search.links_in("nav", "Version")[2] == f"{site.home}/versions/1.x/search?q=orbit"


async def test_an_address_leads_to_the_article_of_its_version(site: Site) -> None:
    for path, target in (
        ("articles/configure-1", "articles/configure"),
        ("articles/configure-1.md", "articles/configure.md"),
        ("versions/1.x/articles/configure", "versions/1.x/articles/configure-1"),
        ("versions/1.x/articles/configure.md", "versions/1.x/articles/configure-1.md"),
        ("versions/3.x/articles/configure-1", "versions/3.x/articles/configure"),
    ):
        moved = await site.get(path)
        assert moved.status_code == 302, path
        assert moved.headers["Location"] == f"http://help.test{site.home}/{target}"


async def test_an_article_without_a_counterpart_is_shown_with_the_versions_that_have_it(site: Site) -> None:
    page = await site.page("articles/telnet")
    assert "This article is not about version 2.x" in page.text
    # Otherwise an Arabic sentence would show the name from right to left.
    assert ("bdi", {}) in page.tags
    assert f"{site.home}/versions/1.x/articles/telnet" in page.links
    assert is_noindex(page)
    assert canonical(page) == f"http://help.test{site.home}/versions/1.x/articles/telnet"
    assert not page.links_in("nav", "Articles") or f"{site.home}/articles/telnet" not in page.links_in(
        "nav", "Articles"
    )
    text = (await site.get("articles/telnet.md")).text
    assert text.startswith("# Telnet\n\n> This article is not about version 2.x.")

    later = await site.page("versions/1.x/articles/orbit")
    assert f"{site.home}/versions/3.x/articles/orbit" in later.links
    assert (await site.get("versions/1.x/articles/nothing")).status_code == 404


async def test_the_address_of_a_deleted_article_leads_to_the_one_of_the_version(
    site: Site, client: Client
) -> None:
    ok(await client.delete(f"/v1/articles/{site.articles['two']['id']}"))

    moved = await site.get("versions/1.x/articles/configure")

    assert moved.headers["Location"].endswith("/versions/1.x/articles/configure-1")
    assert (await site.get("articles/configure")).status_code == 404


async def test_an_address_in_use_leads_to_its_topic_and_not_to_a_deleted_one(
    site: Site, client: Client
) -> None:
    ok(await client.delete(f"/v1/articles/{site.articles['two']['id']}"))
    again = await publish(client, "Configure", sinceVersion="2.x")
    await publish(client, "Panel", untilVersion="1.x", versionOf=again["id"])

    moved = await site.get("versions/1.x/articles/configure")

    assert moved.headers["Location"].endswith("/versions/1.x/articles/panel")


async def test_among_thousands_of_articles_a_topic_is_found_by_indexes(
    site: Site, owner: Tx, cast: Cast, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = "workspace_id, bot_id, locale, content_html, position, visibility, status, version, origin"
    columns += ", author_type, author_name, text_changed_at, created_at, updated_at"
    await owner.execute(
        f"""
        insert into articles (id, slug, title, content_markdown, version_family, {columns})
        select a.id || n, a.slug || n, a.title, a.content_markdown, a.id, {columns}
        from articles a, generate_series(1, %(count)s) n where a.id = %(id)s
        """,
        count=MANY,
        id=site.articles["telnet"]["id"],
    )
    await owner.execute("analyze articles")
    statements: list[SqlStatement] = []
    encode = pipeline.encode

    def noting(connection: pipeline.Connection, statement: SqlStatement) -> pipeline.EncodedStatement:
        statements.append(statement)
        return encode(connection, statement)

    monkeypatch.setattr(pipeline, "encode", noting)
    assert (await site.get("versions/1.x/articles/configure")).status_code == 302
    monkeypatch.undo()

    found = [statement for statement in statements if "version_family" in statement.sql]
    async with database.enter_workspace(cast.acme.workspace_id) as tx:
        assert sum([await count_rows(tx, statement) for statement in found]) < MANY
    assert len(found) > 1


async def test_search_engines_read_each_article_once(site: Site) -> None:
    bare = f"http://help.test{site.home}"
    for path, address, hidden in (
        ("articles/install", f"{bare}/articles/install", False),
        ("versions/1.x/articles/install", f"{bare}/articles/install", False),
        ("versions/1.x/articles/telnet", f"{bare}/versions/1.x/articles/telnet", False),
        ("versions/3.x/articles/orbit", f"{bare}/versions/3.x/articles/orbit", True),
        ("", f"{bare}/", False),
        ("versions/1.x/", f"{bare}/versions/1.x/", True),
        ("versions/1.x/collections/guides", f"{bare}/versions/1.x/collections/guides", True),
    ):
        page = await site.page(path)
        assert (canonical(page), is_noindex(page)) == (address, hidden), path


async def test_lists_for_programs_contain_the_current_version(site: Site) -> None:
    addresses = LISTED.findall((await site.get("sitemap.xml")).text)
    assert {address.rpartition("/")[2] for address in addresses if "/articles/" in address} == {
        "install",
        "configure",
    }
    for name in ("llms.txt", "llms-full.txt", "collections/guides.atom"):
        text = (await site.get(name)).text
        assert "Configure" in text, name
        assert "Telnet" not in text, name
        assert "Orbit" not in text, name
    for name in ("llms.txt", "sitemap.xml", "collections/guides.atom", "mcp", "suggestions"):
        assert (await site.get(f"versions/1.x/{name}")).status_code == 404, name


async def test_the_feed_of_an_article_leads_to_the_version_that_has_it(site: Site) -> None:
    bare = f"http://help.test{site.home}/articles"
    older = f"http://help.test{site.home}/versions/1.x/articles"
    for slug, page in (("install", bare), ("configure", bare), ("configure-1", older), ("telnet", older)):
        feed = feedparser.parse((await site.get(f"articles/{slug}.atom")).content)
        links = [(link.rel, link.href) for link in feed.feed.links]
        assert links == [("self", f"{bare}/{slug}.atom"), ("alternate", f"{page}/{slug}")]
        assert {entry.link for entry in feed.entries} == {f"{page}/{slug}"}
        assert (await site.get(f"{page}/{slug}".partition(f"{site.slug}/")[2])).status_code == 200


async def test_pages_of_other_versions_say_so(site: Site) -> None:
    older = await site.page("versions/1.x/articles/install")
    assert "This page is about version 1.x" in older.text
    unreleased = await site.page("versions/3.x/articles/install")
    assert "Version 3.x has not been released yet." in unreleased.text
    current = await site.page("articles/install")
    assert "has not been released" not in current.text
    assert "not the current one" not in current.text


async def test_addresses_of_the_current_version_lead_to_the_page_without_a_version(
    site: Site, client: Client
) -> None:
    moved = await site.get("versions/2.x/articles/install?page=1")
    assert moved.status_code == 302
    assert moved.headers["Location"] == f"{site.home}/articles/install?page=1"
    assert (await site.page("versions/1.x/articles/install")).text

    ok(await client.patch(f"{VERSIONS}/1.x", json={"isCurrent": True}))

    assert (await site.get("versions/1.x/articles/install")).status_code == 302
    assert "Telnet" in (await site.page("")).words
    assert (await site.get("versions/2.x/articles/install")).status_code == 200


async def test_other_spellings_of_addresses_keep_the_version(site: Site) -> None:
    home = f"{site.home}/versions/1.x"
    for path, target in (
        ("versions/1.x", f"{home}/"),
        ("versions/1.x//articles/install/", f"{home}/articles/install"),
        ("versions/1.x/en/articles/install", f"http://help.test{home}/articles/install"),
    ):
        moved = await site.get(path)
        assert (moved.status_code, moved.headers["Location"]) == (301, target), path


async def test_an_unknown_version_is_not_found_in_the_frame_of_the_help_center(site: Site) -> None:
    missing = await site.get("versions/9/articles/install")
    assert missing.status_code == 404
    assert Page(missing.text).links_in("nav", "Version")[1] == f"{site.home}/"


async def test_a_translation_has_the_versions_of_its_original(site: Site, client: Client) -> None:
    telnet = site.articles["telnet"]["id"]
    await publish(client, "Telnet auf Deutsch", locale="de", translationOf=telnet)
    await publish(client, "Installieren", locale="de", translationOf=site.articles["install"]["id"])

    german = await site.page("versions/1.x/de/")
    assert "Telnet auf Deutsch" in german.words
    assert "Telnet auf Deutsch" not in (await site.page("de/")).words
    article = await site.page("versions/1.x/articles/telnet")
    path = f"{site.home}/versions/1.x/de/articles/telnet-auf-deutsch"
    assert path in article.links
    alternates = {link["hreflang"]: link["href"] for link in article.attributes("link") if "hreflang" in link}
    assert alternates["de"] == f"http://help.test{path}"
    install = await site.page("versions/1.x/articles/install")
    assert not [link for link in install.attributes("link") if "hreflang" in link]


async def test_a_version_without_articles_in_the_language_leads_to_its_own_home_page(
    site: Site, client: Client
) -> None:
    await publish(client, "Umlaufbahn", locale="de", translationOf=site.articles["orbit"]["id"])

    moved = await site.get("versions/1.x/de/")

    assert (moved.status_code, moved.headers["Location"]) == (
        302,
        f"http://help.test{site.home}/versions/1.x/",
    )


async def test_a_version_without_articles_outside_collections_leads_to_its_home_page(
    site: Site, client: Client
) -> None:
    await publish(client, "Loose", "Without a collection.", untilVersion="1.x")

    assert "Loose" in (await site.page("versions/1.x/articles")).words
    for prefix in ("", "versions/3.x/"):
        moved = await site.get(f"{prefix}articles")
        assert (moved.status_code, moved.headers["Location"]) == (
            302,
            f"http://help.test{site.home}/{prefix}",
        )


async def test_cached_pages_are_those_of_their_version(site: Site) -> None:
    for _ in range(2):
        assert "Telnet" in (await site.page("versions/1.x/")).words
        assert "Telnet" not in (await site.page("")).words


async def test_a_host_name_of_its_own_has_versions_at_its_root(
    site: Site, client: Client, owner: Tx, cast: Cast
) -> None:
    host = f"{cast.acme.slug}.acme.example"
    await change_domain(owner, cast.acme.workspace_id, cast.acme.bot_id, host)

    page = await site.api(None).get(f"http://{host}/versions/1.x/articles/install")
    assert page.status_code == 200
    assert "/versions/1.x/articles/configure" in Page(page.text).links
    assert site.home not in page.text
    slash = await site.api(None).get(f"http://{host}/versions/1.x")
    assert slash.headers["Location"] == "/versions/1.x/"
    elsewhere = await site.get("versions/1.x/articles/telnet")
    assert elsewhere.headers["Location"] == f"http://{host}/versions/1.x/articles/telnet"


async def test_forms_of_a_version_lead_back_to_it(site: Site) -> None:
    fields = {"article": site.articles["telnet"]["id"], "helpful": "yes"}
    path = f"{site.home}/versions/1.x/feedback"
    rated = await site.api(None).post(path, data=fields)
    assert rated.status_code == 303
    assert rated.headers["Location"].startswith(path)


async def test_a_help_center_without_versions_shows_none(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Install")

    page = Page((await visit(api, f"{cast.acme.slug}/articles/install")).text)

    assert "version" not in page.text.lower()
    assert (await visit(api, f"{cast.acme.slug}/versions/1.x/articles/install")).status_code == 404


async def test_the_parts_of_a_split_article_lead_to_each_other(site: Site, client: Client) -> None:
    install = site.articles["install"]["id"]
    copy = created(await client.post(f"/v1/articles/{install}/split", json={"version": "2.x"}))
    assert copy["url"] == f"http://help.test{site.home}/versions/1.x/articles/{copy['slug']}"

    older = await site.get("versions/1.x/articles/install")

    assert older.status_code == 302
    assert older.headers["Location"] == copy["url"]
    assert (await site.get(f"versions/1.x/articles/{copy['slug']}")).status_code == 200
    assert (await site.get("articles/install")).status_code == 200
    moved = await site.get(f"articles/{copy['slug']}")
    assert moved.headers["Location"].endswith(f"{site.home}/articles/install")

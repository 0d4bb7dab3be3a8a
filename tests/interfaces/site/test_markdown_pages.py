"""GET /help/{bot}/articles/{slug}.md and similar URLs, and `Accept` on the pages themselves."""

import pytest
from starlette.requests import Request

from instep.interfaces.site.representations import prefers_markdown
from tests.support.cast import Api, Cast, Client
from tests.support.changelog_entries import publish_entry
from tests.support.site_pages import Page, publish, visit

MARKDOWN = "text/markdown; charset=utf-8"


async def test_an_article_is_there_as_markdown(client: Client, api: Api, cast: Cast) -> None:
    text = "Run **it**, see <https://acme.test>.\n\n- [x] done\n"
    article = await publish(client, "Größe", text, description="How\nto begin")

    answer = await visit(api, f"{cast.acme.slug}/articles/größe.md")

    url = f"http://help.test/help/{cast.acme.slug}/articles/gr%C3%B6%C3%9Fe"
    assert answer.text == (
        f"# Größe\n\n> How to begin\n\n{text}\n---\n\n"
        f"Source: <{url}>\n\nLast changed: {article['updatedAt']}\n"
    )
    index = f"http://help.test/help/{cast.acme.slug}/llms.txt"
    assert {
        name: answer.headers[name]
        for name in ("Content-Type", "Content-Location", "X-Robots-Tag", "Vary", "Link")
    } == {
        "Content-Type": MARKDOWN,
        "Content-Location": f"{url}.md",
        "X-Robots-Tag": "noindex",
        "Vary": "Accept",
        "Link": f'<{url}>; rel="canonical", <{index}>; rel="describedby"',
    }


async def test_translations_and_entries_are_there_too(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Einrichten", "Los.", locale="de")
    await publish_entry(client, "Exports", contentMarkdown="Now as CSV.")

    german = await visit(api, f"{cast.acme.slug}/de/articles/einrichten.md")
    entry = await visit(api, f"{cast.acme.slug}/changelog/exports.md")

    assert german.text.startswith("# Einrichten\n\nLos.\n\n---\n\nSource: <")
    assert entry.text.startswith("# Exports\n\nNow as CSV.\n\n---\n\nSource: <")


async def test_an_address_that_moved_leads_to_the_present_markdown(
    client: Client, api: Api, cast: Cast
) -> None:
    article = await publish(client, "Install")
    await client.patch("/v1/articles/install", json={"slug": "set-up"})

    here = f"{cast.acme.slug}/articles"
    for path in (f"{here}/install.md", f"{cast.acme.slug}/en/articles/set-up.md"):
        moved = await visit(api, path)
        assert moved.status_code == 301
        assert moved.headers["Location"] == article["url"].replace("install", "set-up.md")


@pytest.mark.parametrize(
    ("accept", "is_markdown"),
    [
        ("text/markdown", True),
        ("text/markdown, text/html, */*", True),
        ("text/markdown;q=0.9, text/html;q=0.8", True),
        ("TEXT/Markdown; charset=utf-8; q=1", True),
        ("text/plain", True),
        ("text/html, text/markdown;q=0.9", False),
        ("application/xhtml+xml, text/markdown;q=0.5", False),
        ("text/markdown;q=0", False),
        ("text/markdown;q=much", False),
        ("text/markdown;q=nan", False),
        ("*/*", False),
        ("text/*", False),
        ("", False),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", False),
    ],
)
def test_markdown_is_for_those_who_want_it_as_much_as_html(accept: str, is_markdown: bool) -> None:
    request = Request({"type": "http", "headers": [(b"accept", accept.encode())]})

    assert prefers_markdown(request) is is_markdown


async def test_accept_chooses_what_a_page_is_read_as(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Install")
    await publish_entry(client, "Exports")

    for path in ("articles/install", "changelog/exports"):
        for accept, media_type in (("text/markdown", MARKDOWN), ("*/*", "text/html; charset=utf-8")):
            answer = await visit(api, f"{cast.acme.slug}/{path}", Accept=accept)
            assert answer.headers["Content-Type"] == media_type
            assert "Accept" in answer.headers["Vary"].split(", ")
            # Search engines may list the page itself, whatever format was requested.
            assert "X-Robots-Tag" not in answer.headers


async def test_each_representation_has_its_own_entity_tag(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Install")
    entry = await publish_entry(client, "Exports")

    for path in (f"{cast.acme.slug}/articles/install", f"{cast.acme.slug}/changelog/exports"):
        markdown = {"Accept": "text/markdown"}
        etag = (await visit(api, path, **markdown)).headers["ETag"]
        again = await visit(api, path, **markdown, **{"If-None-Match": etag})
        assert (again.status_code, again.content, again.headers["Vary"]) == (304, b"", "Accept")
        assert (await visit(api, path, **{"If-None-Match": etag})).status_code == 200
        assert (await visit(api, f"{path}.md")).headers["ETag"] == etag
    await client.post(f"/v1/changelog/entries/{entry['id']}/unpublish")
    assert (await visit(api, path, **markdown, **{"If-None-Match": etag})).status_code == 404


async def test_missing_markdown_page_gets_404_in_markdown(api: Api, cast: Cast) -> None:
    here = cast.acme.slug
    answers = [
        await visit(api, f"{here}/articles/nothing.md"),
        await visit(api, f"{here}/changelog/nothing.md"),
        await visit(api, f"{here}/articles/nothing", Accept="text/markdown"),
        await visit(api, "nobody/articles/nothing.md"),
    ]

    for answer in answers:
        assert (answer.status_code, answer.headers["Content-Type"]) == (404, MARKDOWN)
        assert answer.text.startswith("# Not found\n\n")
        assert "Accept" in answer.headers["Vary"]
    assert "<h1>" in (await visit(api, f"{here}/articles/nothing")).text


async def test_words_that_no_page_shows_are_left_out(client: Client, api: Api, cast: Cast) -> None:
    hidden = "<!-- kookaburra -->\n\n[//]: # (kookaburra)\n\n<p title='kookaburra'>Run `List<String>`</p>"
    await publish(client, "Install", f"Choose **CSV**, not \\<script>.\n\n{hidden}\n\n1. one\n2. two")
    await publish_entry(client, "Exports", contentMarkdown=hidden)

    texts = [
        (await visit(api, f"{cast.acme.slug}/{path}")).text
        for path in ("articles/install.md", "changelog/exports.md", "llms-full.txt")
    ]

    assert "kookaburra" not in "".join(texts)
    assert "<script>" not in "".join(texts)
    for words in ("Choose **CSV**", "1. one\n2. two"):
        assert words in texts[0]
        assert words in texts[2]


async def test_signs_that_mean_nothing_in_markdown_are_not_escaped(
    client: Client, api: Api, cast: Cast
) -> None:
    text = "Self-hosted, version 2.0 = new. A + b - c.<br>\\- not a list `a\\-b`\n\n```\nx \\- y\n```"
    await publish(client, "Install", text)

    markdown = (await visit(api, f"{cast.acme.slug}/articles/install.md")).text

    assert "Self-hosted, version 2.0 = new. A + b - c." in markdown
    assert "\\- not a list `a\\-b`" in markdown
    assert "\nx \\- y\n" in markdown


async def test_pages_point_to_what_there_is_for_programs(client: Client, api: Api, cast: Cast) -> None:
    root = await publish(client, "Install")
    german = await publish(client, "Einrichten", locale="de", translationOf=root["id"])
    await publish(client, "Installer", locale="fr", translationOf=root["id"], visibility="authenticated")
    entry = await publish_entry(client, "Exports")
    here = f"/help/{cast.acme.slug}"

    pages = {url: Page((await api(None).get(url)).text) for url in (root["url"], german["url"], entry["url"])}

    for url, page in pages.items():
        links = [
            (link["rel"], link.get("type"), link["href"])
            for link in page.attributes("link")
            if link["rel"] in ("describedby", "search") or ("type" in link and link["rel"] == "alternate")
        ]
        topic = [] if url == entry["url"] else [("alternate", "application/atom+xml", f"{url}.atom")]
        assert links == [
            ("alternate", "application/rss+xml", f"{here}/changelog.xml"),
            ("alternate", "application/atom+xml", f"{here}/changelog.atom"),
            ("alternate", "application/feed+json", f"{here}/changelog.json"),
            *topic,
            ("alternate", "text/markdown", f"{url}.md"),
            ("describedby", "text/markdown", f"{here}/llms.txt"),
            ("search", "application/opensearchdescription+xml", f"{here}/opensearch.xml"),
        ]
        for _, _, address in links:
            assert (await api(None).get(address or "")).status_code == 200
    languages = [
        {link["hreflang"]: link["href"] for link in page.attributes("link") if "hreflang" in link}
        for page in pages.values()
    ]
    group = {"de": german["url"], "en": root["url"], "x-default": root["url"]}
    assert languages == [group, group, {}]

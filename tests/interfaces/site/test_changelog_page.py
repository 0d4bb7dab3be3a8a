"""GET /help/{bot}/changelog and GET /help/{bot}/changelog/{slug}."""

import re
from datetime import datetime

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client
from tests.support.changelog_entries import ENTRIES, create_entry, publish_entry
from tests.support.limits import SetLimit
from tests.support.site_pages import Page, publish, visit


async def test_the_page_shows_published_entries_newest_publication_first(
    client: Client, api: Api, cast: Cast
) -> None:
    for title in ("Second", "Never", "First"):
        await create_entry(client, title, contentMarkdown=f"About *{title}*.")
    for slug in ("first", "second"):
        await client.post(f"{ENTRIES}/{slug}/publish")

    answer = await visit(api, f"{cast.acme.slug}/changelog")

    page = Page(answer.text)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "text/html; charset=utf-8")
    assert "<title>Changelog · Acme</title>" in answer.text
    places = [answer.text.index(words) for words in ("Second", "<em>Second</em>", "First", "<em>First</em>")]
    assert places == sorted(places)
    assert "Never" not in page.text
    assert f"/help/{cast.acme.slug}/changelog/second" in page.links


async def test_an_entry_has_a_page_of_its_own(client: Client, visitor: Client) -> None:
    entry = await publish_entry(client, "Größer & <b>", contentMarkdown="## One\n\nWords.")

    answer = await visitor.get(entry["url"])

    assert answer.status_code == 200
    assert "<h1>Größer &amp; &lt;b&gt;</h1>" in answer.text
    assert '<h2 id="h-one">' in answer.text
    day = {"datetime": entry["publishedAt"]}
    assert day in Page(answer.text).attributes("time")
    published_at = datetime.fromisoformat(entry["publishedAt"])
    assert f"{published_at:%B} {published_at.day}, {published_at.year}" in Page(answer.text).text


async def test_all_pages_link_to_a_changelog_with_something_in_it(
    wide: Client, client: Client, globex: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Install")
    paths = ["", "articles/install", "changelog"]
    feed = f"/help/{cast.acme.slug}/changelog.xml"

    async def linking() -> list[str]:
        pages = {path: Page((await visit(api, f"{cast.acme.slug}/{path}")).text) for path in paths}
        return [
            path
            for path, page in pages.items()
            if f"/help/{cast.acme.slug}/changelog" in page.links
            and feed in [link["href"] for link in page.attributes("link")]
        ]

    await create_entry(client, "Draft")
    await publish_entry(globex, "Theirs")
    wide.headers["Service-Bot"] = str(cast.second_bot_id)
    await publish_entry(wide, "Of the other bot")
    assert await linking() == []
    await publish_entry(client, "Exports")
    assert await linking() == paths
    await client.post(f"{ENTRIES}/exports/unpublish")
    assert await linking() == []


async def test_a_changelog_without_entries_says_so(api: Api, cast: Cast) -> None:
    answer = await visit(api, f"{cast.acme.slug}/changelog")

    assert (answer.status_code, "Nothing here yet" in answer.text) == (200, True)


async def test_older_entries_are_on_further_pages(
    client: Client, visitor: Client, cast: Cast, set_limit: SetLimit
) -> None:
    set_limit("MAX_CHANGELOG_PAGE_ENTRIES", 2)
    for number in range(5):
        await publish_entry(client, f"No {number}")

    path = f"/help/{cast.acme.slug}/changelog"
    titles: list[list[str]] = []
    while path:
        page = Page((await visitor.get(path)).text)
        titles.append(re.findall(r"\bNo (\d)", page.text))
        path = next((link for link in page.links if "start_cursor" in link), "")
        # A new entry does not shift the next page.
        await publish_entry(client, f"New {len(titles)}", contentMarkdown="x")

    assert titles == [["4", "3"], ["2", "1"], ["0"]]


@pytest.mark.parametrize("cursor", ["", "x", "%00", "ä"])
async def test_a_wrong_cursor_is_refused_with_a_page(api: Api, cast: Cast, cursor: str) -> None:
    refusal = await visit(api, f"{cast.acme.slug}/changelog?start_cursor={cursor}")

    assert (refusal.status_code, refusal.headers["content-type"]) == (400, "text/html; charset=utf-8")


async def test_texts_that_stand_together_do_not_share_ids(client: Client, api: Api, cast: Cast) -> None:
    text = "## Fixes\n\nSee [above](#fixes) and [all](/help/x).[^1]\n\n- [x] done\n\n[^1]: A note."
    for title in ("One", "Two"):
        await publish_entry(client, title, contentMarkdown=text)

    page = Page((await visit(api, f"{cast.acme.slug}/changelog")).text)

    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert ids == ["menu", "content"]
    here = f"http://help.test/help/{cast.acme.slug}/changelog"
    assert {f"{here}/one#h-fixes", f"{here}/two#fn-1", "http://help.test/help/x"} <= set(page.links)
    boxes = [attrs for attrs in page.attributes("input") if attrs["type"] == "checkbox"]
    assert boxes == [{"type": "checkbox", "checked": "", "disabled": "", "aria-label": "done"}] * 2


async def test_a_long_text_is_left_to_its_own_page(
    client: Client, visitor: Client, api: Api, cast: Cast
) -> None:
    entry = await publish_entry(client, "Long", contentMarkdown="word " * 20_000)
    await publish_entry(client, "Short", contentMarkdown="Few words.")

    page = (await visit(api, f"{cast.acme.slug}/changelog")).text

    assert ("Few words." in page, "word word" in page, "Read more" in page) == (True, False, True)
    assert "word word" in (await visitor.get(entry["url"])).text


async def test_directives_are_plain_text_in_the_list_and_the_feeds(
    client: Client, api: Api, cast: Cast
) -> None:
    text = (
        ":::details[More]\nHidden words.\n:::\n\n:::video\n[Tour](https://www.youtube.com/watch?v=a)\n:::\n"
    )
    await publish_entry(client, "Rich", contentMarkdown=text)

    for path in ("changelog", "changelog.xml"):
        page = (await visit(api, f"{cast.acme.slug}/{path}")).text
        assert "Hidden words." in page
        assert ":::" not in page
        assert "<script" not in page.partition("Hidden words.")[2].partition("</article>")[0]


async def test_hostile_texts_and_titles_are_harmless(client: Client, visitor: Client, cast: Cast) -> None:
    title = '"><script>alert(1)</script>'
    text = "<script>alert(1)</script><a href='javascript:alert(1)' onclick=x>a</a> words"
    entry = await publish_entry(client, title, contentMarkdown=text)

    for address in (entry["url"], f"/help/{cast.acme.slug}/changelog"):
        page = Page((await visitor.get(address)).text)
        assert title in page.text
        assert page.foreign_scripts == []
        assert not [link for link in page.links if link.startswith("javascript")]


@pytest.mark.parametrize("status", ["draft", "archived"])
async def test_entries_that_are_not_published_get_404(
    client: Client, visitor: Client, api: Api, cast: Cast, owner: Tx, status: str
) -> None:
    entry = await publish_entry(client, "Secret")
    await owner.execute(
        "update changelog_entries set status = %(status)s where id = %(id)s", status=status, id=entry["id"]
    )

    answer = await visitor.get(entry["url"])

    assert answer.status_code == 404
    assert answer.text == (await visit(api, f"{cast.acme.slug}/changelog/nothing")).text


async def test_an_entry_stands_in_its_own_help_center_only(client: Client, api: Api, cast: Cast) -> None:
    entry = await publish_entry(client)

    for path in (
        f"{cast.globex.slug}/changelog/{entry['slug']}",
        f"{cast.acme.slug}/changelog/{entry['id']}",
        f"{cast.acme.slug}/changelog/%00",
        "nobody/changelog",
        "nobody/changelog.xml",
        "nobody/sitemap.xml",
    ):
        assert (await visit(api, path)).status_code == 404

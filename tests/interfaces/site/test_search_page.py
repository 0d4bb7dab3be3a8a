"""A help center's search page: results link to their section, and show nothing a visitor may not see."""

import re
from urllib.parse import quote, urlsplit

import httpx2
import pytest

from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.llm.embedding import NO_EMBEDDERS, Embedders
from instep.search.semantic.query_embedder import query_embedder
from tests.support.cast import Api, Cast, Client
from tests.support.embeddings import embed, embedding, knows
from tests.support.limits import SetLimit
from tests.support.site_pages import Page, publish, visit

TEXT = "Acme is quick.\n\n## Invite people\n\nOpen **Team**. Choose *Invite* and enter an address. Done.\n"


async def search(api: Api, cast: Cast, query: str, below: str = "") -> httpx2.Response:
    return await visit(api, f"{cast.acme.slug}{below}/search?q={quote(query)}")


async def test_a_result_leads_to_the_place_and_shows_its_best_sentence_with_the_words_marked(
    client: Client, visitor: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Your team", TEXT)
    await publish(client, "Pets", "Cats are welcome.")

    answer = await search(api, cast, "inviting people")

    page, here = Page(answer.text), f"/help/{cast.acme.slug}"
    place = next(link for link in page.links if "#h-" in link or link.endswith("#invite-people"))
    assert page.links.index(f"{here}/articles/your-team") < page.links.index(place)
    target = await visitor.get(place)
    assert f'id="{urlsplit(place).fragment}"' in target.text
    assert "Choose <mark>Invite</mark> and enter an address." in answer.text
    assert "Pets" not in page.text
    assert answer.text.count("<h2>") == 1
    assert "<title>inviting people · Search · Acme</title>" in answer.text


async def test_results_that_have_none_of_the_words_say_so(
    client: Client, api: Api, cast: Cast, database: Database
) -> None:
    await publish(client, "Automobile", "Wash it.")
    async with embedding(knows) as (embedder, _):
        await embed(database, embedder, cast.acme)
        query_embedder.use(Embedders.for_all(embedder))
        pages = [(await search(api, cast, query)).text for query in ("vehicle upkeep", "automobile upkeep")]
        query_embedder.use(NO_EMBEDDERS)

    assert all(">Automobile</a>" in page for page in pages)
    assert ["No exact match" in page for page in pages] == [True, False]


async def test_rows_and_lines_of_code_stay_apart_and_marks_of_footnotes_are_left_out(
    client: Client, api: Api, cast: Cast
) -> None:
    text = (
        "## Zebra limits\n\nZebra limits hold[^1].\n\n| name | limit |\n|---|---|\n| `zebra_port` | 80 |\n"
        "| `zebra_host` | none |\n\n```\nzebra serve\nzebra stop\n```\n\n## Notes\n\n[^1]: Always.\n"
    )
    await publish(client, "Zebra", text)

    html = (await visit(api, f"{cast.acme.slug}/search?q=zebra+limits")).text

    plain = re.sub(r"</?mark>", "", html)
    assert (
        "Zebra limits hold.\nname · limit\nzebra_port · 80\nzebra_host · none\nzebra serve\nzebra stop"
        in plain
    )


async def test_no_cache_keeps_it_and_no_search_engine_lists_it(api: Api, cast: Cast) -> None:
    answer = await search(api, cast, "anything")
    sitemap = await visit(api, f"{cast.acme.slug}/sitemap.xml")

    assert (answer.headers["Cache-Control"], answer.headers["X-Robots-Tag"]) == ("no-store", "noindex")
    assert '<meta name="robots" content="noindex">' in answer.text
    assert "ETag" not in answer.headers
    assert "form-action 'self'" in answer.headers["Content-Security-Policy"]
    assert "/search" not in sitemap.text


async def test_each_page_searches_in_its_own_language(
    client: Client, visitor: Client, api: Api, cast: Cast
) -> None:
    await publish(client, "Import contacts", "Contacts come from a file.")
    german = await publish(client, "Kontakte", "Contacts heißen Kontakte.", locale="de")

    for path in ("articles/import-contacts", "de/articles/kontakte"):
        page = Page((await visit(api, f"{cast.acme.slug}/{path}")).text)
        [form] = [form for form in page.attributes("form") if form.get("role") == "search"]
        results = Page((await visitor.get(f"{form['action']}?q=contacts")).text)
        assert [link for link in results.links if "/articles/" in link] == [f"/help/{cast.acme.slug}/{path}"]
    assert german["url"].endswith("/de/articles/kontakte")
    assert (await visit(api, f"{cast.acme.slug}/not a language/search?q=contacts")).status_code == 404


async def test_links_lead_through_all_results_once(
    client: Client, visitor: Client, api: Api, cast: Cast
) -> None:
    titles = [f"Export number {number}" for number in range(limits.SITE_PAGE_ROWS + 3)]
    for title in titles:
        await publish(client, title, "An export is a file.")

    path, links = f"/help/{cast.acme.slug}/search?q=export", list[str]()
    for rows in (limits.SITE_PAGE_ROWS, 3):
        page = Page((await visitor.get(path)).text)
        listed = [link for link in page.links if "/articles/" in link]
        assert len(listed) == rows
        links += listed
        path = next((link for link in page.links if "start_cursor" in link), "")

    assert len(set(links)) == len(titles)
    assert path == ""
    assert f"/help/{cast.acme.slug}/search?q=export" in page.links
    cursor = await visit(api, f"{cast.acme.slug}/search?q=export&start_cursor=AAAA")
    assert (cursor.status_code, "cursor" in cursor.text) == (400, True)


async def test_one_long_article_leaves_room_for_others(client: Client, api: Api, cast: Cast) -> None:
    sections = [f"## Export {number}\n\nAn export of exports exports all.\n" for number in range(12)]
    await publish(client, "Export", "\n".join(sections))
    await publish(client, "Other", "Something that mentions an export.")

    page = Page((await search(api, cast, "export")).text)

    places = [link for link in page.links if "/articles/export#" in link]
    assert len(places) == len(set(places)) == 3
    assert f"/help/{cast.acme.slug}/articles/other" in page.links


@pytest.mark.parametrize("query", ["", " ", "a", "zzyzx", "!!", "--", '""', "the"])
async def test_without_results_it_says_what_to_do(client: Client, api: Api, cast: Cast, query: str) -> None:
    await publish(client, "Install", "Run it.")

    answer = await search(api, cast, query)

    assert answer.status_code == 200
    assert 'class="lead"' in answer.text
    assert ("all articles" in answer.text) is (len(query.strip()) > 1)


@pytest.mark.parametrize(
    "query",
    [
        "%3Cscript%3Ealert(1)%3C/script%3E%20install",
        "install%22%20autofocus%20onfocus=%22x()",
        "install%00",
        "install%ED%A0%80",
        "install%FF%FE",
        "install%F0%9F%92%A9",
        "install%0d%0aSet-Cookie:%20a=b",
        "{{ 7*7 }} install",
        "install" + "%20%22%27%5C%25_*" * 20,
    ],
)
async def test_queries_are_only_words(client: Client, api: Api, cast: Cast, query: str) -> None:
    await publish(client, "Install", "To <b>install</b> it use `<script>`. ![x](/p.png)")

    answer = await visit(api, f"{cast.acme.slug}/search?q={query}")

    page = Page(answer.text)
    assert answer.status_code == 200
    assert f"/help/{cast.acme.slug}/articles/install" in page.links
    assert page.names.isdisjoint({"b", "img", "style"})
    assert page.foreign_scripts == []
    assert not any(name.startswith("on") for _, attrs in page.tags for name in attrs)
    assert "Set-Cookie" not in answer.headers
    assert "{{ 7*7 }}" in answer.text or "7*7" not in query


async def test_too_long_a_search_is_refused_with_a_sentence(api: Api, cast: Cast) -> None:
    longest = await search(api, cast, "i" * limits.MAX_QUERY_CHARACTERS)
    refusal = await search(api, cast, "i" * 10_000)

    assert (longest.status_code, refusal.status_code) == (200, 400)
    assert f"at most {limits.MAX_QUERY_CHARACTERS} characters" in refusal.text


async def test_searches_of_one_address_are_limited_and_reading_goes_on(
    api: Api, cast: Cast, set_limit: SetLimit
) -> None:
    set_limit("SITE_SEARCHES_PER_MINUTE", 2)
    answers = [await search(api, cast, "anything") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[-1].headers["Retry-After"]) > 0
    assert "Wait a minute" in answers[-1].text
    assert (await visit(api, f"{cast.acme.slug}/search")).status_code == 200
    assert (await visit(api, f"{cast.acme.slug}/")).status_code == 200


async def test_a_help_center_that_is_not_there_has_no_search(api: Api) -> None:
    for slug in ("nobody", "%00"):
        assert (await visit(api, f"{slug}/search?q=words")).status_code == 404

"""Fetching a help center from its product's API, with its paging, rate limits and errors."""

from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from instep.platform.core.outbound.allowed import read_allow_list
from instep.platform.core.outbound.client import OutboundClient
from instep.transfer.imports.fetchers.product_api import Api, Fetcher
from instep.transfer.imports.fetchers.products import FETCHERS, fetch_source, find_fetcher
from instep.transfer.imports.readers.discourse import READER as DISCOURSE
from instep.transfer.imports.readers.freshdesk import READER as FRESHDESK
from instep.transfer.imports.readers.help_scout import READER as HELP_SCOUT
from instep.transfer.imports.readers.intercom import READER as INTERCOM
from instep.transfer.imports.readers.zendesk import READER as ZENDESK
from instep.transfer.imports.tree.schemas import Reader, Tree, UnreadableSource
from tests.support.import_sources import Files
from tests.support.limits import SetLimit
from tests.support.wording import like
from tests.transfer.imports.api_server import Answer, ApiServer, serving
from tests.transfer.imports.test_discourse import topic
from tests.transfer.imports.test_freshdesk import SAVED as FRESHDESK_SAVED
from tests.transfer.imports.test_help_scout import ARTICLE as HELP_SCOUT_ARTICLE
from tests.transfer.imports.test_help_scout import SAVED as HELP_SCOUT_SAVED
from tests.transfer.imports.test_intercom import ARTICLE as INTERCOM_ARTICLE
from tests.transfer.imports.test_intercom import SAVED as INTERCOM_SAVED
from tests.transfer.imports.test_zendesk import article

HELP_CENTER = "/api/v2/help_center"
KEY = "ada@example.com/token:abc"
AUTHORIZATION = f"Basic {b64encode(KEY.encode()).decode()}"


def fetcher(name: str) -> Fetcher:
    return next(each for each in FETCHERS if each.name == name)


def tree_in(folder: Path, reader: Reader) -> Tree:
    """The tree that the reader builds from the saved responses, as the import does next."""
    paths = [path for path in folder.rglob("*") if path.is_file()]
    files = Files({path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})
    assert reader.recognises(files)
    return reader.read(files)


async def fetch_tree(server: ApiServer, name: str, key: str, folder: Path, reader: Reader) -> Tree:
    client = OutboundClient(read_allow_list("127.0.0.0/8"))
    try:
        await fetch_source(client, fetcher(name), server.url, key, folder, lambda _: None)
    finally:
        await client.aclose()
    return tree_in(folder, reader)


def last_page(**lists: Any) -> Answer:
    return Answer({**lists, "meta": {"has_more": False}})


def zendesk_answers(url: str) -> dict[str, Any]:
    first, second = article(360000000001, "First"), article(360000000002, "Second", position=1)
    first["body"] = f'<p><img src="{url}/hc/article_attachments/1/shot.png"></p>'
    second["body"] = '<p><img src="/hc/article_attachments/2/gone.png"></p>'
    # Half of an emoji, left where a product truncated a text.
    second["title"] = "Second \ud83d"
    return {
        f"{HELP_CENTER}/locales.json": Answer({"locales": ["en-us"], "default_locale": "en-us"}),
        f"{HELP_CENTER}/user_segments.json": Answer({"error": "Forbidden"}, 403),
        f"{HELP_CENTER}/categories.json?page%5Bsize%5D=100": Answer(
            {"categories": [], "meta": {"has_more": False}}
        ),
        f"{HELP_CENTER}/sections.json?page%5Bsize%5D=100": last_page(
            sections=[{"id": 200, "name": "Start", "category_id": 100}]
        ),
        f"{HELP_CENTER}/articles.json?include=translations&page%5Bsize%5D=100": [
            Answer({"error": "Too many"}, 429, {"Retry-After": "7"}),
            Answer(
                {
                    "articles": [first],
                    "meta": {"has_more": True},
                    "links": {"next": f"{url}{HELP_CENTER}/articles.json?page[after]=x"},
                }
            ),
        ],
        f"{HELP_CENTER}/articles.json?page%5Bafter%5D=x": Answer(
            {"articles": [second], "meta": {"has_more": False}}
        ),
        f"{HELP_CENTER}/articles/360000000001/attachments/block.json": Answer({"article_attachments": []}),
        f"{HELP_CENTER}/articles/360000000002/attachments/block.json": Answer({"article_attachments": []}),
        "/hc/article_attachments/1/shot.png": Answer(b"", 302, {"Location": "/stored/1.png"}),
        "/stored/1.png": Answer(b"png"),
    }


async def test_all_pages_and_images_are_saved_and_a_rate_limit_is_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    client = OutboundClient(read_allow_list("127.0.0.0/8"))
    async with serving(ApiServer(authorization=AUTHORIZATION)) as server:
        server.answers = zendesk_answers(server.url)
        zendesk = fetcher("zendesk")
        api = Api(client, "Zendesk", "", server.url, zendesk.headers(KEY), tmp_path, lambda _: None, wait)
        await zendesk.fetch(api)
    await client.aclose()
    assert waits == [7.0]
    first, second = tree_in(tmp_path, ZENDESK).pages
    assert (first.title, second.title) == ("First", "Second \ufffd")
    assert (tmp_path / first.markdown.strip().removeprefix("![](").removesuffix(")")).read_bytes() == b"png"
    assert second.markdown == "![](/hc/article_attachments/2/gone.png)\n"


async def test_a_wait_that_lasts_too_long_is_told_bounded_and_refused(
    tmp_path: Path, set_limit: SetLimit
) -> None:
    """Some servers send a time that is years away."""
    set_limit("MAX_IMPORT_WAIT_SECONDS", 100.0)
    waits, told = list[float](), list[str]()

    async def wait(seconds: float) -> None:
        waits.append(seconds)

    client = OutboundClient(read_allow_list("127.0.0.0/8"))
    async with serving(ApiServer()) as server:
        server.answers = {"/x": Answer({}, 429, {"Retry-After": "Wed, 01 Jan 2131 00:00:00 GMT"})}
        api = Api(client, "Zendesk", "", server.url, {}, tmp_path, told.append, wait)
        with pytest.raises(UnreadableSource, match=r"doesn't respond to .*: import again in [\d,]+ minutes"):
            await api.get("/x")
    await client.aclose()

    assert waits == [100.0]
    assert len(told) == 1
    assert "100 seconds" in told[0]


async def test_a_bad_key_is_refused_with_what_to_set(tmp_path: Path) -> None:
    async with serving(ApiServer(authorization=AUTHORIZATION)) as server:
        server.answers = zendesk_answers(server.url)
        with pytest.raises(UnreadableSource) as refusal:
            await fetch_tree(server, "zendesk", "ada@example.com/token:wrong", tmp_path, ZENDESK)
    assert str(refusal.value) == like("Zendesk…INSTEP_IMPORT_KEY…you@example.com/token:TOKEN…")
    assert "wrong" not in str(refusal.value)


async def test_the_key_goes_to_no_other_host(tmp_path: Path) -> None:
    async with serving(ApiServer()) as other, serving(ApiServer()) as server:
        other.answers = {"/1.png": Answer(b"png")}
        server.answers = zendesk_answers(server.url)
        second = server.answers[f"{HELP_CENTER}/articles.json?page%5Bafter%5D=x"]
        assert isinstance(second, Answer)
        second.body["articles"][0]["body"] = f'<img src="{other.url}/1.png">'
        pages = server.answers[f"{HELP_CENTER}/articles.json?include=translations&page%5Bsize%5D=100"]
        assert isinstance(pages, list)
        pages.pop(0)
        await fetch_tree(server, "zendesk", KEY, tmp_path, ZENDESK)
        assert other.authorizations == [("/1.png", "")]
        assert ("/hc/article_attachments/1/shot.png", AUTHORIZATION) in server.authorizations


async def test_a_next_page_on_another_host_is_refused(tmp_path: Path) -> None:
    async with serving(ApiServer()) as other, serving(ApiServer()) as server:
        server.answers = {
            **zendesk_answers(server.url),
            f"{HELP_CENTER}/categories.json?page%5Bsize%5D=100": Answer(
                {"categories": [], "next_page": f"{other.url}/steal"}
            ),
        }
        with pytest.raises(UnreadableSource, match="which is outside"):
            await fetch_tree(server, "zendesk", KEY, tmp_path, ZENDESK)
        assert other.requests == []


async def test_ids_of_an_api_lead_nowhere_else_on_the_disk(tmp_path: Path) -> None:
    async with serving(ApiServer()) as server:
        server.answers = {
            "/v1/sites?": Answer({"sites": {"items": []}}),
            "/v1/sites": Answer({"sites": {"items": []}}),
            "/v1/collections": Answer({"collections": {"items": [{"id": "../../x", "siteId": "s"}]}}),
            "/v1/collections/../../x/categories": Answer({"categories": {"items": []}}),
        }
        with pytest.raises(UnreadableSource, match="an id that"):
            await fetch_tree(server, "help_scout", "key", tmp_path, HELP_SCOUT)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["collections-1.json", "sites-1.json"]


def numbered_page(number: int, row: Any) -> Answer:
    return Answer({"data": [row], "pages": {"page": number, "total_pages": 2}})


async def test_intercom_is_read_page_by_page(tmp_path: Path) -> None:
    second = {**INTERCOM_ARTICLE, "id": "7654321", "title": "Second"}
    async with serving(ApiServer()) as server:
        server.answers = {
            "/articles?per_page=150": Answer(
                {"data": [INTERCOM_ARTICLE], "pages": {"page": 1, "total_pages": 2}}
            ),
            "/articles?per_page=150&page=2": Answer(
                {"data": [second], "pages": {"page": 2, "total_pages": 2}}
            ),
            "/help_center/collections?per_page=150": Answer(INTERCOM_SAVED["collections-1.json"]),
            "/help_center/help_centers?per_page=150": Answer(
                {"data": [{"id": 79, "website_turned_on": True}]}
            ),
            "/help_center/help_centers/79/redirects": Answer(INTERCOM_SAVED["redirects-79-1.json"]),
            "/help_center/help_centers/79/redirects?per_page=150": Answer(
                INTERCOM_SAVED["redirects-79-1.json"]
            ),
        }
        tree = await fetch_tree(server, "intercom", "token", tmp_path, INTERCOM)
    assert [page.title for page in tree.pages if page.translation_of is None] == ["Set up", "Second"]
    assert len(tree.redirects) == 1


async def test_help_scout_is_read_article_by_article(tmp_path: Path) -> None:
    async with serving(ApiServer()) as server:
        server.answers = {
            "/v1/sites": Answer({"sites": {"items": [{"id": "s"}]}}),
            "/v1/collections": Answer(HELP_SCOUT_SAVED["collections.json"]),
            "/v1/collections/c1/categories": Answer(HELP_SCOUT_SAVED["categories.json"]),
            "/v1/collections/c2/categories": Answer({"categories": {"items": []}}),
            "/v1/collections/c1/articles": Answer(
                {"articles": {"items": [{"id": "a1"}], "page": 1, "pages": 1}}
            ),
            "/v1/collections/c2/articles": Answer({"articles": {"items": []}}),
            "/v1/articles/a1": Answer({"article": HELP_SCOUT_ARTICLE}),
            "/v1/redirects/site/s": Answer(HELP_SCOUT_SAVED["redirects.json"]),
        }
        tree = await fetch_tree(server, "help_scout", "key", tmp_path, HELP_SCOUT)
    assert [(page.key, page.collection) for page in tree.pages] == [("a1", "k1")]
    assert len(tree.redirects) == 1


async def test_freshdesk_is_read_folder_by_folder_with_its_languages(tmp_path: Path) -> None:
    solutions, page = "/api/v2/solutions", "?per_page=100&page=1"
    folders = [
        {**row, "sub_folders_count": int(row["id"] == 10)} for row in FRESHDESK_SAVED["folders-1-1.json"]
    ]
    articles = [{**row, "attachments": []} for row in FRESHDESK_SAVED["articles-10-1.json"]]
    async with serving(ApiServer()) as server:
        server.answers = {
            "/api/v2/settings/helpdesk": Answer(FRESHDESK_SAVED["helpdesk.json"]),
            f"{solutions}/categories{page}": Answer(FRESHDESK_SAVED["categories-1.json"]),
            f"{solutions}/categories/1/folders{page}": Answer(folders),
            f"{solutions}/folders/10/articles{page}": Answer(articles),
            f"{solutions}/folders/10/subfolders{page}": Answer(FRESHDESK_SAVED["folders-of-10-1.json"]),
            **{f"{solutions}/folders/{number}/articles{page}": Answer([]) for number in (11, 12, 20)},
            f"{solutions}/articles/70000000001/fr": Answer(FRESHDESK_SAVED["article-70000000001.fr.json"]),
        }
        tree = await fetch_tree(server, "freshdesk", "key", tmp_path, FRESHDESK)
    assert [page.key for page in tree.pages if page.locale == "fr"] == ["70000000001/fr"]
    assert len(tree.pages) == 5


async def test_a_category_of_discourse_is_read_topic_by_topic_without_a_key(tmp_path: Path) -> None:
    client = OutboundClient(read_allow_list("127.0.0.0/8"))
    async with serving(ApiServer()) as server:
        first = {"topics": [{"id": 2}], "more_topics_url": "/c/docs/12?page=1"}
        server.answers = {
            "/site.json": Answer({"categories": [{"id": 12, "name": "Docs"}], "groups": []}),
            "/c/docs/12.json": Answer({"topic_list": first}),
            "/c/docs/12.json?page=1": Answer({"topic_list": {"topics": [{"id": 3}]}}),
            "/t/2.json": Answer(topic(2, "Set up", '<p><img src="/uploads/a.png"></p>')),
            "/t/3.json": Answer(topic(3, "Use it", '<p><a href="/t/set-up/2">Set up</a></p>')),
            "/uploads/a.png": Answer(b"png"),
        }
        url = f"{server.url}/c/docs/12"
        fetched = find_fetcher(url)
        assert fetched is not None
        await fetch_source(client, fetched, url, None, tmp_path, lambda _: None)
    await client.aclose()

    tree = tree_in(tmp_path, DISCOURSE)
    assert [page.title for page in tree.pages] == ["Set up", "Use it"]
    assert tree.pages[0].markdown.startswith("![](files/")
    assert tree.sites == (server.url,)
    assert set(server.authorizations) == {(target, "") for target in server.requests}


@pytest.mark.parametrize(
    ("url", "name", "base"),
    [
        ("https://acme.zendesk.com/hc/en-us", "zendesk", "https://acme.zendesk.com"),
        ("https://intercom.help/acme/en", "intercom", "https://api.intercom.io"),
        ("https://api.eu.intercom.io", "intercom", "https://api.eu.intercom.io"),
        ("https://acme.helpscoutdocs.com", "help_scout", "https://docsapi.helpscout.net"),
        ("https://acme.freshdesk.com/support/home", "freshdesk", "https://acme.freshdesk.com"),
        ("https://forum.example/c/docs/guides/12/", "discourse", "https://forum.example/c/docs/guides/12"),
    ],
)
def test_the_address_of_a_help_center_tells_its_product(url: str, name: str, base: str) -> None:
    found_fetcher = find_fetcher(url)
    assert found_fetcher is not None
    assert (found_fetcher.name, found_fetcher.base(url)) == (name, base)


def test_other_addresses_belong_to_no_product() -> None:
    for url in (
        "https://example.com",
        "https://zendesk.com.evil.test/",
        "https://evil.test/acme.zendesk.com",
    ):
        assert find_fetcher(url) is None
    named = find_fetcher("https://help.example.com", "zendesk")
    assert named is not None
    assert named.name == "zendesk"


@pytest.mark.parametrize("key", [None, "", "key\r\nHost: x"])
async def test_without_a_key_nothing_is_asked(key: str | None, tmp_path: Path) -> None:
    client = OutboundClient(read_allow_list(""))
    with pytest.raises(UnreadableSource, match="INSTEP_IMPORT_KEY"):
        await fetch_source(
            client, fetcher("freshdesk"), "https://acme.freshdesk.com", key, tmp_path, lambda _: None
        )
    await client.aclose()

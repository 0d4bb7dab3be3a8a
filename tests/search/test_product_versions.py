"""Search and answers for a product version, through all interfaces for readers."""

from functools import partial

import pytest

from instep.content.golden.actions import add_golden_question
from instep.platform.core.database import Database
from instep.visitors.answers.ask import QuestionRequest, answer_for_visitors
from instep.visitors.answers.golden import ask_golden_questions
from tests.support.cast import Api, Cast, Client, Json
from tests.support.golden_questions import working
from tests.support.http import created, error, ok
from tests.support.mcp import ask as ask_tool
from tests.support.mcp import call
from tests.support.questions import ask, post, titles
from tests.support.site_pages import Page, publish, visit
from tests.support.visitors import refusal

VERSIONS = "/v1/product-versions"
QUESTION = "How do I rotate the signing keys?"


@pytest.fixture(autouse=True)
async def articles(client: Client) -> dict[str, Json]:
    """Versions 2.x (current) and 1.x rotate keys in different ways; only 1.x has faxes."""
    for slug in ("1.x", "2.x"):
        created(await client.post(VERSIONS, json={"slug": slug, "isCurrent": slug == "2.x"}))
    title = "Rotate the signing keys"
    new = await publish(client, title, "Open the vault page and choose Rotate.", sinceVersion="2.x")
    old = await publish(
        client,
        title,
        "Run the command `rekey`, which rotates the signing keys.",
        slug="rotate-1",
        untilVersion="1.x",
        versionOf=new["id"],
    )
    fax = await publish(client, "Send a fax", "Faxes leave by the modem.", untilVersion="1.x")
    return {"new": new, "old": old, "fax": fax}


async def test_an_answer_comes_from_the_articles_of_the_version(api: Api, cast: Cast) -> None:
    home = f"http://help.test/help/{cast.acme.slug}"
    for sent, words, url in (
        ({}, "vault", f"{home}/articles/rotate-the-signing-keys"),
        ({"version": "2.x"}, "vault", f"{home}/articles/rotate-the-signing-keys"),
        ({"version": "1.x"}, "rekey", f"{home}/versions/1.x/articles/rotate-1"),
    ):
        answer = await ask(api(None), cast.acme, QUESTION, **sent)
        assert words in answer["answer"], sent
        assert [source["url"] for source in answer["sources"]] == [url]
    assert titles(await ask(api(None), cast.acme, "How do I send a fax?")) == []
    assert titles(await ask(api(None), cast.acme, "How do I send a fax?", version="1.x")) == ["Send a fax"]


async def test_a_repeated_question_is_another_one_in_another_version(api: Api, cast: Cast) -> None:
    question = partial(ask, api(None), cast.acme, QUESTION, questionId="one")
    first, other = await question(), await question(version="1.x")
    assert first["messageId"] != other["messageId"]
    assert (await question(version="1.x"))["messageId"] == other["messageId"]


async def test_tools_answer_and_search_in_a_version(api: Api, cast: Cast, articles: dict[str, Json]) -> None:
    tool = partial(ask_tool, api(None), cast.acme)
    assert "rekey" in (await tool("ask_docs", {"question": QUESTION, "version": "1.x"}))["answer"]
    [found] = (await tool("search_docs", {"query": "signing keys"}))["results"]
    assert (found["articleId"], found["version"]) == (articles["new"]["id"], None)
    [found] = (await tool("search_docs", {"query": "signing keys", "version": "1.x"}))["results"]
    assert (found["articleId"], found["version"]) == (articles["old"]["id"], None)
    [found] = (await tool("search_docs", {"query": "fax modem"}))["results"]
    assert (found["articleId"], found["version"]) == (articles["fax"]["id"], "1.x")
    assert found["url"].endswith("/versions/1.x/articles/send-a-fax")
    own = await call(
        api(None), f"/help/{cast.acme.slug}/mcp", "ask_docs", {"question": QUESTION, "version": "1.x"}
    )
    assert "rekey" in own["structuredContent"]["answer"]


async def test_a_widget_reads_a_version(api: Api, cast: Cast, articles: dict[str, Json]) -> None:
    async def read(path: str, **params: str) -> Json:
        sent = {"botKey": cast.acme.bot_key, **params}
        return ok(await api(None).get(f"/widget/{cast.acme.bot_id}/{path}", params=sent))

    home = f"http://help.test/help/{cast.acme.slug}"
    assert (await read("config"))["helpUrl"] == home
    assert (await read("config", version="1.x"))["helpUrl"] == f"{home}/versions/1.x"
    [found] = (await read("search", q="signing keys", version="1.x"))["results"]
    assert (found["articleId"], found["version"]) == (articles["old"]["id"], None)
    [found] = (await read("search", q="modem"))["results"]
    assert (found["articleId"], found["version"]) == (articles["fax"]["id"], "1.x")
    assert all(link["version"] is None for link in (await read("suggestions", url="/modem"))["results"])
    first = (await read("suggestions", version="1.x"))["results"]
    assert {link["articleId"] for link in first} == {articles["old"]["id"], articles["fax"]["id"]}
    article = await read(f"articles/{articles['old']['id']}", version="1.x")
    assert article["url"] == f"{home}/versions/1.x/articles/rotate-1"


@pytest.mark.parametrize("query", ["modem", "fax modem page"])
async def test_articles_with_only_some_of_the_words_do_not_hide_those_of_other_versions(
    api: Api, cast: Cast, client: Client, query: str
) -> None:
    await publish(client, "Find a page", "Choose a page of the vault.", sinceVersion="2.x")
    sent = {"botKey": cast.acme.bot_key, "q": query}

    found = ok(await api(None).get(f"/widget/{cast.acme.bot_id}/search", params=sent))["results"]
    shown = await api(None).get(f"/help/{cast.acme.slug}/search", params={"q": query})

    assert (found[0]["title"], found[0]["version"]) == ("Send a fax", "1.x")
    assert "No results in version" not in shown.text or query == "modem"
    assert f"/help/{cast.acme.slug}/versions/1.x/articles/send-a-fax" in shown.text


async def test_an_unknown_version_is_refused_with_the_list(api: Api, cast: Cast) -> None:
    refused = await post(api(None), cast.acme, QUESTION, version="9")
    assert refusal(refused) == (400, "invalid_request")
    assert "1.x, 2.x" in refused.json()["message"]
    params = {"botKey": cast.acme.bot_key, "q": "keys", "version": "\0"}
    found = await api(None).get(f"/widget/{cast.acme.bot_id}/search", params=params)
    assert refusal(found) == (400, "invalid_request")
    tool = await call(
        api(None), f"/help/{cast.acme.slug}/mcp", "ask_docs", {"question": QUESTION, "version": "9"}
    )
    assert tool["isError"]
    assert "1.x, 2.x" in str(tool["content"])
    other = await post(api(None), cast.globex, QUESTION, version="1.x")
    assert "no versions" in other.json()["message"]


async def test_the_search_of_the_site_labels_results_of_other_versions(api: Api, cast: Cast) -> None:
    slug = cast.acme.slug
    for path, target in (
        ("search?q=signing+keys", "articles/rotate-the-signing-keys"),
        ("versions/1.x/search?q=signing+keys", "versions/1.x/articles/rotate-1"),
    ):
        page = Page((await visit(api, f"{slug}/{path}")).text)
        assert f"/help/{slug}/{target}" in page.links
        assert "Results in other versions" not in page.text
    page = Page((await visit(api, f"{slug}/search?q=modem")).text)
    assert f"/help/{slug}/versions/1.x/articles/send-a-fax" in page.links
    assert "No results in version 2.x" in page.text
    [match] = (await visit(api, f"{slug}/matches?q=modem")).json()["articles"]
    assert match["path"] == f"/help/{slug}/versions/1.x/articles/send-a-fax"
    assert match["headings"][0] == "Version 1.x"
    asked = Page((await visit(api, f"{slug}/versions/1.x/ask?q=How+do+I+rotate+the+signing+keys")).text)
    assert f"/help/{slug}/versions/1.x/articles/rotate-1" in asked.links


async def test_related_articles_are_those_of_the_version(client: Client, api: Api, cast: Cast) -> None:
    await publish(client, "Rotate the signing keys of a vault", "Open the vault page.")
    await client.get("/v1/articles/search", params={"q": "vault"})

    page = Page((await visit(api, f"{cast.acme.slug}/articles/rotate-the-signing-keys-of-a-vault")).text)
    older = Page(
        (await visit(api, f"{cast.acme.slug}/versions/1.x/articles/rotate-the-signing-keys-of-a-vault")).text
    )

    assert page.links_in("nav", "Related articles") == [
        f"/help/{cast.acme.slug}/articles/rotate-the-signing-keys"
    ]
    assert older.links_in("nav", "Related articles") == [
        f"/help/{cast.acme.slug}/versions/1.x/articles/rotate-1"
    ]


async def test_golden_questions_are_asked_in_a_version_of_their_article(
    articles: dict[str, Json], database: Database, cast: Cast
) -> None:
    async with working(database, cast.acme) as ctx:
        for name in ("new", "old"):
            await add_golden_question(ctx, QUESTION, articles[name]["id"])
        assert [golden.fault for golden in await ask_golden_questions(ctx)] == [None, None]
        answer = await answer_for_visitors(ctx, QuestionRequest("How do I send a fax?"))
    assert not answer.answered


async def test_keys_search_all_versions_or_one(client: Client, articles: dict[str, Json]) -> None:
    async def found(**params: str) -> list[str]:
        rows = ok(await client.get("/v1/articles/search", params={"q": "signing keys", **params}))["results"]
        return [row["id"] for row in rows]

    assert {*await found()} == {articles["new"]["id"], articles["old"]["id"]}
    assert await found(version="1.x") == [articles["old"]["id"]]
    assert await found(version="2.x") == [articles["new"]["id"]]
    refused = await client.get("/v1/articles/search", params={"q": "signing keys", "version": "9"})
    assert error(refused) == (400, "invalid_request")

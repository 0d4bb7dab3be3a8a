"""One article through every public interface: visible while it is public, hidden when it is not."""

import pytest

from instep.platform.core.database import Tx
from tests.support.cast import Api, Cast, Client, Json
from tests.support.http import ok
from tests.support.mcp import ask as ask_docs
from tests.support.mcp import use
from tests.support.questions import ask, post
from tests.support.site_pages import crawl, publish, set_article

CANARY = "kookaburra"
QUESTION = "What laughs at the archive?"
PAGES = {"home", "article page", "next article's page", "collection page", "search page", "sitemap"}
PAGES |= {"page to follow", "feed of the article", "feed of the collection"}
PAGES |= {"article as Markdown", "llms.txt", "llms-full.txt"}
VISITORS = {"chat", "chat stream", "ask_docs", "search_docs", *PAGES}
KEYS = {"search", "search_articles"}
PAGE_NAMES = {
    "": "home",
    "sitemap.xml": "sitemap",
    "collections/guides": "collection page",
    "collections/guides.atom": "feed of the collection",
    f"articles/the-{CANARY}.atom": "feed of the article",
    f"follow?article=the-{CANARY}": "page to follow",
    f"articles/the-{CANARY}": "article page",
    f"articles/the-{CANARY}.md": "article as Markdown",
    "articles/install": "next article's page",
}
HIDDEN = {
    "status = 'draft'": set[str](),
    "status = 'in_review'": set[str](),
    "status = 'archived'": set[str](),
    "deleted": set[str](),
    # Anyone with a key may work on it.
    "visibility = 'authenticated'": KEYS,
}


async def secret_article(client: Client) -> Json:
    body = {"title": "Guides"}
    group = (await client.post("/v1/collections", json=body)).json()["id"]
    words = f"The {CANARY} laughs at the archive."
    fields = {"description": words, "slug": f"the-{CANARY}", "collectionId": group}
    return await publish(client, f"Archive {CANARY}", f"## {CANARY}\n\n{words}", **fields)


async def sightings(api: Api, cast: Cast) -> set[str]:
    """The interfaces that show the word."""
    visitor, reader, acme = api(None), api(cast.acme.read_key), cast.acme
    stream = {"Accept": "text/event-stream"}
    visitor.headers.update(stream)
    streamed = (await post(visitor, acme, QUESTION)).text
    del visitor.headers["Accept"]
    seen = {
        "chat": str(await ask(visitor, acme, QUESTION)),
        "chat stream": streamed,
        "ask_docs": str(await ask_docs(visitor, acme, "ask_docs", {"question": QUESTION})),
        "search_docs": str(
            await ask_docs(visitor, acme, "search_docs", {"query": "archive", "includeText": True})
        ),
        "get_bot_config": str(await ask_docs(visitor, acme, "get_bot_config")),
        "search": str(ok(await reader.get("/v1/articles/search", params={"q": "archive"}))),
        "search_articles": str(await use(reader, "search_articles", {"query": "archive"})),
    }
    for path, content in (await crawl(api, cast)).items():
        door = path.removeprefix(f"/help/{acme.slug}/")
        seen[PAGE_NAMES.get(door, door)] = content
    # A visitor could guess the URL, too.
    seen["article page"] = (await visitor.get(f"/help/{acme.slug}/articles/the-{CANARY}")).text
    seen["search page"] = (await visitor.get(f"/help/{acme.slug}/search", params={"q": "archive"})).text
    return {door for door, content in seen.items() if CANARY in content.lower()}


@pytest.mark.parametrize("assignment", HIDDEN)
async def test_hidden_article_is_seen_only_by_its_audience(
    api: Api, cast: Cast, owner: Tx, assignment: str
) -> None:
    client = api(cast.acme.write_key)
    article = await secret_article(client)
    await publish(
        client, "Install", "Run the installer of the archive.", collectionId=article["collectionId"]
    )
    assert await sightings(api, cast) == VISITORS | KEYS

    if assignment == "deleted":
        ok(await client.delete(f"/v1/articles/{article['id']}"))
    else:
        await set_article(owner, article, assignment)

    assert await sightings(api, cast) == HIDDEN[assignment]

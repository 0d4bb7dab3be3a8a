"""Steps that the tests of the search share."""

from typing import Any

from tests.cast import Client, Json
from tests.web.asking import all_pages, create_article, found

SEARCH = "/v1/articles/search"


async def publish(client: Client, title: str = "Install", text: str = "Run it.", **fields: Any) -> Json:
    created = await create_article(client, title, contentMarkdown=text, **fields)
    return found(await client.post(f"/v1/articles/{created['id']}/publish"))


async def search(client: Client, q: str, **params: Any) -> list[Json]:
    return await all_pages(client, SEARCH, q=q, **params)


async def titles(client: Client, q: str, **params: Any) -> list[str]:
    return [row["title"] for row in await search(client, q, **params)]

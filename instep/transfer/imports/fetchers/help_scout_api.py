"""The Docs API of Help Scout: collections, categories, articles one by one, redirects."""

import re
from typing import Any

from instep.transfer.imports.fetchers.product_api import Api, Fetcher, Headers, basic, object_fields
from instep.transfer.imports.fetchers.saved_files import save_files
from instep.transfer.imports.products.json_files import rows
from instep.transfer.imports.tree.url_parts import split_url

HOST = "https://docsapi.helpscout.net"
DOWNLOADS = re.compile(r"/docs/assets/")


def base(url: str) -> str | None:
    host = split_url(url).hostname or ""
    return HOST if host == "docsapi.helpscout.net" or host.endswith(".helpscoutdocs.com") else None


def headers(key: str) -> Headers:
    return basic(f"{key}:X")


async def fetch(api: Api) -> None:
    sites = await save_list(api, "sites", "/v1/sites", "sites")
    collections = await save_list(api, "collections", "/v1/collections", "collections")
    articles = list[Any]()
    for collection in collections:
        path = f"/v1/collections/{collection['id']}"
        await save_list(api, f"categories-{collection['id']}", f"{path}/categories", "categories")
        for row in await save_list(api, f"articles-{collection['id']}", f"{path}/articles", "articles"):
            articles.append(await api.get(f"/v1/articles/{row['id']}"))
            api.save(f"article-{row['id']}.json", articles[-1])
            api.tell(f"{api.title}: article {len(articles)}")
    for site in sites:
        path = f"/v1/redirects/site/{site['id']}"
        if await api.find(path) is not None:
            await save_list(api, f"redirects-{site['id']}", path, "redirects")
    await save_files(api, articles, DOWNLOADS)


async def save_list(api: Api, name: str, path: str, plural: str) -> list[Any]:
    """Save a list with all of its pages, and return the rows."""

    def next_page(page: Any) -> str | None:
        envelope = object_fields(object_fields(page).get(plural))
        current, last = envelope.get("page", 1), envelope.get("pages", 1)
        if not isinstance(current, int) or not isinstance(last, int) or current >= last:
            return None
        return f"{path}?page={current + 1}"

    pages = await api.save_pages(name, path, next_page)
    return [row for page in pages for row in rows(page, plural)]


FETCHER = Fetcher("help_scout", "Help Scout", "a Docs API key from your profile", base, headers, fetch)

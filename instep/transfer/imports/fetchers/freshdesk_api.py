"""The Solutions API of Freshdesk: categories, folders in folders, articles with translations."""

import re
from typing import Any
from urllib.parse import urlsplit

from instep.transfer.imports.fetchers.product_api import Api, Fetcher, Headers, basic, object_fields
from instep.transfer.imports.fetchers.saved_files import save_files
from instep.transfer.imports.products.json_files import objects
from instep.transfer.imports.tree.url_parts import split_url

SOLUTIONS = "/api/v2/solutions"
DOWNLOADS = re.compile(r"/helpdesk/attachments/")
PAGE_ROWS = 100


def base(url: str) -> str | None:
    host = split_url(url).hostname or ""
    return f"https://{host}" if host.endswith((".freshdesk.com", ".freshservice.com")) else None


def headers(key: str) -> Headers:
    return basic(f"{key}:X")


async def fetch(api: Api) -> None:
    languages = await save_languages(api)
    articles = list[Any]()
    for category in await save_list(api, "categories", f"{SOLUTIONS}/categories"):
        folders = await save_list(
            api, f"folders-{category['id']}", f"{SOLUTIONS}/categories/{category['id']}/folders"
        )
        articles += await save_folders(api, folders)
    for row in [*articles]:
        for language in languages:
            translation = await save_translation(api, row["id"], language)
            articles += [translation] if translation is not None else []
    await save_files(api, articles, DOWNLOADS)


async def save_languages(api: Api) -> list[str]:
    """Save the portal's settings, if the key can read them; return the languages other than the first."""
    document = await api.find("/api/v2/settings/helpdesk")
    if document is None:
        return []
    settings = object_fields(document)
    api.save("helpdesk.json", {**settings, "domain": urlsplit(api.base).netloc})
    names = ("supported_languages", "portal_languages")
    codes = [code for name in names for code in settings.get(name) or () if isinstance(code, str)]
    return [code for code in dict.fromkeys(codes) if code != settings.get("primary_language")]


async def save_folders(api: Api, folders: list[Any]) -> list[Any]:
    """Save the articles of folders and their subfolders; return the articles."""
    articles = list[Any]()
    waiting, seen = [*folders], set[int]()
    while waiting:
        folder = waiting.pop(0)
        if folder["id"] in seen:
            continue
        seen.add(folder["id"])
        path = f"{SOLUTIONS}/folders/{folder['id']}"
        articles += await save_list(api, f"articles-{folder['id']}", f"{path}/articles")
        if folder.get("sub_folders_count"):
            waiting += await save_list(api, f"folders-of-{folder['id']}", f"{path}/subfolders")
    return articles


async def save_translation(api: Api, article_id: int, language: str) -> Any:
    row = await api.find(f"{SOLUTIONS}/articles/{article_id}/{language}")
    if row is not None:
        api.save(f"article-{article_id}.{language}.json", row)
    return row


async def save_list(api: Api, name: str, path: str) -> list[Any]:
    """Save all pages of a list and return the rows; a page shorter than requested is the last one."""
    number = 1

    def next_page(page: Any) -> str | None:
        nonlocal number
        number += 1
        is_full = isinstance(page, list) and len(page) >= PAGE_ROWS
        return f"{path}?per_page={PAGE_ROWS}&page={number}" if is_full else None

    pages = await api.save_pages(name, f"{path}?per_page={PAGE_ROWS}&page=1", next_page)
    return [row for page in pages for row in objects(page)]


FETCHER = Fetcher("freshdesk", "Freshdesk", "the API key from an agent's profile", base, headers, fetch)

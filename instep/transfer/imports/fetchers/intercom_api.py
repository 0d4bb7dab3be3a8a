"""The API of Intercom: articles with translations, collections, redirects."""

import re
from collections.abc import Callable
from typing import Any

from instep.transfer.imports.fetchers.product_api import Api, Fetcher, Headers, bearer, object_fields
from instep.transfer.imports.fetchers.saved_files import save_files
from instep.transfer.imports.products.json_files import rows, text
from instep.transfer.imports.tree.url_parts import split_url

VERSION = "2.14"
PAGE_ROWS = 150
HOST = "https://api.intercom.io"
REGIONS = {"api.intercom.io", "api.eu.intercom.io", "api.au.intercom.io"}
DOWNLOADS = re.compile(r"^https://(?:downloads\.intercomcdn|[\w.-]+\.intercom-attachments)")


def base(url: str) -> str | None:
    host = split_url(url).hostname or ""
    if host in REGIONS:
        return f"https://{host}"
    return HOST if host in {"intercom.help", "intercom.com", "www.intercom.com", "app.intercom.com"} else None


def headers(key: str) -> Headers:
    return {**bearer(key), "Intercom-Version": VERSION}


async def fetch(api: Api) -> None:
    pages = await save_list(api, "articles", "/articles")
    await save_files(api, pages, DOWNLOADS)
    await save_list(api, "collections", "/help_center/collections")
    centers = await save_list(api, "help_centers", "/help_center/help_centers")
    for center in (row for page in centers for row in rows(page, "data")):
        path = f"/help_center/help_centers/{center['id']}/redirects"
        if await api.find(path) is not None:
            await save_list(api, f"redirects-{center['id']}", path)


async def save_list(api: Api, name: str, path: str) -> list[Any]:
    return await api.save_pages(name, f"{path}?per_page={PAGE_ROWS}", next_page(path))


def next_page(path: str) -> Callable[[Any], str | None]:
    """The path of the next page: responses contain the number of pages or the next page's URL."""

    def read(page: Any) -> str | None:
        pages = object_fields(object_fields(page).get("pages"))
        if following := text(pages, "next"):
            return following
        current, last = pages.get("page", 1), pages.get("total_pages", 1)
        if not isinstance(current, int) or not isinstance(last, int) or current >= last:
            return None
        return f"{path}?per_page={PAGE_ROWS}&page={current + 1}"

    return read


FETCHER = Fetcher(
    "intercom",
    "Intercom",
    "an access token of an app in your workspace that can read articles",
    base,
    headers,
    fetch,
)

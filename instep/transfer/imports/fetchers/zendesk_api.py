"""The Help Center API of Zendesk: categories, sections, articles with translations, attachments."""

import re
from typing import Any

from instep.transfer.imports.fetchers.product_api import Api, Fetcher, Headers, basic, bearer, object_fields
from instep.transfer.imports.fetchers.saved_files import save_files
from instep.transfer.imports.products.json_files import rows, text
from instep.transfer.imports.tree.schemas import UnreadableSource
from instep.transfer.imports.tree.url_parts import split_url

HELP_CENTER = "/api/v2/help_center"
DOWNLOADS = re.compile(r"/article_attachments/")
# Lists that some accounts don't have or some keys can't read.
OPTIONAL = {"locales": f"{HELP_CENTER}/locales.json", "user_segments": f"{HELP_CENTER}/user_segments.json"}


def base(url: str) -> str | None:
    host = split_url(url).hostname or ""
    return f"https://{host}" if host.endswith(".zendesk.com") else None


def headers(key: str) -> Headers:
    """An API token with its email address, or an OAuth token."""
    return basic(key) if "/token:" in key else bearer(key)


async def fetch(api: Api) -> None:
    for name, path in OPTIONAL.items():
        if (document := await api.find(path)) is not None:
            api.save(f"{name}.json", document)
    await api.save_pages("categories", f"{HELP_CENTER}/categories.json?page[size]=100", next_page)
    await api.save_pages("sections", f"{HELP_CENTER}/sections.json?page[size]=100", next_page)
    pages = await api.save_pages(
        "articles", f"{HELP_CENTER}/articles.json?include=translations&page[size]=100", next_page
    )
    articles = [row for page in pages for row in rows(page, "articles")]
    if not articles:
        raise UnreadableSource("This key can't read any articles in Zendesk: check its permissions.")
    attachments = [await attachments_of(api, row["id"]) for row in articles]
    await save_files(api, [*pages, *attachments], DOWNLOADS)


async def attachments_of(api: Api, article_id: int) -> Any:
    """The attachments below an article; images in its text are found there."""
    document = await api.get(f"{HELP_CENTER}/articles/{article_id}/attachments/block.json")
    if rows(document, "article_attachments"):
        api.save(f"attachments-{article_id}.json", document)
    return document


def next_page(page: Any) -> str | None:
    """The URL of the next page: cursor paging states whether there is one, numbered paging omits it."""
    fields = object_fields(page)
    if "meta" not in fields:
        return text(fields, "next_page") or None
    has_more = object_fields(fields["meta"]).get("has_more")
    return text(object_fields(fields.get("links")), "next") or None if has_more else None


FETCHER = Fetcher(
    "zendesk",
    "Zendesk",
    "an API token of someone who manages the help center, as you@example.com/token:TOKEN",
    base,
    headers,
    fetch,
)

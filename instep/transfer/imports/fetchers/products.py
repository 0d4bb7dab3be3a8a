"""The products whose APIs can be read, and the entry point of `instep import URL`.

fetcher = find_fetcher(url, name) # None: no URL of a known product await fetch_source(client, fetcher, url,
key, folder, tell) # `folder` now contains the files for the reader named `fetcher.name`, as if saved by hand
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from instep.platform.core.outbound.client import OutboundClient
from instep.transfer.imports.fetchers.product_api import Api, Fetcher, Headers, basic, bearer, object_fields
from instep.transfer.imports.fetchers.saved_files import save_files
from instep.transfer.imports.products.json_files import Row, objects, rows, text
from instep.transfer.imports.tree.schemas import UnreadableSource
from instep.transfer.imports.tree.url_parts import site_of, split_url

HELP_CENTER = "/api/v2/help_center"
ZENDESK_DOWNLOADS = re.compile(r"/article_attachments/")
# Lists that some accounts don't have or some keys can't read.
OPTIONAL_LISTS = {
    "locales": f"{HELP_CENTER}/locales.json",
    "user_segments": f"{HELP_CENTER}/user_segments.json",
}
INTERCOM_VERSION = "2.14"
INTERCOM_PAGE_ROWS = 150
INTERCOM_HOST = "https://api.intercom.io"
INTERCOM_HOSTS = {"api.intercom.io", "api.eu.intercom.io", "api.au.intercom.io"}
INTERCOM_DOWNLOADS = re.compile(r"^https://(?:downloads\.intercomcdn|[\w.-]+\.intercom-attachments)")
HELP_SCOUT_HOST = "https://docsapi.helpscout.net"
HELP_SCOUT_DOWNLOADS = re.compile(r"/docs/assets/")
SOLUTIONS = "/api/v2/solutions"
FRESHDESK_DOWNLOADS = re.compile(r"/helpdesk/attachments/")
FRESHDESK_PAGE_ROWS = 100
CATEGORY = re.compile(r"(/c/(?:[^/]+/){0,3}\d+)/?")
DISCOURSE_DOWNLOADS = re.compile(r"/uploads/|/secure-uploads/")


def key_as_user(key: str) -> Headers:
    return basic(f"{key}:X")


def following_number(envelope: Row, last_name: str) -> int | None:
    """The number of the next page of a list; None if there is none."""
    current, last = envelope.get("page", 1), envelope.get(last_name, 1)
    return current + 1 if isinstance(current, int) and isinstance(last, int) and current < last else None


def zendesk_base(url: str) -> str | None:
    host = split_url(url).hostname or ""
    return f"https://{host}" if host.endswith(".zendesk.com") else None


def zendesk_headers(key: str) -> Headers:
    """An API token with its email address, or an OAuth token."""
    return basic(key) if "/token:" in key else bearer(key)


async def fetch_zendesk(api: Api) -> None:
    for name, path in OPTIONAL_LISTS.items():
        if (document := await api.find(path)) is not None:
            api.save(f"{name}.json", document)
    await api.save_pages("categories", f"{HELP_CENTER}/categories.json?page[size]=100", next_zendesk_page)
    await api.save_pages("sections", f"{HELP_CENTER}/sections.json?page[size]=100", next_zendesk_page)
    pages = await api.save_pages(
        "articles", f"{HELP_CENTER}/articles.json?include=translations&page[size]=100", next_zendesk_page
    )
    articles = [row for page in pages for row in rows(page, "articles")]
    if not articles:
        raise UnreadableSource("This key can't read any articles in Zendesk: check its permissions.")
    attachments = [await zendesk_attachments(api, row["id"]) for row in articles]
    await save_files(api, [*pages, *attachments], ZENDESK_DOWNLOADS)


async def zendesk_attachments(api: Api, article_id: int) -> Any:
    """The attachments below an article; images in its text are found there."""
    document = await api.get(f"{HELP_CENTER}/articles/{article_id}/attachments/block.json")
    if rows(document, "article_attachments"):
        api.save(f"attachments-{article_id}.json", document)
    return document


def next_zendesk_page(page: Any) -> str | None:
    """The URL of the next page: cursor paging states whether there is one, numbered paging omits it."""
    fields = object_fields(page)
    if "meta" not in fields:
        return text(fields, "next_page") or None
    has_more = object_fields(fields["meta"]).get("has_more")
    return text(object_fields(fields.get("links")), "next") or None if has_more else None


def intercom_base(url: str) -> str | None:
    host = split_url(url).hostname or ""
    if host in INTERCOM_HOSTS:
        return f"https://{host}"
    return (
        INTERCOM_HOST
        if host in {"intercom.help", "intercom.com", "www.intercom.com", "app.intercom.com"}
        else None
    )


def intercom_headers(key: str) -> Headers:
    return {**bearer(key), "Intercom-Version": INTERCOM_VERSION}


async def fetch_intercom(api: Api) -> None:
    pages = await save_intercom_list(api, "articles", "/articles")
    await save_files(api, pages, INTERCOM_DOWNLOADS)
    await save_intercom_list(api, "collections", "/help_center/collections")
    centers = await save_intercom_list(api, "help_centers", "/help_center/help_centers")
    for center in (row for page in centers for row in rows(page, "data")):
        path = f"/help_center/help_centers/{center['id']}/redirects"
        if await api.find(path) is not None:
            await save_intercom_list(api, f"redirects-{center['id']}", path)


async def save_intercom_list(api: Api, name: str, path: str) -> list[Any]:
    """Save all pages of a list: responses contain the number of pages or the next page's URL."""
    path = f"{path}?per_page={INTERCOM_PAGE_ROWS}"

    def next_page(page: Any) -> str | None:
        pages = object_fields(object_fields(page).get("pages"))
        number = following_number(pages, "total_pages")
        return text(pages, "next") or (f"{path}&page={number}" if number else None)

    return await api.save_pages(name, path, next_page)


def help_scout_base(url: str) -> str | None:
    host = split_url(url).hostname or ""
    return HELP_SCOUT_HOST if host == "docsapi.helpscout.net" or host.endswith(".helpscoutdocs.com") else None


async def fetch_help_scout(api: Api) -> None:
    sites = await save_help_scout_list(api, "sites", "/v1/sites", "sites")
    collections = await save_help_scout_list(api, "collections", "/v1/collections", "collections")
    articles = list[Any]()
    for collection in collections:
        path = f"/v1/collections/{collection['id']}"
        await save_help_scout_list(api, f"categories-{collection['id']}", f"{path}/categories", "categories")
        for row in await save_help_scout_list(
            api, f"articles-{collection['id']}", f"{path}/articles", "articles"
        ):
            articles.append(await api.get(f"/v1/articles/{row['id']}"))
            api.save(f"article-{row['id']}.json", articles[-1])
            api.tell(f"{api.title}: article {len(articles)}")
    for site in sites:
        path = f"/v1/redirects/site/{site['id']}"
        if await api.find(path) is not None:
            await save_help_scout_list(api, f"redirects-{site['id']}", path, "redirects")
    await save_files(api, articles, HELP_SCOUT_DOWNLOADS)


async def save_help_scout_list(api: Api, name: str, path: str, plural: str) -> list[Any]:
    """Save a list with all of its pages, and return the rows."""

    def next_page(page: Any) -> str | None:
        number = following_number(object_fields(object_fields(page).get(plural)), "pages")
        return f"{path}?page={number}" if number else None

    pages = await api.save_pages(name, path, next_page)
    return [row for page in pages for row in rows(page, plural)]


def freshdesk_base(url: str) -> str | None:
    host = split_url(url).hostname or ""
    return f"https://{host}" if host.endswith((".freshdesk.com", ".freshservice.com")) else None


async def fetch_freshdesk(api: Api) -> None:
    languages = await save_languages(api)
    articles = list[Any]()
    for category in await save_freshdesk_list(api, "categories", f"{SOLUTIONS}/categories"):
        folders = await save_freshdesk_list(
            api, f"folders-{category['id']}", f"{SOLUTIONS}/categories/{category['id']}/folders"
        )
        articles += await save_folders(api, folders)
    for row in [*articles]:
        for language in languages:
            translation = await save_translation(api, row["id"], language)
            articles += [translation] if translation is not None else []
    await save_files(api, articles, FRESHDESK_DOWNLOADS)


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
        articles += await save_freshdesk_list(api, f"articles-{folder['id']}", f"{path}/articles")
        if folder.get("sub_folders_count"):
            waiting += await save_freshdesk_list(api, f"folders-of-{folder['id']}", f"{path}/subfolders")
    return articles


async def save_translation(api: Api, article_id: int, language: str) -> Any:
    row = await api.find(f"{SOLUTIONS}/articles/{article_id}/{language}")
    if row is not None:
        api.save(f"article-{article_id}.{language}.json", row)
    return row


async def save_freshdesk_list(api: Api, name: str, path: str) -> list[Any]:
    """Save all pages of a list and return the rows; a page shorter than requested is the last one."""
    number = 1

    def next_page(page: Any) -> str | None:
        nonlocal number
        number += 1
        is_full = isinstance(page, list) and len(page) >= FRESHDESK_PAGE_ROWS
        return f"{path}?per_page={FRESHDESK_PAGE_ROWS}&page={number}" if is_full else None

    pages = await api.save_pages(name, f"{path}?per_page={FRESHDESK_PAGE_ROWS}&page=1", next_page)
    return [row for page in pages for row in objects(page)]


def category_base(url: str) -> str | None:
    """The URL of the category; None for other pages."""
    match, site = CATEGORY.fullmatch(split_url(url).path), site_of(url)
    return f"{site}{match[1]}" if match and site else None


def discourse_headers(key: str) -> Headers:
    name, _, secret = key.partition("/")
    return {"Api-Username": name, "Api-Key": secret}


async def fetch_discourse(api: Api) -> None:
    site = site_of(api.base)
    if category_base(api.base) is None:
        raise UnreadableSource("Enter the URL of a category, such as https://forum.example.com/c/docs/12.")
    categories = object_fields(await api.find(f"{site}/site.json")).get("categories")
    api.save("site.json", {"url": site, "categories": objects(categories)})
    pages = await api.save_pages("topics", f"{api.base}.json", lambda page: next_topics(site, page))
    topics = list[Any]()
    for row in (row for page in pages for row in topics_of(page)):
        # A topic with many posts begins with the first one, which is the article.
        topics.append(await api.get(f"{site}/t/{row['id']}.json"))
        api.save(f"topic-{row['id']}.json", topics[-1])
        api.tell(f"{api.title}: topic {len(topics)}")
    await save_files(api, topics, DISCOURSE_DOWNLOADS)


def topics_of(page: Any) -> list[dict[str, Any]]:
    return objects(object_fields(object_fields(page).get("topic_list")).get("topics"))


def next_topics(site: str | None, page: Any) -> str | None:
    """The URL of the next page of a list, which the product returns without the format."""
    path, mark, query = text(
        object_fields(object_fields(page).get("topic_list")), "more_topics_url"
    ).partition("?")
    return f"{site}{path}.json{mark}{query}" if path.startswith("/") else None


FETCHERS = (
    Fetcher(
        "zendesk",
        "Zendesk",
        "an API token of someone who manages the help center, as you@example.com/token:TOKEN",
        zendesk_base,
        zendesk_headers,
        fetch_zendesk,
    ),
    Fetcher(
        "intercom",
        "Intercom",
        "an access token of an app in your workspace that can read articles",
        intercom_base,
        intercom_headers,
        fetch_intercom,
    ),
    Fetcher(
        "help_scout",
        "Help Scout",
        "a Docs API key from your profile",
        help_scout_base,
        key_as_user,
        fetch_help_scout,
    ),
    Fetcher(
        "freshdesk",
        "Freshdesk",
        "the API key from an agent's profile",
        freshdesk_base,
        key_as_user,
        fetch_freshdesk,
    ),
    Fetcher(
        "discourse",
        "Discourse",
        "the name of a user and an API key, as NAME/KEY",
        category_base,
        discourse_headers,
        fetch_discourse,
        needs_key=False,
    ),
)


def find_fetcher(url: str, name: str | None = None) -> Fetcher | None:
    """The fetcher of this name, or the one whose product the URL belongs to."""
    if name is not None:
        return next((fetcher for fetcher in FETCHERS if fetcher.name == name), None)
    return next((fetcher for fetcher in FETCHERS if fetcher.base(url) is not None), None)


async def fetch_source(
    client: OutboundClient,
    fetcher: Fetcher,
    url: str,
    key: str | None,
    folder: Path,
    tell: Callable[[str], None],
) -> None:
    """Save everything of a help center below an empty folder; raises `UnreadableSource`.

    `key` is the value of INSTEP_IMPORT_KEY and never stored. A URL with an unknown host is treated as the URL
    of the API. `tell` receives a sentence about each step.
    """
    if (not key and fetcher.needs_key) or (key and not (key.isascii() and key.isprintable())):
        raise UnreadableSource(
            f"{fetcher.title} requires a key: set INSTEP_IMPORT_KEY to {fetcher.key_hint}."
        )
    base = fetcher.base(url) or site_of(url)
    if base is None:
        raise UnreadableSource(f"{url} is not a URL of {fetcher.title}: enter it with https://.")
    api = Api(
        client, fetcher.title, fetcher.key_hint, base, fetcher.headers(key) if key else {}, folder, tell
    )
    await fetcher.fetch(api)

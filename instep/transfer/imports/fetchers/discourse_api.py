"""The API of Discourse: the topics of one category, which most forums show to everyone."""

import re
from typing import Any

from instep.transfer.imports.fetchers.product_api import Api, Fetcher, Headers, object_fields
from instep.transfer.imports.fetchers.saved_files import save_files
from instep.transfer.imports.products.id_addresses import site_of
from instep.transfer.imports.products.json_files import objects, text
from instep.transfer.imports.tree.schemas import UnreadableSource
from instep.transfer.imports.tree.url_parts import split_url

CATEGORY = re.compile(r"(/c/(?:[^/]+/){0,3}\d+)/?")
DOWNLOADS = re.compile(r"/uploads/|/secure-uploads/")


def base(url: str) -> str | None:
    """The URL of the category; None for other pages."""
    match, site = CATEGORY.fullmatch(split_url(url).path), site_of(url)
    return f"{site}{match[1]}" if match and site else None


def headers(key: str) -> Headers:
    name, _, secret = key.partition("/")
    return {"Api-Username": name, "Api-Key": secret}


async def fetch(api: Api) -> None:
    site = site_of(api.base)
    if base(api.base) is None:
        raise UnreadableSource("Enter the URL of a category, such as https://forum.example.com/c/docs/12.")
    categories = object_fields(await api.find(f"{site}/site.json")).get("categories")
    api.save("site.json", {"url": site, "categories": objects(categories)})
    pages = await api.save_pages("topics", f"{api.base}.json", lambda page: next_page(site, page))
    topics = list[Any]()
    for row in (row for page in pages for row in topics_of(page)):
        # A topic with many posts begins with the first one, which is the article.
        topics.append(await api.get(f"{site}/t/{row['id']}.json"))
        api.save(f"topic-{row['id']}.json", topics[-1])
        api.tell(f"{api.title}: topic {len(topics)}")
    await save_files(api, topics, DOWNLOADS)


def topics_of(page: Any) -> list[dict[str, Any]]:
    return objects(object_fields(object_fields(page).get("topic_list")).get("topics"))


def next_page(site: str | None, page: Any) -> str | None:
    """The URL of the next page of a list, which the product returns without the format."""
    path, mark, query = text(
        object_fields(object_fields(page).get("topic_list")), "more_topics_url"
    ).partition("?")
    return f"{site}{path}.json{mark}{query}" if path.startswith("/") else None


FETCHER = Fetcher(
    "discourse",
    "Discourse",
    "the name of a user and an API key, as NAME/KEY",
    base,
    headers,
    fetch,
    needs_key=False,
)

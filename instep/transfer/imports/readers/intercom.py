"""Reads Intercom Articles: saved responses of its API, also those saved by the fetcher."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from instep.transfer.imports.html.html_document import HtmlDocument, Node
from instep.transfer.imports.products.html_texts import HtmlTexts, most_common_locale, read_saved_files
from instep.transfer.imports.products.json_files import (
    Ordered,
    Row,
    documents,
    in_reading_order,
    key,
    keys,
    known_place,
    number,
    objects,
    order_of,
    sample,
    text,
)
from instep.transfer.imports.tree.schemas import (
    ImportedCollection,
    ImportedPage,
    ImportedRedirect,
    Losses,
    Reader,
    SourceFiles,
    Tree,
    UnreadableSource,
)
from instep.transfer.imports.tree.url_parts import id_patterns, path_of, sites_of

CALLOUTS = "div.intercom-interblocks-callout"
# The kinds of callouts in Intercom's editor, by the beginning of `background-color`.
COLOURS = {"#d7efdc": "tip", "#feedaf": "warning", "#fed9db": "danger", "#e3e7fa": "info"}
NOT_LOCALES = {"type"}


@dataclass(slots=True)
class IntercomCenter:
    articles: dict[str, Row] = field(default_factory=dict)
    collections: dict[str, Row] = field(default_factory=dict)
    redirects: list[Row] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)
    urls: list[str] = field(default_factory=list)


def recognises(files: SourceFiles) -> bool:
    """True if a file contains objects of type `article` in a workspace, or collections with a help center."""
    return any(
        (row.get("type") == "article" and "workspace_id" in row) or "help_center_id" in row
        for document in sample(files)
        for row in rows_of(document)
    )


def rows_of(document: Any) -> list[Row]:
    """The objects of a list, or a single object."""
    if not isinstance(document, dict):
        return objects(document)
    data = document.get("data")
    if isinstance(data, dict):
        data = data.get("articles")
    return objects(data) if "data" in document else objects([document])


def read(files: SourceFiles, losses: Losses) -> Tree:
    center = read_center(files)
    if not center.articles:
        raise UnreadableSource("No file contains articles: save the pages of the API's list of articles too.")
    texts = HtmlTexts(losses, read_saved_files(files), prepare)
    collections = collections_of(center)
    order = order_of(collections)

    def place(row: Row) -> float:
        return order.get(parent_of(center, row, losses), len(order))

    articles = sorted(center.articles.values(), key=place)
    pages = [page for row in articles for page in pages_of(center, row, texts)]
    originals = [page.locale for page in pages if page.translation_of is None]
    return Tree(
        "intercom",
        most_common_locale(originals),
        tuple(pages),
        tuple(collections),
        redirects=tuple(redirects_of(center, pages)),
        sites=sites_of([text(row, "url") for row in center.articles.values()] + center.urls),
    )


def read_center(files: SourceFiles) -> IntercomCenter:
    center = IntercomCenter()
    for path, document in documents(files):
        for row in rows_of(document):
            row_id = str(row["id"])
            if row.get("type") == "article":
                center.articles[row_id] = row
                center.paths[row_id] = f"{path}#{row_id}"
            elif row.get("type") == "help_center_redirect":
                center.redirects.append(row)
            elif "help_center_id" in row or "parent_id" in row:
                center.collections[row_id] = row
            elif "website_turned_on" in row:
                center.urls.append(text(row, "url"))
    return center


def prepare(document: HtmlDocument) -> None:
    """Convert callouts, whose kind is known only from their color."""
    for callout in document.css(CALLOUTS):
        callout.attrs["class"] = f"callout {kind_of(callout)}"


def kind_of(callout: Node) -> str:
    style = (callout.attributes.get("style") or "").replace(" ", "").lower()
    return next((kind for colour, kind in COLOURS.items() if f"background-color:{colour}" in style), "note")


def collections_of(center: IntercomCenter) -> list[ImportedCollection]:
    ordered = list[Ordered]()
    for row_id, row in center.collections.items():
        name, description = text(row, "name") or f"Collection {row_id}", text(row, "description") or None
        addresses = tuple(
            pattern for start in ("/*", "/*/*") for pattern in id_patterns(f"{start}/collections/", row_id)
        )
        collection = ImportedCollection(row_id, name, key(row, "parent_id"), description, addresses=addresses)
        ordered.append(((number(row, "order"), name), collection))
    return in_reading_order(ordered)


def parent_of(center: IntercomCenter, row: Row, losses: Losses) -> str | None:
    """The collection of an article; the first one if there are several."""
    path = center.paths[str(row["id"])]
    return known_place(keys(row, "parent_id", "parent_ids"), center.collections, path, losses)


def pages_of(center: IntercomCenter, row: Row, texts: HtmlTexts) -> list[ImportedPage]:
    """The article in its default locale, followed by its translations."""
    translated = row.get("translated_content")
    contents = translated.items() if isinstance(translated, dict) else ()
    others = {
        name: content for name, content in contents if isinstance(content, dict) and name not in NOT_LOCALES
    }
    code = text(row, "default_locale") or locale_in(text(row, "url")) or code_of_same(row, others)
    original = {**others.pop(code, {}), **{name: value for name, value in row.items() if value is not None}}
    return [
        page_of(center, row, code, original, texts, is_original=True),
        *(
            page_of(center, row, name, content, texts, is_original=False)
            for name, content in others.items()
            if text(content, "title")
        ),
    ]


def code_of_same(row: Row, contents: Mapping[str, Row]) -> str:
    """The code of the translation with the article's own content, if the article doesn't state its locale."""
    parts = [name for name in ("title", "body") if row.get(name) is not None]
    same = (
        code for code, content in contents.items() if all(content.get(name) == row[name] for name in parts)
    )
    return next(same, "")


def locale_in(url: str) -> str:
    """The language code before `/articles/` in an address."""
    before, separator, _ = url.partition("/articles/")
    return before.rpartition("/")[2] if separator else ""


def page_of(
    center: IntercomCenter, row: Row, code: str, content: Row, texts: HtmlTexts, *, is_original: bool
) -> ImportedPage:
    article_id = str(row["id"])
    path, title, html = center.paths[article_id], text(content, "title"), text(content, "body")
    page = texts.article(article_id, path, title, html, code, is_translation=not is_original)
    address = path_of(text(content, "url"))
    prefix = (address or "").partition("/articles/")[0] if address else f"/{code}"
    # Addresses contain the workspace before the locale, except on custom domains.
    any_locale = f"{prefix.rpartition('/')[0]}/*" if is_original else prefix
    return replace(
        page,
        address=address or (f"/{code}/articles/{article_id}" if code else None),
        former_addresses=tuple(
            dict.fromkeys(
                pattern
                for start in (any_locale, "/*" if is_original else f"/{code}")
                for pattern in id_patterns(f"{start}/articles/", article_id)
            )
        ),
        collection=parent_of(center, row, Losses()),
        description=text(content, "description") or None,
        status="published" if text(content, "state") == "published" else "draft",
    )


def redirects_of(center: IntercomCenter, pages: list[ImportedPage]) -> list[ImportedRedirect]:
    """The help center's redirects to articles."""
    addresses = {page.key: page.address for page in pages if page.address}
    return [
        ImportedRedirect(source, address)
        for row in center.redirects
        if row.get("target_type") == "article"
        and (address := addresses.get(key(row, "target_id") or ""))
        and (source := path_of(text(row, "from_url")))
    ]


READER = Reader("intercom", "Intercom Articles", recognises, read)

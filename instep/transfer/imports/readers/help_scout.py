"""Reads Help Scout Docs: saved responses of its Docs API, also those saved by the fetcher."""

from dataclasses import dataclass, field, replace

from instep.platform.web.shapes import Visibility
from instep.transfer.imports.html.html_document import HtmlDocument, discard, text_of
from instep.transfer.imports.products.html_texts import HtmlTexts, SavedFiles, read_saved_files
from instep.transfer.imports.products.json_files import (
    Ordered,
    Row,
    documents,
    in_reading_order,
    key,
    keys,
    known_place,
    number,
    order_of,
    rows,
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
from instep.transfer.imports.tree.url_parts import path_of, sites_of

PRIVATE_NOTES = ".private-note"


@dataclass(slots=True)
class Docs:
    collections: dict[str, Row] = field(default_factory=dict)
    categories: dict[str, Row] = field(default_factory=dict)
    articles: dict[str, Row] = field(default_factory=dict)
    redirects: list[Row] = field(default_factory=list)
    paths: dict[str, str] = field(default_factory=dict)


def recognises(files: SourceFiles) -> bool:
    """True if a file contains articles with a collection and a number, or collections with a site."""
    return any(
        ("collectionId" in row and "number" in row) or "siteId" in row
        for document in sample(files)
        for row in (*rows(document, "articles", "article"), *rows(document, "collections", "collection"))
    )


def read(files: SourceFiles, losses: Losses) -> Tree:
    docs, listed_ids = Docs(), set[str]()
    for path, document in documents(files):
        docs.collections |= {str(row["id"]): row for row in rows(document, "collections", "collection")}
        docs.categories |= {str(row["id"]): row for row in rows(document, "categories", "category")}
        docs.redirects += rows(document, "redirects", "redirect")
        for row in rows(document, "articles", "article"):
            listed_ids.add(str(row["id"]))
            if isinstance(row.get("text"), str):
                docs.articles[str(row["id"])] = row
                docs.paths[str(row["id"])] = f"{path}#{row['id']}"
    if not docs.articles:
        raise UnreadableSource(
            "No file contains the text of an article. Lists of Help Scout don't include it: save each "
            "article too."
        )
    for article_id in sorted(listed_ids - set(docs.articles)):
        losses.add(f"article {article_id}", "article that is listed, but whose text isn't in any file")
    collections = collections_of(docs)
    order = order_of(collections)

    def place(row: Row) -> tuple[float, float, str]:
        return order.get(place_of(docs, row, losses), len(order)), number(row, "order"), text(row, "name")

    articles, saved_files = sorted(docs.articles.values(), key=place), read_saved_files(files)
    pages = [page_of(docs, row, saved_files, losses) for row in articles]
    return Tree(
        "help_scout",
        None,
        tuple(pages),
        tuple(collections),
        redirects=tuple(redirects_of(docs)),
        sites=sites_of([text(row, "publicUrl") for row in docs.articles.values()]),
    )


def collections_of(docs: Docs) -> list[ImportedCollection]:
    """The collections with their categories, in order."""
    ordered = list[Ordered]()
    for row in (*docs.collections.values(), *docs.categories.values()):
        name, description = text(row, "name") or str(row["id"]), text(row, "description") or None
        visibility: Visibility = "authenticated" if row.get("visibility") == "private" else "public"
        parent = key(row, "collectionId")
        collection = ImportedCollection(str(row["id"]), name, parent, description, visibility=visibility)
        ordered.append(((number(row, "order"), name), collection))
    return in_reading_order(ordered)


def place_of(docs: Docs, row: Row, losses: Losses) -> str | None:
    """The first existing category of the article, or its collection."""
    places = {**docs.collections, **docs.categories}
    return known_place(keys(row, "categories", "collectionId"), places, docs.paths[str(row["id"])], losses)


def page_of(docs: Docs, row: Row, saved_files: SavedFiles, losses: Losses) -> ImportedPage:
    article_id, path = str(row["id"]), docs.paths[str(row["id"])]

    def drop_private_notes(document: HtmlDocument) -> None:
        """Remove notes for the team, which don't belong on a page for customers."""
        for note in document.css(PRIVATE_NOTES):
            losses.add(path, f"private note, left out: “{text_of(note)[:80]}”")
            discard(note)

    texts = HtmlTexts(losses, saved_files, drop_private_notes)
    page = texts.article(article_id, path, text(row, "name"), text(row, "text"))
    if row.get("hasDraft"):
        losses.add(path, "unpublished changes: the published text is imported")
    by_number = f"/article/{number}" if (number := key(row, "number")) else ""
    slug = text(row, "slug")
    return replace(
        page,
        address=path_of(text(row, "publicUrl")) or (f"{by_number}-{slug}" if by_number else None),
        former_addresses=(by_number, f"{by_number}-*") if by_number else (),
        slug=slug or None,
        collection=place_of(docs, row, Losses()),
        status="published" if text(row, "status") == "published" else "draft",
    )


def redirects_of(docs: Docs) -> list[ImportedRedirect]:
    """The redirects of the site; `urlMapping` is the former address."""
    return [
        ImportedRedirect(source if source.startswith("/") else f"/{source}", target)
        for row in docs.redirects
        if (source := text(row, "urlMapping")) and (target := text(row, "redirect"))
    ]


READER = Reader("help_scout", "Help Scout Docs", recognises, read)

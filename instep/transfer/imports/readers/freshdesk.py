"""Reads Freshdesk Solutions: saved responses of its API, also those saved by the fetcher."""

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from instep.platform.web.shapes import Visibility
from instep.transfer.imports.products.html_texts import (
    HtmlTexts,
    list_attachments,
    locale_of,
    read_saved_files,
)
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
    Losses,
    PageStatus,
    Reader,
    SourceFiles,
    Tree,
    UnreadableSource,
)
from instep.transfer.imports.tree.url_parts import id_patterns

PUBLISHED = 2
# The audiences of folders: everyone, signed-in people, agents, some companies, bots.
EVERYBODY, AGENTS = 1, 3


@dataclass(slots=True)
class Solutions:
    """The objects of a portal; `translations` are by article id and language code."""

    categories: dict[str, Row] = field(default_factory=dict)
    folders: dict[str, Row] = field(default_factory=dict)
    articles: dict[str, Row] = field(default_factory=dict)
    translations: defaultdict[str, dict[str, Row]] = field(default_factory=lambda: defaultdict(dict))
    paths: dict[str, str] = field(default_factory=dict)
    locale: str = ""
    domain: str = ""


def recognises(files: SourceFiles) -> bool:
    """True if a file contains articles in folders, with plain text next to the HTML."""
    return any(
        "description_text" in row and "folder_id" in row for each in sample(files) for row in rows_of(each)
    )


def rows_of(document: Any) -> list[Row]:
    """The objects of a list, which the API returns without a name."""
    if isinstance(document, list):
        return objects(document)
    return objects([document]) if isinstance(document, dict) else []


def read(files: SourceFiles, losses: Losses) -> Tree:
    solutions = read_solutions(files)
    if not solutions.articles:
        raise UnreadableSource("No file contains articles: save the articles of each folder too.")
    texts = HtmlTexts(losses, read_saved_files(files))
    collections = collections_of(solutions)
    order = order_of(collections)

    def place(row: Row) -> tuple[float, float, str]:
        home = order.get(f"folder-{key(row, 'folder_id')}", len(order))
        return home, number(row, "position"), text(row, "title")

    articles = sorted(solutions.articles.values(), key=place)
    pages = [page for row in articles for page in pages_of(solutions, row, texts)]
    locale = locale_of(solutions.locale)
    sites = (f"https://{solutions.domain}",) if solutions.domain else ()
    return Tree("freshdesk", locale, tuple(pages), tuple(collections), sites=sites)


def read_solutions(files: SourceFiles) -> Solutions:
    solutions = Solutions()
    for path, document in documents(files):
        if isinstance(document, dict) and "primary_language" in document:
            solutions.locale = text(document, "primary_language")
            solutions.domain = text(document, "domain")
        for row in rows_of(document):
            add_row(solutions, row, path)
    return solutions


def add_row(solutions: Solutions, row: Row, path: str) -> None:
    """Add a row by its fields; files of translations are named with the language: article-7.fr.json."""
    row_id = str(row["id"])
    if "description_text" in row or "folder_id" in row:
        language = path.removesuffix(".json").rpartition(".")[2] if path.count(".") > 1 else ""
        if language:
            solutions.translations[row_id][language] = row
        else:
            solutions.articles[row_id] = row
            solutions.paths[row_id] = f"{path}#{row_id}"
    elif "visibility" in row:
        solutions.folders[row_id] = row
    else:
        solutions.categories[row_id] = row


def collections_of(solutions: Solutions) -> list[ImportedCollection]:
    """The categories with their folders and subfolders, in order."""
    ordered = [ordered_collection(row, "category", None) for row in solutions.categories.values()]
    for row in solutions.folders.values():
        folder = parent_folder(row)
        parent = f"folder-{folder}" if folder in solutions.folders else f"category-{key(row, 'category_id')}"
        ordered.append(ordered_collection(row, "folder", parent))
    return in_reading_order(ordered)


def ordered_collection(row: Row, kind: str, parent: str | None) -> Ordered:
    title = text(row, "name") or f"{kind.capitalize()} {row['id']}"
    collection = ImportedCollection(
        f"{kind}-{row['id']}",
        title,
        parent,
        text(row, "description") or None,
        visibility=visibility_of(row),
    )
    return (number(row, "position"), ""), collection


def parent_folder(row: Row) -> str | None:
    """The parent of a folder, from its hierarchy."""
    hierarchy = row.get("hierarchy")
    places = [each for each in hierarchy if isinstance(each, dict)] if isinstance(hierarchy, list) else []
    folders = [each.get("data") for each in places if each.get("type") == "folder"]
    ids = [str(data["id"]) for data in objects(folders) if str(data["id"]) != str(row["id"])]
    return ids[-1] if ids else key(row, "parent_folder_id")


def visibility_of(folder: Row) -> Visibility:
    return "public" if folder.get("visibility", EVERYBODY) == EVERYBODY else "authenticated"


def pages_of(solutions: Solutions, row: Row, texts: HtmlTexts) -> list[ImportedPage]:
    """The article, followed by its translations."""
    translations = solutions.translations[str(row["id"])].items()
    return [
        page_of(solutions, row, row, "", texts),
        *(page_of(solutions, row, each, language, texts) for language, each in translations),
    ]


def page_of(solutions: Solutions, original: Row, row: Row, language: str, texts: HtmlTexts) -> ImportedPage:
    article_id = str(original["id"])
    html = text(row, "description") + list_attachments(row.get("attachments") or (), "attachment_url", "name")
    path, code = solutions.paths[article_id], language or solutions.locale
    page = texts.article(article_id, path, text(row, "title"), html, code, is_translation=language != "")
    seo = row.get("seo_data")
    folder = known_place(keys(original, "folder_id"), solutions.folders, page.path, texts.losses)
    prefixes = (f"/{language}/support",) if language else ("/support", "/*/support")
    patterns = [
        pattern for prefix in prefixes for pattern in id_patterns(f"{prefix}/solutions/articles/", article_id)
    ]
    return replace(
        page,
        address=f"{prefixes[0]}/solutions/articles/{article_id}",
        former_addresses=tuple(patterns),
        collection=f"folder-{folder}" if folder else None,
        description=(text(seo, "meta_description") if isinstance(seo, dict) else "") or None,
        status=status_of(solutions, original, row, texts.losses, page.path),
    )


def status_of(solutions: Solutions, original: Row, row: Row, losses: Losses, path: str) -> PageStatus:
    """The status of an article; one that only agents can read becomes a draft."""
    folder = solutions.folders.get(key(original, "folder_id") or "", {})
    visibility = folder.get("visibility", EVERYBODY)
    if visibility == AGENTS:
        losses.add(
            path, "article for agents only, imported as a draft so that signed-in visitors can't read it"
        )
        return "draft"
    if isinstance(visibility, int) and visibility > AGENTS:
        losses.add(path, "restriction to some companies: all signed-in visitors can read the article now")
    return "published" if row.get("status") == PUBLISHED else "draft"


READER = Reader("freshdesk", "Freshdesk Solutions", recognises, read)

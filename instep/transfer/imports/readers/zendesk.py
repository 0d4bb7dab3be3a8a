"""Reads Zendesk Guide: saved responses of its Help Center API, also those saved by the fetcher."""

from collections import defaultdict
from dataclasses import dataclass, field, replace
from typing import Any

from instep.platform.web.shapes import Visibility
from instep.transfer.imports.products.html_texts import (
    HtmlTexts,
    list_attachments,
    locale_of,
    most_common_locale,
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
    order_of,
    rows,
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
from instep.transfer.imports.tree.url_parts import id_patterns, path_of, sites_of


@dataclass(slots=True)
class Guide:
    """The objects of a help center; an article has a version for each Zendesk locale code."""

    categories: dict[str, Row] = field(default_factory=dict)
    sections: dict[str, Row] = field(default_factory=dict)
    articles: defaultdict[str, dict[str, Row]] = field(default_factory=lambda: defaultdict(dict))
    paths: dict[str, str] = field(default_factory=dict)
    attachments: defaultdict[str, list[Row]] = field(default_factory=lambda: defaultdict(list))
    staff_segments: set[str] = field(default_factory=set)
    default_locale: str = ""


def recognises(files: SourceFiles) -> bool:
    """True if a file contains articles in sections, or sections in categories, with URLs of the API."""
    return any(
        "section_id" in row or "category_id" in row
        for document in sample(files)
        for row in (*rows(document, "articles", "article"), *rows(document, "sections", "section"))
        if "help_center" in text(row, "url") or "/hc/" in text(row, "html_url")
    )


def read(files: SourceFiles, losses: Losses) -> Tree:
    guide = read_guide(files)
    if not guide.articles:
        raise UnreadableSource("No file contains articles: save the pages of the API's list of articles too.")
    texts = HtmlTexts(losses, read_saved_files(files))
    collections = collections_of(guide)
    pages = [
        page for article_id in in_order(guide, collections) for page in pages_of(guide, article_id, texts)
    ]
    everything = [row for versions in guide.articles.values() for row in versions.values()]
    return Tree(
        "zendesk",
        locale_of(guide.default_locale) or most_common_locale(page.locale for page in pages),
        tuple(pages),
        tuple(collections),
        sites=sites_of([text(row, "html_url") for row in everything]),
    )


def read_guide(files: SourceFiles) -> Guide:
    guide = Guide()
    for path, document in documents(files):
        for row in rows(document, "categories", "category"):
            keep_original(guide.categories, row)
        for row in rows(document, "sections", "section"):
            keep_original(guide.sections, row)
        for row in rows(document, "articles", "article"):
            add_article(guide, row, path)
        add_further(guide, document)
    return guide


def add_further(guide: Guide, document: Any) -> None:
    """Add data other than articles: translations, attachments, audiences and languages."""
    for row in rows(document, "translations", "translation"):
        if text(row, "source_type") in {"", "Article"} and (article_id := key(row, "source_id")):
            add_translation(guide, article_id, row)
    for row in rows(document, "article_attachments"):
        guide.attachments[key(row, "article_id") or ""].append(row)
    for row in rows(document, "user_segments", "user_segment"):
        if text(row, "user_type") == "staff":
            guide.staff_segments.add(str(row["id"]))
    if isinstance(document, dict) and "locales" in document:
        guide.default_locale = text(document, "default_locale") or guide.default_locale


def keep_original(originals: dict[str, Row], row: Row) -> None:
    """Keep the version of a category or section that is in its source locale."""
    if str(row["id"]) not in originals or row.get("locale") == row.get("source_locale"):
        originals[str(row["id"])] = row


def add_article(guide: Guide, row: Row, path: str) -> None:
    article_id = str(row["id"])
    guide.paths.setdefault(article_id, f"{path}#{article_id}")
    guide.articles[article_id][text(row, "locale", "source_locale")] = row
    translations = row.get("translations")
    for translation in translations if isinstance(translations, list) else ():
        if isinstance(translation, dict):
            add_translation(guide, article_id, translation)


def add_translation(guide: Guide, article_id: str, row: Row) -> None:
    """Add a translation, which has the position and audience of its article."""
    guide.articles[article_id].setdefault(text(row, "locale"), row)


def in_order(guide: Guide, collections: list[ImportedCollection]) -> list[str]:
    """The articles by category, section and position, as shown to readers."""
    order = order_of(collections)

    def place(article_id: str) -> tuple[float, float, str]:
        row = original_of(guide.articles[article_id])
        section = order.get(f"section-{key(row, 'section_id')}", len(order))
        return section, number(row, "position"), text(row, "title", "name")

    return sorted(guide.articles, key=place)


def original_of(versions: dict[str, Row]) -> Row:
    complete = [row for row in versions.values() if "section_id" in row] or list(versions.values())
    return next((row for row in complete if row.get("locale") == row.get("source_locale")), complete[0])


def collections_of(guide: Guide) -> list[ImportedCollection]:
    """The categories with their sections and nested sections, in order."""
    ordered = [ordered_collection(row, "category", None) for row in guide.categories.values()]
    for row in guide.sections.values():
        section, category = key(row, "parent_section_id"), key(row, "category_id")
        parent = f"section-{section}" if section in guide.sections else f"category-{category}"
        ordered.append(ordered_collection(row, "section", parent))
    return in_reading_order(ordered)


def ordered_collection(row: Row, kind: str, parent: str | None) -> Ordered:
    title = text(row, "name") or f"{kind.capitalize()} {row['id']}"
    row_id, folder = str(row["id"]), {"category": "categories", "section": "sections"}[kind]
    collection = ImportedCollection(
        f"{kind}-{row_id}",
        title,
        parent,
        text(row, "description") or None,
        addresses=id_patterns(f"/hc/*/{folder}/", row_id),
    )
    return (number(row, "position"), title), collection


def pages_of(guide: Guide, article_id: str, texts: HtmlTexts) -> list[ImportedPage]:
    """The article, followed by its translations."""
    versions = guide.articles[article_id]
    original = original_of(versions)
    others = [row for row in versions.values() if row is not original]
    return [page_of(guide, article_id, original, row, texts) for row in (original, *others)]


def page_of(guide: Guide, article_id: str, original: Row, row: Row, texts: HtmlTexts) -> ImportedPage:
    is_original = row is original
    code = text(row, "locale") or guide.default_locale
    html = text(row, "body") + list_attachments(guide.attachments[article_id], "content_url", "file_name")
    path, title = guide.paths.get(article_id, article_id), text(row, "title", "name")
    page = texts.article(article_id, path, title, html, code, is_translation=not is_original)
    section = known_place(keys(original, "section_id"), guide.sections, page.path, texts.losses)
    patterns = id_patterns(f"/hc/{'*' if is_original else code}/articles/", article_id)
    return replace(
        page,
        address=path_of(text(row, "html_url")) or f"/hc/{code}/articles/{article_id}",
        former_addresses=patterns,
        collection=f"section-{section}" if section else None,
        status=status_of(guide, original, row, texts.losses, page.path),
        visibility=visibility_of(original),
    )


def segments_of(row: Row) -> set[str]:
    """The user segments that can read an article; empty for everyone."""
    ids = row.get("user_segment_ids")
    several = [str(each) for each in ids] if isinstance(ids, list) else []
    return {*several, key(row, "user_segment_id") or ""} - {""}


def visibility_of(row: Row) -> Visibility:
    return "authenticated" if segments_of(row) else "public"


def status_of(guide: Guide, original: Row, row: Row, losses: Losses, path: str) -> PageStatus:
    """The status of an article: drafts, hidden translations and articles for staff are drafts."""
    segments = segments_of(original)
    if segments and segments <= guide.staff_segments:
        losses.add(
            path, "article for agents only, imported as a draft so that signed-in visitors can't read it"
        )
        return "draft"
    if segments:
        losses.add(path, "restriction to a user segment: all signed-in visitors can read the article now")
    return "draft" if row.get("draft") or row.get("hidden") or original.get("draft") else "published"


READER = Reader("zendesk", "Zendesk Guide", recognises, read)

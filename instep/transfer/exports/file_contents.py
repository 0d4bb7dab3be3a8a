"""The content of each file in an export.

Values equal to the default are left out: published, public, in the folder's collection, with the slug of the
file's name. No file contains the help center's name, an id or the time of the export.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any

from instep.content.redirects.path_patterns import WRITTEN_REST, page_path, written_path
from instep.content.redirects.schemas import whole_url
from instep.platform.core.clock import isoformat
from instep.platform.core.page_names import page_stem
from instep.platform.identity.schemas import Bot
from instep.transfer.exports.layout import AT_TOP, COLLECTION_FILE, Layout
from instep.transfer.exports.page_file import PageFile, new_page
from instep.transfer.exports.relative_links import article_address, to_paths
from instep.transfer.exports.schemas import (
    ArticleRow,
    CollectionRow,
    EntryRow,
    PartRow,
    QuestionRow,
    RedirectRow,
    VersionRow,
)

MANIFEST_FILE = "instep.json"
REDIRECTS_FILE = "redirects.json"
QUESTIONS_FILE = "golden-questions.json"
# Parts and variables in all languages; written only if there are any.
PARTS_FILE = "parts.json"
# The versions of the product, the oldest first; written only if there are any.
VERSIONS_FILE = "versions.json"
# Lists the missing files, one per line; written only if there are any.
MISSING_FILE = "missing-files.txt"
# The value `collection` of an article in a collection's folder that belongs to no collection.
NO_COLLECTION = "/"
# The value `translation` of one whose original has changed since.
OUTDATED = "outdated"
# It is incremented when a reader of the previous version would misread an export.
FORMAT_VERSION = 1
# Front matter fields for the position of a page, for Instep and for well-known static site generators.
ORDER_KEYS = ("order", "position", "sidebar_position", "nav_order", "weight")
ORDER_PREFIX = re.compile(r"^\d+-")
# A name whose only dot is its first character is a hidden folder.
LOCALE_SUFFIX = re.compile(r"(?<=.)\.([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3})$")


def slug_of_name(name: str) -> str:
    """The slug in the name of a file or folder: without number, language and extension."""
    stem = LOCALE_SUFFIX.sub("", page_stem(name))
    return ORDER_PREFIX.sub("", stem, count=1)


def locale_of_name(name: str) -> str | None:
    """The language in the name of a file; None for the help center's own."""
    match = LOCALE_SUFFIX.search(page_stem(name))
    return match[1] if match else None


@dataclass(frozen=True, slots=True)
class PagePath:
    """The path of a page in an export or a synced folder, and the values in it."""

    path: str

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def folder(self) -> str:
        """The folder with a slash at its end; empty at the top."""
        return self.path[: len(self.path) - len(self.name)]

    @property
    def is_collection(self) -> bool:
        return self.name == COLLECTION_FILE

    @property
    def locale(self) -> str | None:
        return locale_of_name(self.name)

    @property
    def group(self) -> str:
        """The part that a page and its translations have in common."""
        return page_stem(self.path).removesuffix(f".{self.locale}")

    @property
    def extension(self) -> str:
        return self.path.removeprefix(page_stem(self.path))


def manifest(bot: Bot) -> bytes:
    return json_bytes({"format": "instep-export", "version": FORMAT_VERSION, "locale": bot.locale})


def collection_page(row: CollectionRow, folder: str) -> PageFile:
    values = {
        "title": row.title,
        "description": row.description,
        "icon": row.icon,
        "slug": unless_named(row.slug, PurePosixPath(folder).name),
        "visibility": unless(row.visibility, "public"),
    }
    return new_page(values, "")


def article_values(
    bot: Bot,
    row: ArticleRow,
    layout: Layout,
    collections: Mapping[str, CollectionRow],
    root: ArticleRow | None,
) -> dict[str, str | None]:
    """The front matter of an article; `root` is the original of a translation."""
    path = layout.articles[row.id]
    folder = path[: len(path) - len(PurePosixPath(path).name)]
    is_elsewhere = layout.folders.get(row.collection_id, AT_TOP) != folder
    collection = collections.get(row.collection_id or "")
    return {
        "title": row.title,
        "description": row.description,
        "slug": unless_named(row.slug, PurePosixPath(path).name),
        "collection": (collection.slug if collection else NO_COLLECTION) if is_elsewhere else None,
        "visibility": unless(row.visibility, "public"),
        # An article in review is exported as a draft.
        "status": unless("draft" if row.status == "in_review" else row.status, "published"),
        "translates": unless(root.locale, bot.locale) if root else None,
        "translation": OUTDATED if row.is_outdated else None,
        "published": publication_time(row.status, row.published_at),
        "since": row.since_slug if root is None else None,
        "until": row.until_slug if root is None else None,
        "version-of": layout.articles.get(row.family_head or ""),
    }


def entry_values(row: EntryRow, path: str) -> dict[str, str | None]:
    return {
        "title": row.title,
        "slug": unless_named(row.slug, PurePosixPath(path).name),
        "status": unless(row.status, "published"),
        "published": publication_time(row.status, row.published_at),
        "source": row.source_url,
    }


def publication_time(status: str, published_at: datetime | None) -> str | None:
    """The time of first publication of a published text, which orders it; None for other texts."""
    return isoformat(published_at) if published_at and status == "published" else None


def redirect_lines(
    bot: Bot, redirects: Sequence[RedirectRow], articles: Sequence[ArticleRow], layout: Layout
) -> bytes:
    """The targets of former addresses, including those of renamed articles: a file or a URL."""
    home = f"/help/{bot.slug}"
    present = {article_address(bot, row.locale, row.slug) for row in articles}
    targets = {
        address.removeprefix(home): layout.articles[row.id]
        for row in articles
        for slug in row.former_slugs
        if (address := article_address(bot, row.locale, slug)) not in present
    }
    for row in redirects:
        target = layout.articles.get(row.article_id or "")
        if row.url:
            target = portable_url(bot, whole_url(bot, row.url), layout)
        if target is not None:
            targets[written_path(row.path)] = target
    return json_bytes([{"from": source, "to": targets[source]} for source in sorted(targets)])


def portable_url(bot: Bot, url: str, layout: Layout) -> str:
    """The exported file at a URL of the help center; any other URL unchanged."""
    path = page_path(bot.help_url, url)
    if path is not None and path.endswith(WRITTEN_REST):
        return path
    file = layout.site.path_of(f"/help/{bot.slug}{path}") if path is not None else None
    fragment = url.partition("#")[2]
    return url if file is None else f"{file}#{fragment}" if fragment else file


def question_lines(questions: Sequence[QuestionRow], layout: Layout) -> bytes:
    rows = [
        {"question": row.question, "article": layout.articles[row.article_id]}
        | {name: value for name, value in (("section", row.section), ("says", row.says)) if value}
        for row in questions
        if row.article_id in layout.articles
    ]
    return json_bytes(rows)


def part_lines(bot: Bot, parts: Sequence[PartRow], layout: Layout) -> bytes:
    return json_bytes(
        [
            {"kind": row.kind, "name": row.name}
            | ({"locale": row.locale} if row.locale != bot.locale else {})
            | {"text": to_paths(row.text, PARTS_FILE, layout.site)}
            for row in parts
        ]
    )


def version_lines(versions: Sequence[VersionRow]) -> bytes:
    rows: list[dict[str, Any]] = [
        {"slug": row.slug, "name": row.name}
        | ({"current": True} if row.is_current else {})
        | ({"branches": row.branches} if row.branches else {})
        for row in versions
    ]
    return json_bytes(rows)


def unless(value: str, default: str) -> str | None:
    return None if value == default else value


def unless_named(slug: str, name: str) -> str | None:
    return None if slug_of_name(name) == slug else slug


def json_bytes(value: Any) -> bytes:
    """Readable, diffable JSON: one value per line, non-ASCII characters unescaped."""
    return (json.dumps(value, ensure_ascii=False, indent=2) + "\n").encode()

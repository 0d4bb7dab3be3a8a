"""The layout of a help center in an export: numbered folders and files, in reading order.

Names are unambiguous for an import: folders are collections, a number is the position, the rest of a file's
name is the slug, and the part after the first dot is the language, as in `02-install.de.md`.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import PurePosixPath

from instep.content.articles.paths import path_of_locale
from instep.content.files.schemas import StoredFile, path_of_file
from instep.platform.identity.schemas import Bot
from instep.transfer.exports.relative_links import SiteMap, article_address
from instep.transfer.exports.schemas import ArticleRow, CollectionRow, EntryRow, VersionRow

COLLECTION_FILE = "_collection.md"
CHANGELOG_FOLDER = "changelog"
FILES_FOLDER = "files"
# In bytes, so that a name with number, language and extension stays below the 255 that file systems allow.
MAX_NAME_BYTES = 180
# Characters and names that some file systems refuse.
UNSAFE_NAME_CHARACTERS = str.maketrans(dict.fromkeys('<>:"|?*', "-"))
AT_TOP = ""
# The folder itself as a path: the home page.
ROOT = "."


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths and addresses of a help center's parts, by their ids."""

    folders: dict[str | None, str]
    articles: dict[str, str]
    entries: dict[str, str]
    files: dict[str, str]
    site: SiteMap = field(default_factory=SiteMap)


def lay_out(
    bot: Bot,
    collections: Sequence[CollectionRow],
    articles: Sequence[ArticleRow],
    entries: Sequence[EntryRow],
    files: Sequence[StoredFile],
    versions: Sequence[VersionRow],
) -> Layout:
    folders: dict[str | None, str] = {None: AT_TOP, **dict(place_folders(collections))}
    layout = Layout(
        folders,
        dict(place_articles(bot, folders, articles)),
        dict(place_entries(entries)),
        {file.id: f"{FILES_FOLDER}/{file.sha256}/{file_name(file)}" for file in files},
    )
    add_addresses(bot, layout, collections, articles, entries, files)
    add_versions(layout, articles, versions)
    return layout


def place_folders(
    collections: Sequence[CollectionRow], parent_id: str | None = None, above: str = AT_TOP
) -> Iterator[tuple[str, str]]:
    """Yield the id and the folder of each collection; nested ones follow their parent."""
    siblings = [row for row in collections if row.parent_id == parent_id]
    for number, row in enumerate(siblings, 1):
        folder = f"{above}{numbered(number, len(siblings), file_stem(row.slug))}/"
        yield row.id, folder
        yield from place_folders(collections, row.id, folder)


def place_articles(
    bot: Bot, folders: dict[str | None, str], articles: Sequence[ArticleRow]
) -> Iterator[tuple[str, str]]:
    """Yield the id and the file of each article; translations are next to their original."""
    originals, translations = group_articles(folders, articles)
    for folder_id, rows in originals.items():
        for number, original in enumerate(rows, 1):
            stem = folders[folder_id] + numbered(number, len(rows), file_stem(original.slug))
            for row in (original, *translations[original.id]):
                locale = "" if row.locale == bot.locale else f".{row.locale}"
                yield row.id, f"{stem}{locale}.md"


def place_entries(entries: Sequence[EntryRow]) -> Iterator[tuple[str, str]]:
    """Yield the id and the file of each entry; long slugs that are cut to the same name get a number."""
    # Names that fit come first, so that of two equal names the shortened one gets the number.
    taken = {entry.slug for entry in entries if file_stem(entry.slug) == entry.slug}
    for entry in sorted(entries, key=lambda entry: entry.slug):
        stem = file_stem(entry.slug)
        if stem != entry.slug:
            stem = next(name for name in numbered_names(stem) if name not in taken)
            taken.add(stem)
        yield entry.id, f"{CHANGELOG_FOLDER}/{stem}.md"


def numbered_names(stem: str) -> Iterator[str]:
    """The name, then the name with -2, -3 and so on."""
    yield stem
    yield from (f"{stem}-{number}" for number in count(2))


def group_articles(
    folders: dict[str | None, str], articles: Sequence[ArticleRow]
) -> tuple[dict[str | None, list[ArticleRow]], dict[str, list[ArticleRow]]]:
    """The originals by their collections, and the translations by their originals.

    A translation whose original is not among the articles counts as one.
    """
    known_ids = {row.id for row in articles}
    originals: dict[str | None, list[ArticleRow]] = defaultdict(list)
    translations: dict[str, list[ArticleRow]] = defaultdict(list)
    for row in articles:
        if row.translation_of in known_ids and row.translation_of is not None:
            translations[row.translation_of].append(row)
        else:
            originals[row.collection_id if row.collection_id in folders else None].append(row)
    return originals, translations


def add_addresses(
    bot: Bot,
    layout: Layout,
    collections: Sequence[CollectionRow],
    articles: Sequence[ArticleRow],
    entries: Sequence[EntryRow],
    files: Sequence[StoredFile],
) -> None:
    site, home = layout.site, f"/help/{bot.slug}"
    locales = {row.locale for row in articles} - {bot.locale}
    homes = [home, *(home + path_of_locale(bot.locale, locale) for locale in sorted(locales))]
    site.add(ROOT, *homes)
    site.add(CHANGELOG_FOLDER, *(f"{each}/changelog" for each in homes))
    add_article_addresses(bot, layout, articles, locales)
    for collection in collections:
        path = layout.folders[collection.id] + COLLECTION_FILE
        names = (collection.slug, collection.id)
        site.add(path, *(f"{each}/collections/{name}" for each in homes for name in names))
    for entry in entries:
        path = layout.entries[entry.id]
        site.add(path, *(f"{each}/changelog/{entry.slug}" for each in homes))
    for file in files:
        site.add(layout.files[file.id], path_of_file(bot, file.sha256, file.kind))


def add_article_addresses(
    bot: Bot, layout: Layout, articles: Sequence[ArticleRow], locales: Collection[str]
) -> None:
    site = layout.site
    # A current address has priority over another article's former one, so current ones come first.
    for row in articles:
        for slug in row.former_slugs:
            site.paths[article_address(bot, row.locale, slug)] = layout.articles[row.id]
    for row in articles:
        by_id = article_address(bot, row.locale, row.id)
        site.add(layout.articles[row.id], article_address(bot, row.locale, row.slug), by_id)
    # Below another language, a slug in the help center's own leads to the translation, if there is one.
    texts = {(row.translation_of or row.id, row.locale): layout.articles[row.id] for row in articles}
    for row in articles:
        for locale in locales if row.locale == bot.locale else ():
            path = texts.get((row.translation_of or row.id, locale), layout.articles[row.id])
            for slug in (row.slug, *row.former_slugs):
                site.paths.setdefault(article_address(bot, locale, slug), path)


def add_versions(layout: Layout, articles: Sequence[ArticleRow], versions: Sequence[VersionRow]) -> None:
    """Map the files of each topic to the one that is about a version of the product.

    An article about all versions has no file for one of them. An address in the current version leads to
    the page without a version.
    """
    site = layout.site
    originals = {row.id: row for row in articles if row.translation_of is None}
    topics: dict[tuple[str, str], list[tuple[str, list[str]]]] = defaultdict(list)
    for row in articles:
        original = originals.get(row.translation_of or row.id, row)
        topic = (original.family_head or original.id, row.locale)
        topics[topic].append((layout.articles[row.id], versions_about(original, versions)))
    for files in topics.values():
        for target, slugs in files:
            for slug in slugs:
                site.versions.setdefault(slug, {}).update((path, target) for path, _ in files)
    current = {path: path for path in site.paths.values()}
    site.versions.update((version.slug, current) for version in versions if version.is_current)


def versions_about(article: ArticleRow, versions: Sequence[VersionRow]) -> list[str]:
    """The slugs of the versions that an article is about; none if it is about all of them."""
    if article.since_slug is None and article.until_slug is None:
        return []
    slugs = [version.slug for version in versions]
    first = slugs.index(article.since_slug) if article.since_slug else 0
    last = slugs.index(article.until_slug) if article.until_slug else len(slugs) - 1
    return slugs[first : last + 1]


def numbered(number: int, count: int, stem: str) -> str:
    """A name prefixed with its position, with enough digits to sort correctly."""
    return f"{number:0{max(2, len(str(count)))}}-{stem}"


def file_stem(slug: str) -> str:
    """A slug as part of a file's name, cut to the maximum number of bytes."""
    return slug.encode()[:MAX_NAME_BYTES].decode(errors="ignore").rstrip("-")


def file_name(file: StoredFile) -> str:
    """The name of an uploaded file, valid on all file systems, with the extension of its type."""
    name = PurePosixPath(file.download_name.translate(UNSAFE_NAME_CHARACTERS))
    stem = name.stem.encode()[:MAX_NAME_BYTES].decode(errors="ignore")
    return f"{stem}{name.suffix}"

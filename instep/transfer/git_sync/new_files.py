"""Creates files for published articles that have none yet."""

from instep.transfer.exports.layout import COLLECTION_FILE, file_stem
from instep.transfer.exports.page_file import new_page
from instep.transfer.exports.relative_links import article_address
from instep.transfer.git_sync.article_plans import ArticlePlan
from instep.transfer.git_sync.pages import matter_of, values_of_article, values_of_collection
from instep.transfer.git_sync.schemas import SyncedArticle, SyncedFile
from instep.transfer.git_sync.taken_paths import TakenPaths
from instep.transfer.git_sync.work import SyncWork, set_next


def place_new_files(work: SyncWork, plans: list[ArticlePlan]) -> dict[str, SyncedArticle]:
    """The published articles without a file, by their new paths next to the files of their collection."""
    known_ids = work.synced_ids
    paths_by_id = {row.resource_id: path for path, row in work.rows.items()}
    articles_by_path: dict[str, SyncedArticle] = {}
    taken = TakenPaths.of(work.pages, work.rows, work.unreadable_paths)
    originals_first = sorted(work.articles.values(), key=lambda row: row.translation_of is not None)
    for article in originals_first:
        if article.status != "published" or article.id in known_ids:
            continue
        path = path_for(work, article, paths_by_id, taken)
        if path is not None:
            articles_by_path[path] = article
            taken.add(path)
            paths_by_id[article.id] = path
            address = article_address(work.ctx.bot, article.locale, article.slug)
            work.site.add(path, address, article_address(work.ctx.bot, article.locale, article.id))
    return articles_by_path


def path_for(
    work: SyncWork, article: SyncedArticle, paths_by_id: dict[str, str], taken: TakenPaths
) -> str | None:
    """A free path for an article; None for a translation whose original has no file."""
    locale = "" if article.locale == work.ctx.bot.locale else f".{article.locale}"
    if article.translation_of is not None:
        original = paths_by_id.get(article.translation_of)
        path = f"{without_locale(original)}{locale}.md" if original is not None else None
        return path if path not in taken.paths else None
    folder = folder_for(work, article.collection_id, taken)
    stem = taken.next_name(folder, file_stem(article.slug))
    path, number = f"{folder}{stem}{locale}.md", 2
    while path in taken.paths:
        path, number = f"{folder}{stem}-{number}{locale}.md", number + 1
    return path


def without_locale(path: str) -> str:
    """A path without extension and language."""
    folder, slash, name = path.rpartition("/")
    return folder + slash + name.split(".")[0]


def folder_for(work: SyncWork, collection_id: str | None, taken: TakenPaths) -> str:
    """The folder of a collection, created with its `_collection.md` if there is none yet."""
    collection = work.collections.get(collection_id or "")
    if collection is None:
        return ""
    folder = work.folders.folder_of(collection.id)
    if folder is not None:
        return folder
    above = folder_for(work, collection.parent_id, taken)
    folder = above + taken.next_name(above, file_stem(collection.slug)) + "/"
    work.folders.by_folder[folder] = collection.id
    path, values = folder + COLLECTION_FILE, values_of_collection(collection)
    text = new_page(matter_of(path, values, work.folders), "").text
    row = SyncedFile(path, "collection", collection.id)
    set_next(row, text, "", values)
    work.rows[path] = row
    taken.add(path)
    work.sync.writes[path] = text
    work.sync.report(path, "written", f"The collection “{collection.title}” is new in the folder.")
    return folder


def write_new_files(work: SyncWork, articles_by_path: dict[str, SyncedArticle]) -> None:
    for path, article in articles_by_path.items():
        values = values_of_article(article)
        matter = matter_of(path, values, work.folders)
        if article.translation_of is not None:
            matter["translates"] = translated_locale(work, article)
        text = new_page(matter, work.to_paths(article.content, path)).text
        row = SyncedFile(path, "article", article.id, article.version)
        set_next(row, text, article.content, values)
        work.rows[path] = row
        work.sync.writes[path] = text
        message = f"The article “{article.title}” is new in Instep."
        work.sync.report(path, "written", message, article_id=article.id)


def translated_locale(work: SyncWork, article: SyncedArticle) -> str | None:
    """The original's language, if the file must state it."""
    original = work.articles.get(article.translation_of or "")
    is_other = original is not None and original.locale != work.ctx.bot.locale
    return original.locale if original is not None and is_other else None

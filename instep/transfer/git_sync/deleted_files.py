"""Archives articles whose files were deleted in git."""

from instep.content.articles.actions import archive_article
from instep.transfer.git_sync.file_refusals import attempt_file
from instep.transfer.git_sync.pages import values_of_article
from instep.transfer.git_sync.schemas import SyncedArticle, SyncedFile
from instep.transfer.git_sync.work import SyncWork


async def archive_deleted(work: SyncWork) -> None:
    """Archive the articles whose files are gone, except those changed in Instep since the last sync."""
    for path, row in list(work.rows.items()):
        if row.kind == "article" and path not in work.pages and path not in work.unreadable_paths:
            await attempt_file(work, path, archive_without_file(work, path, row))


async def archive_without_file(work: SyncWork, path: str, row: SyncedFile) -> None:
    article = work.articles.get(row.resource_id)
    if article is None or row.file_text is None or article.status == "archived":
        # Both are gone, or the file never was in git and is written again.
        del work.rows[path]
    elif has_changed(row, article):
        work.sync.report(
            path,
            "conflict",
            "The file is gone, and its article was changed in Instep: restore the file, or archive "
            "the article.",
            article_id=article.id,
        )
    elif work.request.drafts:
        work.sync.report(
            path,
            "kept",
            "The file is gone: archive the article, or sync without drafts.",
            article_id=article.id,
        )
    else:
        await archive_article(work.ctx, article.id)
        del work.rows[path]
        work.sync.report(
            path,
            "archived",
            "The file is gone: the article is archived with its full text.",
            article_id=article.id,
        )


def has_changed(row: SyncedFile, article: SyncedArticle) -> bool:
    """True if the article differs both from the last state in git and from what the last sync wrote."""
    current = article.content, values_of_article(article)
    bases = [(row.article_text, row.article_values)]
    if row.draft_id is None:
        bases.append((row.next_article_text, row.next_article_values))
    return current not in bases

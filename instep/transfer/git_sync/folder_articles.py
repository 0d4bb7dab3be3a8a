"""Syncs files and articles: each side gets the other's changes, and conflicts wait for a person."""

from dataclasses import replace

from instep.content.articles import actions as articles
from instep.content.articles.body_schemas import ArticleCreate
from instep.content.articles.texts import follow_version
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest
from instep.platform.core.markdown_cost import refuse_costly_markdown
from instep.platform.core.restarts import NeededWork, WorkNeeded
from instep.platform.core.slug_rules import SlugTaken
from instep.platform.web.errors import body_from
from instep.transfer.exports.file_contents import OUTDATED
from instep.transfer.exports.page_file import PageFile
from instep.transfer.git_sync.article_plans import ArticlePlan, original_path
from instep.transfer.git_sync.article_proposals import NOT_PUBLISHED, dismiss_former, propose
from instep.transfer.git_sync.article_updates import (
    article_values_of_plan,
    move,
    set_status,
    update,
    with_collection_id,
)
from instep.transfer.git_sync.file_places import file_place
from instep.transfer.git_sync.file_refusals import attempt_file
from instep.transfer.git_sync.folder_collections import collection_id_of, report_outcome
from instep.transfer.git_sync.pages import NEW_FOLDER, FolderPage, values_of_article, with_values
from instep.transfer.git_sync.schemas import SyncedArticle, SyncedFile
from instep.transfer.git_sync.three_way import in_other_notation, merge_texts
from instep.transfer.git_sync.unsynced_fields import versions_of_file
from instep.transfer.git_sync.work import SyncWork, article_text_of_file, mark_in_sync, set_base, set_next


class OriginalMissing(InvalidRequest):
    """The original of a translation does not exist yet; the message says what to change."""


async def sync_articles(work: SyncWork, plans: list[ArticlePlan]) -> None:
    """Sync each page, and retry those that depend on what another page gives up or creates.

    Each round goes in the opposite direction, because each page may wait for the next one.
    """
    needed = NeededWork()
    for _ in range(limits.MAX_SYNC_ROUNDS):
        waiting_plans = []
        for plan in plans:
            refusal = await attempt_file(work, plan.page.path, sync_plan(work, plan))
            if isinstance(refusal, SlugTaken | OriginalMissing):
                waiting_plans.append(plan)
            elif isinstance(refusal, WorkNeeded):
                needed.take()
        await needed.do_before_next_attempt()
        if len(waiting_plans) in (0, len(plans)):
            return
        plans = waiting_plans[::-1]
        work.sync.drop_refusals({plan.page.path for plan in plans})
        for plan in plans:
            plan.row = work.rows.get(plan.page.path)


async def sync_plan(work: SyncWork, plan: ArticlePlan) -> None:
    refuse_costly_markdown(plan.page.file.body)
    if plan.row is None:
        await create(work, plan)
    elif plan.article is None:
        remove_file(work, plan, plan.row)
    elif plan.is_waiting:
        work.sync.report(
            plan.page.path,
            "waiting",
            "A draft for this file is waiting for review.",
            article_id=plan.article.id,
            draft_id=plan.row.draft_id,
        )
    else:
        if plan.row.draft_id is not None:
            await dismiss_former(work.ctx, plan.row.draft_id)
            plan.row.forget_next()
        await merge_article(work, plan, plan.row, plan.article)


async def merge_article(work: SyncWork, plan: ArticlePlan, row: SyncedFile, article: SyncedArticle) -> None:
    """Apply each side's changes to the other; a text or title that both changed becomes a draft."""
    assert plan.merged is not None, "the plan has an article"
    page, merged = plan.page, plan.merged
    if is_in_sync(plan, row, article):
        return
    text = await article_text_of_file(work, page, row, article.content)
    content = await merge_texts(row.article_text, article.content, text)
    is_conflict = content is None or "title" in merged.conflicts
    is_text_changed = (content, merged.article["title"]) != (article.content, article.title)
    if content is None or is_conflict or (work.request.drafts and is_text_changed):
        await propose(work, plan, text, is_conflict=is_conflict)
        return
    is_changed = (merged.article, content) != (values_of_article(article), article.content)
    row.article_version = await update(work, article, merged.article, content)
    is_written = await write_file(work, plan, row, text, content)
    await move(work, page, article)
    report_outcome(work, page.path, is_changed, is_written, merged.conflicts, article_id=article.id)
    if plan.stays_unpublished:
        work.sync.report_more(page.path, "kept", NOT_PUBLISHED, article_id=article.id)


async def write_file(work: SyncWork, plan: ArticlePlan, row: SyncedFile, text: str, content: str) -> bool:
    """Add the merged file to the writes and record it as the next base; return whether the file changes.

    `text` is the file's text and `content` the merged text, both in the article's notation.
    """
    assert plan.article is not None, "the plan has an article"
    assert plan.merged is not None, "the plan has an article"
    page, values = plan.page, plan.merged.file
    body = await in_other_notation(text, content, page.file.body, work.to_paths(content, page.path))
    is_misplaced = belongs_elsewhere(work, plan)
    if is_misplaced:
        work.misplaced_paths.add(page.path)
        values = {**values, "collection": plan.values["collection"]}
    merged_page = replace(page, file=PageFile(page.file.head, body))
    file = with_values(merged_page, plan.values, values, work.folders)
    merged_values = await with_collection_id(work, plan.merged.article)
    is_written = file.text != page.file.text
    if is_written:
        work.sync.writes[page.path] = file.text
    if is_written or is_misplaced:
        set_base(row, page.file.text, text, await article_values_of_plan(work, plan, row, plan.article))
        set_next(row, file.text, content, merged_values)
    else:
        mark_in_sync(row, file_text=file.text, article_text=content, article_values=merged_values)
    return is_written


def belongs_elsewhere(work: SyncWork, plan: ArticlePlan) -> bool:
    """True if the article is in another collection than its file, and the file has no line that says so.

    If a configuration file lists the files, they stay in place and get the line.
    """
    assert plan.merged is not None, "the plan has an article"
    page, target = plan.page, plan.merged.file["collection"]
    says_collection = "collection" in page.matter or work.navigation is not None
    if says_collection or target == plan.values["collection"] or (target or "").startswith(NEW_FOLDER):
        return False
    original = original_path(work, page)
    return original not in work.pages or original in work.misplaced_paths


def is_in_sync(plan: ArticlePlan, row: SyncedFile, article: SyncedArticle) -> bool:
    """True if nothing has changed on either side since the last sync."""
    assert plan.merged is not None, "the plan has an article"
    current = values_of_article(article)
    return (
        row.next_file_text is None
        and (plan.page.file.text, article.content) == (row.file_text, row.article_text)
        and (plan.merged.article, plan.merged.file) == (current, plan.values)
        and row.article_values == current
    )


async def create(work: SyncWork, plan: ArticlePlan) -> None:
    """Create the article of a new page; with `drafts` it is not published."""
    page, values = plan.page, plan.values
    content = work.to_addresses(page.file.body, page.path)
    original, versions = original_id(work, page), await versions_of_file(work.ctx, page.matter)
    fields = {
        "title": values["title"],
        "contentMarkdown": content,
        "slug": values["slug"],
        **({"visibility": values["visibility"]} if "visibility" in page.matter else {}),
        "collectionId": await collection_id_of(work, values["collection"]),
        **({"description": values["description"]} if values["description"] is not None else {}),
        **({"locale": page.locale} if page.locale else {}),
        **({"translationOf": original} if original else versions),
        **({"position": place} if (place := file_place(page)) is not None else {}),
    }
    article = await articles.create_article(work.ctx, body_from(ArticleCreate, fields))
    if original and page.matter.get("translation") == OUTDATED:
        await follow_version(work.ctx, article.id, 0)
    status = "draft" if work.request.drafts else values["status"]
    if status is not None and status != "draft":
        await set_status(work, article.id, status)
    row = SyncedFile(page.path, "article", article.id, article_version=article.version)
    collection = article.collection_id or values["collection"]
    mark_in_sync(
        row,
        file_text=page.file.text,
        article_text=content,
        article_values={**values, "status": status, "collection": collection},
    )
    work.rows[page.path] = row
    message = (
        "The article is new." if status == "published" else f"The article is new, with the status {status}."
    )
    work.sync.report(page.path, "created", message, article_id=article.id)


def original_id(work: SyncWork, page: FolderPage) -> str | None:
    """The id of a translation's original: of the file without the language, or of the one that it names."""
    path = original_path(work, page)
    if path is None:
        return None
    row = work.rows.get(path)
    if row is None and (path in work.pages or path in work.unreadable_paths):
        raise OriginalMissing(f"The file translates {path}, which could not be synced: fix that file first.")
    return row.resource_id if row is not None else None


def remove_file(work: SyncWork, plan: ArticlePlan, row: SyncedFile) -> None:
    """Delete the file of an article that was deleted in Instep, unless the file was changed since."""
    path, known_texts = plan.page.path, [row.file_text]
    if row.draft_id is None:
        # A draft proposes git's own change, which never was in the article.
        known_texts.append(row.next_file_text)
    if plan.page.file.text in known_texts:
        work.sync.writes[path] = None
        work.sync.report(
            path, "removed", "The article was deleted in Instep. Recently deleted keeps it for a while."
        )
    else:
        work.sync.report(
            path,
            "conflict",
            "The article was deleted in Instep, and the file was changed: restore the article, or "
            "delete the file.",
        )


async def archive_deleted(work: SyncWork) -> None:
    """Archive the articles whose files are gone, except those changed in Instep since the last sync."""
    for path, row in list(work.rows.items()):
        if row.kind == "article" and path not in work.pages and path not in work.unreadable_paths:
            await attempt_file(work, path, archive_without_file(work, path, row))


async def archive_without_file(work: SyncWork, path: str, row: SyncedFile) -> None:
    article = work.articles.get(row.resource_id)
    if article is None or row.file_text is None or article.status == "archived":
        # Both were deleted, or the file was never in git and is written again.
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
        await articles.archive_article(work.ctx, article.id)
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

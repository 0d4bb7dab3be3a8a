"""A sync's writes to an article: its values, its text, its status and its position."""

from instep.content.articles import actions as articles
from instep.content.articles.body_schemas import ArticleUpdate
from instep.content.articles.schemas import Article
from instep.content.articles.texts import find_article, live_columns, save
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.platform.web.errors import body_from
from instep.transfer.git_sync.article_plans import ArticlePlan
from instep.transfer.git_sync.file_places import file_place, number_of_name
from instep.transfer.git_sync.folder_collections import collection_id_of
from instep.transfer.git_sync.pages import FolderPage, values_of_article
from instep.transfer.git_sync.schemas import SyncedArticle, SyncedFile
from instep.transfer.git_sync.work import SyncWork, article_values_of_file


async def update(work: SyncWork, article: SyncedArticle, values: dict[str, str | None], content: str) -> int:
    """Update the article with these values and this text; return its new version."""
    current = values_of_article(article)
    changes = {name: value for name, value in values.items() if current[name] != value}
    status = changes.pop("status", None)
    fields: dict[str, str | None] = dict(changes)
    if "collection" in fields:
        fields["collectionId"] = await collection_id_of(work, fields.pop("collection"))
    if "description" in fields:
        fields["description"] = fields["description"] or ""
    if content != article.content:
        fields["contentMarkdown"] = content
    version = article.version
    if fields:
        updated = await articles.update_article(work.ctx, article.id, body_from(ArticleUpdate, fields))
        version = updated.version
    if status is not None:
        version = (await set_status(work, article.id, status)).version
    return version


async def set_status(work: SyncWork, article_id: str, status: str) -> Article:
    if status == "published":
        return await publish_article(work.ctx, article_id)
    if status == "archived":
        return await articles.archive_article(work.ctx, article_id)
    return await articles.unpublish_article(work.ctx, article_id)


@writes
async def publish_article(ctx: Ctx, article_id: str) -> Article:
    """Publish the text that git and the article share; unpublished changes of an editor stay unpublished."""
    article = await find_article(ctx, article_id, lock=True)
    return await save(ctx, article, live_columns(ctx, article), "markdown")


async def move(work: SyncWork, page: FolderPage, article: SyncedArticle) -> None:
    """Move the article to the position of a number that git changed in its file's name."""
    former_path = work.former_paths.get(page.path)
    if former_path is None or page.path in work.followed_paths:
        return
    if number_of_name(former_path) == number_of_name(page.path):
        return
    if (position := file_place(page)) is not None:
        update = body_from(ArticleUpdate, {"position": position})
        await articles.update_article(work.ctx, article.id, update)


async def with_collection_id(work: SyncWork, values: dict[str, str | None]) -> dict[str, str | None]:
    """The values, with each `new:` folder replaced by the id of a collection created for it."""
    collection = values.get("collection")
    return {**values, "collection": await collection_id_of(work, collection) or collection}


async def article_values_of_plan(
    work: SyncWork, plan: ArticlePlan, row: SyncedFile, article: SyncedArticle
) -> dict[str, str | None]:
    """The values of an article that matches the file, except a status that is left to people."""
    values = await with_collection_id(work, article_values_of_file(work, row, plan.values))
    return {**values, "status": article.status} if plan.stays_unpublished else values

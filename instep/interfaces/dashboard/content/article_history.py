"""The versions of an article, the changes between two of them, restoring one, and its translations."""

from starlette.responses import Response

from instep.accounts.language_model.choosing import models_of
from instep.content.articles import actions
from instep.content.articles.revision_schemas import VersionOverview
from instep.content.articles.schemas import Article
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.content.article_page import CONFLICT, sent_etag
from instep.interfaces.dashboard.content.marked_changes import MarkedChanges, mark_between
from instep.platform.core import limits
from instep.platform.core.errors import Conflict, NotFound
from instep.platform.identity.audit import find_last_change
from instep.platform.identity.scopes import Role

# The origin of a version, in words.
ORIGINS = {
    "create": "created",
    "update": "edited",
    "apply": "applied from a draft",
    "publish": "published from the editor",
    "restore": "restored",
    "import": "imported",
}
router = PageRouter("articles")


@router.get("{id}/history")
async def show_history(page: BotPage) -> Response:
    return await history_page(page)


async def history_page(page: BotPage, status: int = 200, *, has_conflict: bool = False) -> Response:
    article = await actions.get_article(page.ctx, page.param("id"))
    overview = await actions.get_article_overview(page.ctx, article.id)
    versions = await actions.list_versions(page.ctx, article.id)
    target, base = compared_versions(page, versions)
    return await page.show(
        "content/history.html",
        status,
        article=article,
        overview=overview,
        versions=versions,
        target=target,
        base=base,
        changes=await changes_between(page, article, base, target),
        origins=ORIGINS,
        has_conflict=has_conflict,
        last_change=await find_last_change(page.ctx, article.id) if has_conflict else None,
    )


def compared_versions(
    page: BotPage, versions: list[VersionOverview]
) -> tuple[VersionOverview, VersionOverview | None]:
    """The requested version, and the one it is compared with: by default the previous one."""
    by_number = {str(row.version): row for row in versions}
    target = by_number.get(page.query.get("version", ""), versions[0])
    before = by_number.get(str(target.version - 1))
    return target, by_number.get(page.query.get("with", ""), before)


async def changes_between(
    page: BotPage, article: Article, base: VersionOverview | None, target: VersionOverview
) -> MarkedChanges:
    """The change between two versions; the text of the second one without a first one."""
    before, after = [
        await actions.get_version(page.ctx, article.id, row.version) for row in (base or target, target)
    ]
    return await mark_between(before, after, is_folded=base is not None)


@router.post("{id}/history/restore", Role.EDITOR)
async def restore_version(page: BotPage) -> Response:
    revision_id = page.form.get("revision", "")
    try:
        async with page.ctx.tx.transaction():
            article = await actions.restore_revision(page.ctx, page.param("id"), revision_id, sent_etag(page))
    except Conflict:
        return await history_page(page, CONFLICT, has_conflict=True)
    sentence = " ".join(("Earlier revision restored.", *page.ctx.warnings))
    return page.leave(f"articles/{article.id}/history", sentence)


@router.get("{id}/translations")
async def show_translations(page: BotPage) -> Response:
    """The languages of an article, and the changes to its text since each translation was written."""
    article = await actions.get_article(page.ctx, page.param("id"))
    original = await actions.get_article_overview(page.ctx, article.translation_of or article.id)
    translation = next((row for row in original.translations if row["id"] == page.query.get("show")), None)
    return await page.show(
        "content/translations.html",
        article=article,
        overview=await actions.get_article_overview(page.ctx, article.id),
        original=original,
        has_model=await models_of(page.request.app.state).has_model(page.ctx, "translations"),
        translation=translation,
        changes=await changes_since(page, translation["id"]) if translation else None,
    )


async def changes_since(page: BotPage, translation_id: str) -> MarkedChanges:
    translation = await actions.get_article(page.ctx, translation_id)
    if translation.translation_of is None:
        raise NotFound("This article is not a translation.")
    original = await actions.get_article(page.ctx, translation.translation_of)
    present = await actions.get_version(page.ctx, original.id, original.version)
    return await mark_between(await actions.get_translated_text(page.ctx, translation), present)


@router.get("deleted")
async def show_deleted(page: BotPage) -> Response:
    """Recently deleted, with the days left to restore each article."""
    articles = await actions.list_deleted_articles(page.ctx, page.rows_at_cursor())
    return await page.show(
        "content/deleted.html",
        articles=articles.rows,
        next_page=articles.next_cursor and f"articles/deleted?cursor={articles.next_cursor}",
        days_left={row.id: (row.restorable_until - page.ctx.now).days for row in articles.rows},
        retention_days=limits.DELETED_ARTICLE_RETENTION.days,
    )

"""The page of an article: its text as readers see it, its properties, and the actions on it."""

from collections.abc import Awaitable
from typing import Any

from starlette.responses import Response

from instep.content.articles import actions
from instep.content.articles.body_schemas import ArticleUpdate
from instep.content.articles.revision_schemas import VersionText
from instep.content.articles.schemas import Article, ArticleOverview
from instep.content.articles.splitting import bounds_of, split_by_version
from instep.content.collections.actions import get_collection
from instep.content.collections.schemas import Collection
from instep.content.golden.actions import (
    add_golden_question,
    list_golden_questions_of,
    remove_golden_question,
)
from instep.content.product_versions.actions import list_all_versions
from instep.drafting.comments.actions import list_threads
from instep.drafting.drafts.actions import list_drafts
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.content.article_list import REASONS, members
from instep.interfaces.dashboard.content.marked_changes import mark_between
from instep.interfaces.dashboard.content.rendered_text import text_of_page
from instep.interfaces.dashboard.field_errors import errors_by_field
from instep.platform.core.errors import AppError, Conflict, InvalidRequest, InvalidState, NotFound
from instep.platform.core.locales import direction
from instep.platform.identity.audit import find_last_change
from instep.platform.identity.scopes import Role
from instep.platform.web.errors import body_from
from instep.platform.web.notices import Notice
from instep.visitors.answers.golden import ask_each

# The status of a response if someone else changed it first (RFC 9110 section 15.5.10).
CONFLICT = 409
# The messages of a page after which nothing was refused.
NO_MESSAGES: dict[str, Any] = {
    "conflict": None,
    "golden_typed": {},
    "golden_errors": {},
    "care_errors": {},
    "version_problem": None,
    "version_typed": None,
}
# Maximum number of pending drafts that an article's page lists.
MAX_DRAFTS_SHOWN = 10
router = PageRouter("articles/{id}")


def sent_etag(page: BotPage) -> str | None:
    """The entity tag of the state that the person saw when the form was made."""
    return page.form.get("etag")


def etag_to_send(page: BotPage, etag: str, error: AppError | None) -> str:
    """The entity tag of the state that the fields of a form are based on, for the form when it comes back.

    Only a page that names a conflict goes on to the current state.
    """
    is_sent = page.request.method == "POST" and not isinstance(error, Conflict)
    return (sent_etag(page) if is_sent else None) or etag


@router.get()
async def show_article(page: BotPage, status: int = 200, **values: Any) -> Response:
    """The page with additional messages: `conflict`, or a refused `question` with the reason."""
    ctx = page.ctx
    article = await actions.get_article(ctx, page.param("id"), "html")
    overview = await actions.get_article_overview(ctx, article.id)
    drafts = page.first_rows(MAX_DRAFTS_SHOWN)
    questions = await list_golden_questions_of(ctx, article.id)
    is_checked = bool(page.query.get("check"))
    answers = await ask_each(ctx, questions) if is_checked else []
    collection = await get_collection(ctx, article.collection_id) if article.collection_id else None
    return await page.show(
        "content/article.html",
        status,
        article=article,
        overview=overview,
        html=text_of_page(article.content),
        direction=direction(article.locale),
        collection=collection,
        url=public_url(page, article, collection),
        working_copy=await actions.get_working_copy(ctx, article.id),
        drafts=(await list_drafts(ctx, None, article.id, drafts)).rows,
        questions=questions,
        comments=await list_threads(ctx, article.id),
        faults={answer.question.id: answer.fault for answer in answers},
        is_checked=is_checked,
        former_slugs=await actions.list_former_slugs(ctx, article.id),
        members=await members(page) if page.can_write else [],
        **await versions_of_page(page, article),
        last_change=await find_last_change(ctx, article.id) if status == CONFLICT else None,
        **(NO_MESSAGES | values),
    )


async def versions_of_page(page: BotPage, article: Article) -> dict[str, Any]:
    """The versions of the product, the versions before which the article can be split, and its family."""
    versions = await list_all_versions(page.ctx)
    first, last = bounds_of(article, versions)
    splits = versions[first + 1 : last + 1] if article.status != "in_review" else []
    return {
        "versions": versions,
        "version_choices": [(version.slug, version.name) for version in versions],
        "boundaries": [(version.slug, version.name) for version in splits],
        "family": await actions.list_family(page.ctx, article) if versions else [],
    }


def public_url(page: BotPage, article: Article, collection: Collection | None) -> str | None:
    """The public URL of the article; None unless everyone may read it."""
    is_public = article.visibility == "public" and (collection is None or collection.is_public)
    return article.url(page.bot) if article.is_live and is_public else None


@router.get("changes")
async def show_unpublished_changes(page: BotPage) -> Response:
    """The text that an editor saved, next to the live one."""
    article = await actions.get_article(page.ctx, page.param("id"))
    copy = await actions.get_working_copy(page.ctx, article.id)
    if copy is None:
        return page.leave(f"articles/{article.id}")
    live = await actions.get_version(page.ctx, article.id, article.version)
    changes = await mark_between(live, VersionText(copy.title, copy.content, article.version))
    return await page.show(
        "content/unpublished_changes.html", article=article, working_copy=copy, changes=changes
    )


@router.post("publish", Role.EDITOR)
async def publish(page: BotPage) -> Response:
    change = actions.publish_article(page.ctx, page.param("id"), if_match=sent_etag(page))
    return await change_article(page, "published", change)


@router.post("verify", Role.EDITOR)
async def verify(page: BotPage) -> Response:
    """Mark the article as verified, and return to the page with the button."""
    article = await actions.verify_article(page.ctx, page.param("id"))
    sentence = f"Verified “{article.title}”."
    if reason := article.standing["freshness"]["reason"]:
        sentence += f" It still needs review: {REASONS[reason]}"
    return page.leave("health?by=due" if page.form.get("due") else f"articles/{article.id}", sentence)


@router.post("care", Role.EDITOR)
async def change_care(page: BotPage) -> Response:
    """Save the article's own owner and day of the next look; an empty field: none of its own."""
    fields = {name: page.form.get(name, "").strip() or None for name in ("owner", "reviewBy")}
    try:
        async with page.ctx.tx.transaction():
            article = await actions.update_article(
                page.ctx, page.param("id"), body_from(ArticleUpdate, fields)
            )
    except InvalidRequest as error:
        return await show_article(page, error.status, care_errors=errors_by_field(error))
    return page.leave(f"articles/{article.id}#care", "Saved.")


@router.post("versions", Role.EDITOR)
async def change_versions(page: BotPage) -> Response:
    """Save the first and the last version of an article; an empty field: no bound."""
    fields = {name: page.form.get(name, "") or None for name in ("sinceVersion", "untilVersion")}
    try:
        async with page.ctx.tx.transaction():
            article = await actions.update_article(
                page.ctx, page.param("id"), body_from(ArticleUpdate, fields)
            )
    except (InvalidRequest, InvalidState) as error:
        return await show_article(page, error.status, version_problem=error.message, version_typed=fields)
    return page.leave(f"articles/{article.id}#versions", "Saved.")


@router.post("split", Role.EDITOR)
async def make_copy_for_version(page: BotPage) -> Response:
    """Split an article before a version, and show the new one."""
    try:
        async with page.ctx.tx.transaction():
            copy = await split_by_version(page.ctx, page.param("id"), page.form.get("version", ""))
    except (InvalidRequest, InvalidState) as error:
        return await show_article(page, error.status, version_problem=error.message)
    return page.leave(f"articles/{copy.id}", "This is the copy. Its text can now differ from the other one.")


@router.post("unpublish", Role.EDITOR)
async def unpublish(page: BotPage) -> Response:
    change = actions.unpublish_article(page.ctx, page.param("id"))
    return await change_article(page, "unpublished", change, undo="publish")


@router.post("archive", Role.EDITOR)
async def archive(page: BotPage) -> Response:
    change = actions.archive_article(page.ctx, page.param("id"), sent_etag(page))
    return await change_article(page, "archived", change, undo="unpublish")


@router.post("discard", Role.EDITOR)
async def discard_changes(page: BotPage) -> Response:
    change = actions.discard_working_copy(page.ctx, page.param("id"), sent_etag(page))
    return await change_article(
        page, "unchanged on the help center; its unpublished changes were discarded", change
    )


async def change_article(
    page: BotPage, outcome: str, change: Awaitable[Article], undo: str | None = None
) -> Response:
    """Change the article and show it; if someone else changed it first, do nothing and say so."""
    try:
        async with page.ctx.tx.transaction():
            article = await change
    except Conflict:
        return await show_article(page, CONFLICT, conflict=outcome)
    path = f"articles/{article.id}"
    sentence = " ".join((f"“{article.title}” is {outcome}.", *page.ctx.warnings))
    return page.leave(path, Notice(sentence, undo and page.path(f"{path}/{undo}")))


@router.get("delete", Role.EDITOR)
async def ask_whether_to_delete(page: BotPage) -> Response:
    """The question as a separate page, for browsers without scripts."""
    overview = await actions.get_article_overview(page.ctx, page.param("id"))
    return await page.show("content/delete_article.html", overview=overview)


@router.post("delete", Role.EDITOR)
async def delete(page: BotPage) -> Response:
    overview = await actions.get_article_overview(page.ctx, page.param("id"))
    await actions.delete_article(page.ctx, overview.id)
    undo = page.path(f"articles/{overview.id}/restore")
    return page.leave("articles", Notice(deletion_sentence(page, overview), undo))


def deletion_sentence(page: BotPage, overview: ArticleOverview) -> str:
    count = len(overview.translations)
    others = f" with {count} translation{'s' if count > 1 else ''}" if count else ""
    return " ".join((f"Moved “{overview.title}”{others} to Recently deleted.", *page.ctx.warnings))


@router.post("restore", Role.EDITOR)
async def restore(page: BotPage) -> Response:
    article = await actions.restore_article(page.ctx, page.param("id"))
    return page.leave(f"articles/{article.id}", f"Restored “{article.title}” as a draft.")


@router.post("questions", Role.EDITOR)
async def add_question(page: BotPage) -> Response:
    """Add a golden question; a refused one stays in the field."""
    typed = {name: page.form.get(name, "") for name in ("question", "section", "says")}
    article = await actions.get_article(page.ctx, page.param("id"))
    try:
        async with page.ctx.tx.transaction():
            await add_golden_question(
                page.ctx, typed["question"], article.id, typed["section"], typed["says"]
            )
    except (InvalidRequest, InvalidState) as error:
        errors = errors_by_field(error) or {"question": error.message}
        return await show_article(page, error.status, golden_typed=typed, golden_errors=errors)
    return page.leave(f"articles/{article.id}#golden", "Golden question added.")


@router.post("questions/{question_id}/remove", Role.EDITOR)
async def remove_question(page: BotPage) -> Response:
    article = await actions.get_article(page.ctx, page.param("id"))
    questions = await list_golden_questions_of(page.ctx, article.id)
    question_id = page.param("question_id")
    if question_id not in {question.id for question in questions}:
        raise NotFound("This article has no such golden question.")
    await remove_golden_question(page.ctx, question_id)
    return page.leave(f"articles/{article.id}#golden", "Golden question removed.")

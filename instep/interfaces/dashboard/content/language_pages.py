"""The languages of all articles: up to date, outdated, missing, or waiting for review.

The second page has articles translated: the numbers and the cost first, then a draft for each.
"""

from urllib.parse import urlencode

from starlette.responses import Response

from instep.accounts.language_model.choosing import models_of
from instep.content.articles.actions import count_articles, list_article_overviews
from instep.content.articles.schemas import OverviewCriteria
from instep.drafting.translations.actions import count_coverage, list_coverage
from instep.drafting.translations.missing_translations import (
    count_waiting,
    plan_translations,
    translate_articles,
)
from instep.drafting.translations.schemas import ArticlesToTranslate, TranslationPlan
from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.content.collection_tree import NO_COLLECTION, read_tree
from instep.interfaces.dashboard.offered_languages import LANGUAGES, name_with_code
from instep.platform.core.errors import InvalidRequest
from instep.platform.identity.scopes import Role
from instep.platform.text.characters import quantity
from instep.platform.web.errors import body_from

PATH = "articles/languages"
router = PageRouter("articles")
FIELDS = ("locale", "articleId", "collectionId")


@router.get("languages")
async def show_coverage(page: BotPage) -> Response:
    chosen = page.query.get("collection") or None
    collection_id = "" if chosen == NO_COLLECTION else chosen
    articles = await list_article_overviews(
        page.ctx, OverviewCriteria(collection_id=collection_id), page.rows_at_cursor()
    )
    cursor = {"collection": chosen or "", "cursor": articles.next_cursor or ""}
    return await page.show(
        "content/coverage.html",
        articles=articles.rows,
        next_page=articles.next_cursor and f"{PATH}?{urlencode(cursor)}",
        tree=await read_tree(page, await count_articles(page.ctx)),
        collection=chosen or "",
        languages=await count_coverage(page.ctx, collection_id),
        coverage=await list_coverage(page.ctx, [article.id for article in articles.rows]),
        waiting=await count_waiting(page.ctx),
        is_continued="cursor" in page.query,
        here=f"/app/{page.ctx.bot.slug}/{PATH}",
    )


@router.get("translate", Role.EDITOR)
async def ask_what_to_translate(page: BotPage) -> Response:
    """The form; with a language also the numbers of articles, and the estimated tokens and cost."""
    if not page.query.get("locale"):
        return await translate_page(page)
    models = models_of(page.request.app.state)
    try:
        return await translate_page(page, await plan_translations(page.ctx, models, selection_of(page.query)))
    except InvalidRequest as error:
        return await translate_page(page, refusal=error)


@router.post("translate", Role.EDITOR)
async def have_translated(page: BotPage) -> Response:
    models = models_of(page.request.app.state)
    plan = await translate_articles(page.ctx, models, selection_of(page.form))
    items = quantity(len(plan.article_ids), "draft" if plan.model else "place")
    verb = "follows" if len(plan.article_ids) == 1 else "follow"
    return page.leave(PATH, f"{items} into {name_with_code(plan.locale)} {verb} in Review.")


def selection_of(fields: dict[str, str]) -> ArticlesToTranslate:
    """The request of a query or form; empty fields are left out."""
    return body_from(ArticlesToTranslate, {name: fields[name] for name in FIELDS if fields.get(name)})


async def translate_page(
    page: BotPage, plan: TranslationPlan | None = None, refusal: InvalidRequest | None = None
) -> Response:
    tree = await read_tree(page, await count_articles(page.ctx))
    codes = dict.fromkeys([*tree.locales, *(code for code, _ in LANGUAGES)])
    return await page.show(
        "content/translate.html",
        refusal.status if refusal else 200,
        plan=plan,
        refusal=refusal.message if refusal else None,
        chosen={name: page.query.get(name, "") for name in FIELDS},
        offered=[(code, name_with_code(code)) for code in codes],
        tree=tree,
    )

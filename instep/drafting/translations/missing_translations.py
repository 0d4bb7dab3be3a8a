"""Finds articles without a translation, estimates what a model needs for them, and schedules their jobs."""

from dataclasses import replace

from instep.accounts.language_model.choosing import NOTHING_SET, LanguageModels
from instep.accounts.language_model.queries import find_setting
from instep.content.articles.texts import find_article
from instep.content.collections.actions import referenced_id
from instep.drafting.translations import queries
from instep.drafting.translations.schemas import ArticlesToTranslate, TranslationPlan
from instep.drafting.writer.translating.usage_estimate import estimated_tokens
from instep.platform.core import limits
from instep.platform.core.jobs import defer
from instep.platform.identity.access import proposes
from instep.platform.identity.schemas import Ctx

TRANSLATE_ARTICLE = "translate_article"


async def plan_translations(ctx: Ctx, models: LanguageModels, wanted: ArticlesToTranslate) -> TranslationPlan:
    """Find the published articles without a translation into a language, and estimate the model's work."""
    sent = wanted.model_dump()
    article_id = (await find_article(ctx, sent["article_id"])).id if sent.get("article_id") else None
    collection_id = await referenced_id(ctx, sent.get("collection_id"), "collectionId")
    rows = await queries.list_translatable(ctx, TRANSLATE_ARTICLE, wanted.locale, article_id, collection_id)
    missing = [row for row in rows if row.state == "missing"]
    chosen = missing[: limits.MAX_ARTICLES_TO_TRANSLATE]
    setting = await find_setting(ctx) or NOTHING_SET
    model = models.model_of(ctx, setting, setting.model) if "translations" in setting.purposes else None
    tokens = estimated_tokens(row.bytes for row in chosen)
    return TranslationPlan(
        wanted.locale,
        [row.id for row in chosen],
        translated=sum(row.state == "translated" for row in rows),
        waiting=sum(row.state == "waiting" for row in rows),
        left=len(missing) - len(chosen),
        model=model.name if model else None,
        use=setting.prices.use(*tokens) if model else None,
    )


@proposes
async def translate_articles(
    ctx: Ctx, models: LanguageModels, wanted: ArticlesToTranslate
) -> TranslationPlan:
    """Translate an article, a collection or all published articles into a language: each becomes a draft.

    Articles with a translation, or with a draft of one, are skipped, and so are those that wait for their
    translation. `dryRun` schedules nothing. Without a language model for translations, each article gets a
    place instead.
    """
    plan = await plan_translations(ctx, models, wanted)
    if wanted.dry_run is True:
        return plan
    until = (ctx.now + limits.MAX_TRANSLATION_WAIT).isoformat()
    common = {"workspace": ctx.bot.workspace_id, "bot": str(ctx.bot.id), "locale": wanted.locale}
    for id in plan.article_ids:
        payload = {**common, "article": id, "until": until}
        await defer(ctx.tx, TRANSLATE_ARTICLE, payload, dedupe=f"{id} {wanted.locale}")
    return replace(plan, waiting=plan.waiting + len(plan.article_ids))


async def count_waiting(ctx: Ctx) -> dict[str, int]:
    """Count the articles that wait for their translation, by language."""
    return {row.locale: row.count for row in await queries.count_waiting(ctx, TRANSLATE_ARTICLE)}

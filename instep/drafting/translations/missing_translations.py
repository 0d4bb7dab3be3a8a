"""Finds articles without a translation, estimates what a model needs for them, and schedules their jobs."""

from collections.abc import Iterable
from dataclasses import replace
from math import ceil

from instep.accounts.language_model.choosing import LanguageModels
from instep.content.articles.texts import referenced_article
from instep.content.collections.actions import referenced_id
from instep.drafting.translations import queries
from instep.drafting.translations.schemas import ArticlesToTranslate, TranslationPlan
from instep.platform.core import limits
from instep.platform.core.jobs import defer
from instep.platform.identity.access import proposes
from instep.platform.identity.schemas import Ctx
from instep.platform.llm.protocol import tokens_of_bytes

TRANSLATE_ARTICLE = "translate_article"
# The instructions and the form of the reply in each prompt.
_PROMPT_TOKENS = 700
# A translation is often longer than its original, and a reply is JSON.
_GROWTH = 1.3


async def plan_translations(
    ctx: Ctx, models: LanguageModels, selection: ArticlesToTranslate
) -> TranslationPlan:
    """Find the published articles without a translation into a language, and estimate the model's work."""
    sent, locale = selection.model_dump(), selection.locale
    article_ref = sent.get("article_id")
    article_id = (await referenced_article(ctx, article_ref, "articleId")).id if article_ref else None
    collection_id = await referenced_id(ctx, sent.get("collection_id"), "collectionId")
    rows = await queries.list_translatable(
        ctx, TRANSLATE_ARTICLE, selection.locale, article_id, collection_id
    )
    missing = [row for row in rows if row.state == "missing"]
    chosen = missing[: limits.MAX_ARTICLES_TO_TRANSLATE]
    name, prices = await models.priced(ctx, "translations")
    tokens = _estimated_tokens(row.bytes for row in chosen)
    return TranslationPlan(
        locale,
        [row.id for row in chosen],
        translated=sum(row.state == "translated" for row in rows),
        waiting=sum(row.state == "waiting" for row in rows),
        left=len(missing) - len(chosen),
        model=name,
        use=prices.use(*tokens) if name else None,
    )


@proposes
async def translate_articles(
    ctx: Ctx, models: LanguageModels, selection: ArticlesToTranslate
) -> TranslationPlan:
    """Translate an article, a collection or all published articles into a language: each becomes a draft.

    Articles with a translation, or with a draft of one, are skipped, and so are those that wait for their
    translation. After a refusal of the model's text, only a request for this one article repeats it.
    `dryRun` schedules nothing. Without a language model for translations, each article gets a place instead.
    """
    plan = await plan_translations(ctx, models, selection)
    if selection.dry_run is True:
        return plan
    until = (ctx.now + limits.MAX_TRANSLATION_DELAY).isoformat()
    common = {"workspace": ctx.bot.workspace_id, "bot": str(ctx.bot.id), "locale": selection.locale}
    for id in plan.article_ids:
        payload = {**common, "article": id, "until": until}
        await defer(ctx.tx, TRANSLATE_ARTICLE, payload, dedupe=f"{id} {selection.locale}")
    return replace(plan, waiting=plan.waiting + len(plan.article_ids))


async def count_waiting(ctx: Ctx) -> dict[str, int]:
    """Count the articles that wait for their translation, by language."""
    return {row.locale: row.count for row in await queries.count_waiting(ctx, TRANSLATE_ARTICLE)}


def _estimated_tokens(sizes: Iterable[int]) -> tuple[int, int]:
    """The input and output tokens for articles of these sizes in bytes."""
    input_tokens = output_tokens = 0
    for size in sizes:
        tokens = tokens_of_bytes(size)
        context = tokens_of_bytes(min(size, limits.MAX_TRANSLATION_CONTEXT_CHARACTERS))
        prompts = ceil(tokens / limits.MAX_TRANSLATED_TOKENS)
        input_tokens += tokens + prompts * (_PROMPT_TOKENS + context)
        output_tokens += ceil(tokens * _GROWTH)
    return input_tokens, output_tokens

"""The job after an original has changed: each of its translations gets a draft or a place."""

from dataclasses import replace
from functools import partial

from instep.accounts.language_model.choosing import NO_MODELS, LanguageModels
from instep.content.articles.following import FOLLOW_TRANSLATIONS
from instep.content.articles.texts import find_article
from instep.content.style.actions import find_style
from instep.drafting.places.actions import settle_written_place
from instep.drafting.translations import queries
from instep.drafting.translations.actions import compare_with_root, read_followed_texts
from instep.drafting.translations.change_storing import store_following
from instep.drafting.translations.schemas import FollowedTexts, Following, RootChanges
from instep.drafting.writer.translating.translation_step import TranslationRefused, translate_change
from instep.platform.core import limits
from instep.platform.core.database import Database
from instep.platform.core.errors import NotFound, PlanInactive
from instep.platform.core.jobs import Job, defer
from instep.platform.core.restarts import restartable
from instep.platform.identity.access import refuse_paused
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Actor, Ctx
from instep.platform.llm.budget import Enter
from instep.platform.llm.protocol import CompletionError

WITHOUT_OLD_TEXT = "The text that it was made from is not stored, so compare the whole text."
TRANSLATOR = Actor("task", "Instep", can_write=True, channel="job")


async def follow_translations(database: Database, job: Job, models: LanguageModels = NO_MODELS) -> None:
    """Compare the translations of an article with its published text; nothing goes live by itself.

    The places of translations that people have brought up to date are resolved, also if the article is one.
    """
    enter = partial(job_context, database, job.payload, TRANSLATOR)
    try:
        async with enter() as ctx:
            await refuse_paused(ctx)
            await _resolve_covered(ctx, job.payload["article"])
            ids = await queries.list_behind(ctx, job.payload["article"])
        for translation_id in ids:
            await _follow(enter, models, translation_id)
    except PlanInactive:
        async with enter() as ctx:
            run_at = ctx.now + limits.PAUSED_TASK_RETRY_DELAY
            await defer(
                ctx.tx, FOLLOW_TRANSLATIONS, job.payload, run_at=run_at, dedupe=job.payload["article"]
            )


async def _resolve_covered(ctx: Ctx, article_id: str) -> None:
    if place_ids := await queries.list_covered_places(ctx, article_id):
        async with ctx.tx.transaction():
            for place_id in place_ids:
                await settle_written_place(ctx, place_id)


async def _follow(enter: Enter, models: LanguageModels, translation_id: str) -> None:
    try:
        async with enter() as ctx:
            texts = await read_followed_texts(ctx, translation_id)
            if await queries.is_known(ctx, translation_id, texts.statement.key):
                return
    except NotFound:
        return
    changes = await compare_with_root(texts)
    if texts.is_old_text_lost:
        following = Following(texts, changes, refusal=WITHOUT_OLD_TEXT)
    else:
        following = await _translated(enter, models, texts, changes)

    async def store() -> None:
        async with enter() as ctx, ctx.tx.transaction():
            await refuse_paused(ctx)
            if await _is_unchanged(ctx, texts):
                await store_following(ctx, following)

    await restartable(store)


async def _translated(
    enter: Enter, models: LanguageModels, texts: FollowedTexts, changes: RootChanges
) -> Following:
    if not changes.is_aligned:
        reason = "The translation does not have the blocks that the original had, so compare the whole text."
        return Following(texts, changes, refusal=reason)
    chosen = await models.choose(enter, "translations", texts.work_id)
    model, name = (chosen.model, chosen.model.name) if chosen else (None, None)
    async with enter() as ctx:
        help_url, style = ctx.bot.help_url, await find_style(ctx)
    kept_terms = tuple(term.term for term in style.terms if term.do_not_translate)
    try:
        written = await translate_change(model, replace(texts.change, kept_terms=kept_terms), help_url)
    except TranslationRefused as error:
        return Following(texts, changes, refusal=f"The new translation was left out: {error.message}.")
    except CompletionError as error:
        reason = f"The model {name} did not translate it: {error.message}" if name else ""
        return Following(texts, changes, refusal=reason)
    return Following(texts, changes, written, model_name=name)


async def _is_unchanged(ctx: Ctx, texts: FollowedTexts) -> bool:
    """True if both texts are still as they were read; their locks keep them so."""
    try:
        articles = [
            await find_article(ctx, article.id, lock=True) for article in (texts.root, texts.translation)
        ]
    except NotFound:
        return False
    return [article.version for article in articles] == [texts.root.version, texts.translation.version]

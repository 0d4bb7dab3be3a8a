"""The job that translates an article: the translation becomes a draft, or a place says why not."""

from dataclasses import replace
from datetime import datetime
from functools import partial

from instep.accounts.language_model.choosing import NO_MODELS, LanguageModels
from instep.content.articles.schemas import Article
from instep.content.articles.texts import find_article
from instep.content.style.actions import find_style
from instep.drafting.drafts.actions import queue_new_article
from instep.drafting.drafts.proposals import NewArticle
from instep.drafting.places.schemas import NewPlace, PlaceSource
from instep.drafting.places.storing import store_places
from instep.drafting.tasks.checks import begin_unsent_task, end_unsent_task
from instep.drafting.translations.change_storing import UNREAD
from instep.drafting.translations.jobs import TRANSLATOR
from instep.drafting.translations.schemas import MissingTranslation, writer_article
from instep.drafting.writer.shapes import Article as WriterArticle
from instep.drafting.writer.translating.translation_step import (
    RootChange,
    TitledMarkdown,
    TranslationRefused,
    translate_change,
)
from instep.platform.core import limits
from instep.platform.core.clock import utc_now
from instep.platform.core.config import settings
from instep.platform.core.database import Database
from instep.platform.core.errors import InvalidRequest, NotFound, PlanInactive
from instep.platform.core.jobs import Job, Postponed
from instep.platform.core.restarts import restartable
from instep.platform.identity.access import refuse_paused
from instep.platform.identity.job_context import job_context
from instep.platform.identity.schemas import Ctx
from instep.platform.llm.budget import Enter
from instep.platform.llm.protocol import CompletionError, PromptRejected
from instep.platform.llm.work_prompts import end_work

# The original before a translation's first version.
NOTHING = TitledMarkdown("", "")


async def translate_article(database: Database, job: Job, models: LanguageModels = NO_MODELS) -> None:
    """Translate a published article. After a crash it runs again, with the completions that it has paid for.

    It waits while the workspace is paused, while the model's budget of the day is used up, and after a
    failure of the model.
    """
    enter, locale = partial(job_context, database, job.payload, TRANSLATOR), job.payload["locale"]
    may_wait = utc_now() < datetime.fromisoformat(job.payload["until"])
    try:
        async with enter() as ctx:
            await refuse_paused(ctx)
            root = await find_article(ctx, job.payload["article"])
        if not is_missing(root, locale):
            return
        missing = await _translated(enter, models, MissingTranslation(root, locale), may_wait=may_wait)
        await restartable(partial(_store_if_unchanged, enter, missing))
    except NotFound:
        return
    except PlanInactive:
        raise Postponed(limits.PAUSED_TASK_RETRY_DELAY) from None


def is_missing(root: Article, locale: str) -> bool:
    """True if an article is live and has no translation into the language."""
    return root.is_live and locale not in {root.locale, *(row["locale"] for row in root.translations)}


async def _translated(
    enter: Enter, models: LanguageModels, missing: MissingTranslation, *, may_wait: bool
) -> MissingTranslation:
    root = missing.root
    chosen = await models.choose(enter, "translations", missing.work_id)
    if chosen is None:
        return missing
    async with enter() as ctx:
        help_url, style = ctx.bot.help_url, await find_style(ctx)
    kept_terms = tuple(term.term for term in style.terms if term.do_not_translate)
    present = WriterArticle(root.id, "", "", locale=missing.locale)
    change = RootChange(NOTHING, writer_article(root), present, kept_terms, root.description or "")
    name = chosen.model.name
    try:
        written = await translate_change(chosen.model, change, help_url)
    except TranslationRefused as error:
        return replace(missing, refusal=f"The translation by {name} was left out: {error.message}.")
    except CompletionError as error:
        if may_wait and not isinstance(error, PromptRejected):
            raise Postponed(limits.MODEL_RETRY_DELAY) from None
        return replace(missing, refusal=f"The model {name} did not translate it: {error.message}")
    return replace(missing, written=written, model_name=name)


async def _store_if_unchanged(enter: Enter, missing: MissingTranslation) -> None:
    """Queue the translation, unless there is one meanwhile; a changed original is translated again."""
    async with enter() as ctx, ctx.tx.transaction():
        await refuse_paused(ctx)
        root = await find_article(ctx, missing.root.id, lock=True)
        if not is_missing(root, missing.locale):
            await end_work(ctx, missing.work_id)
        elif root.version != missing.root.version:
            raise Postponed(limits.TRANSLATION_DELAY)
        else:
            await _store(ctx, missing)


async def _store(ctx: Ctx, missing: MissingTranslation) -> None:
    """Queue a draft, or else a place in the original, as a task that has ended."""
    root = missing.root
    # Each language has its own URL, so that it replaces no draft or place of another language.
    url = f"{settings().base_url}/app/{ctx.bot.slug}/articles/{root.id}/translations?into={missing.locale}"
    source = PlaceSource("translation", root.title, url)
    task_id = await begin_unsent_task(ctx, source)
    refusal, draft_id = missing.refusal, None
    if missing.written is not None:
        try:
            async with ctx.tx.transaction():
                draft_id = await queue_new_article(ctx, _new_article(missing, missing.written, task_id, url))
        except InvalidRequest as error:
            refusal = f"The translation can't be an article: {error.message}"
    summary = missing.reason if draft_id else f"{missing.reason} {refusal}".rstrip()
    place = NewPlace(root.id, None, 1, summary, (), missing.statement.key, missing.statement.summary)
    await store_places(ctx, task_id, source, [] if draft_id else [place], [root.id])
    use = await end_work(ctx, missing.work_id)
    await end_unsent_task(ctx, task_id, "drafts" if draft_id else "places", summary, UNREAD, use)
    await ctx.stamp_at_commit()


def _new_article(missing: MissingTranslation, written: TitledMarkdown, task_id: str, url: str) -> NewArticle:
    return NewArticle(
        title=written.title,
        content=written.text,
        description=written.description or None,
        collection_id=missing.root.collection_id,
        locale=missing.locale,
        original=missing.root,
        reason=missing.reason,
        source_url=url,
        task_id=task_id,
        certainty="likely",
        statements=(missing.statement,),
        model=missing.model_name,
    )

"""Stores what follows from a change of an original, as a task without a sender: a draft, or a place."""

from instep.content.articles.texts import follow_version
from instep.drafting.drafts.proposals import EditProposal
from instep.drafting.drafts.renewing import queue_edit_of_task
from instep.drafting.drafts.withdrawal import settle_dropped
from instep.drafting.places.schemas import NewPlace, PlaceSource
from instep.drafting.places.storing import store_only_place
from instep.drafting.tasks.checks import begin_unsent_task, end_unsent_task
from instep.drafting.tasks.schemas import Outcome
from instep.drafting.translations.schemas import Following
from instep.drafting.writer.translating.translation_step import TitledMarkdown
from instep.platform.core.config import settings
from instep.platform.identity.schemas import Ctx
from instep.platform.llm.work_prompts import end_work
from instep.platform.text.characters import quantity

# The task has read one article, so it is no comparison of the help center with a change.
UNREAD = 1
WITH_MODEL = "Only the parts that changed were translated, by {name}: compare them with the original."
WITHOUT_WORDS = "Only code and numbers have changed, so they were copied."


async def store_following(ctx: Ctx, following: Following) -> None:
    """Queue the translation's new text or else a place, which replaces the one of an earlier change."""
    texts = following.texts
    if following.is_covered:
        await follow_version(ctx, texts.translation.id, texts.root.version)
        await end_work(ctx, texts.work_id)
        return
    url = f"{settings().base_url}/app/{ctx.bot.slug}/articles/{texts.root.id}/history"
    source = PlaceSource("translation", texts.root.title, url)
    task_id = await begin_unsent_task(ctx, source)
    outcome: Outcome = "places"
    place = None if following.written else _new_place(following)
    await store_only_place(ctx, texts.translation.id, task_id, source, place)
    if written := following.written:
        outcome = "drafts"
        await queue_edit_of_task(ctx, texts.translation.id, _edit_of(following, written, task_id, url))
    else:
        await settle_dropped(ctx, url, task_id, [texts.translation.id], is_repeatable=True)
    use = await end_work(ctx, texts.work_id)
    await end_unsent_task(ctx, task_id, outcome, _reason_of(following), UNREAD, use)
    await ctx.stamp_at_commit()


def _reason_of(following: Following) -> str:
    root, count = following.texts.root, len(following.changes.blocks)
    passages = f" in {quantity(count, 'passage')}" if count else ""
    sentence = f"The original “{root.title}” has changed{passages} since this translation was made."
    if not following.written:
        return f"{sentence} {following.refusal}".rstrip()
    name = following.model_name
    return f"{sentence} {WITH_MODEL.format(name=name) if name else WITHOUT_WORDS}"


def _edit_of(following: Following, written: TitledMarkdown, task_id: str, url: str) -> EditProposal:
    article = following.texts.translation
    return EditProposal(
        content=written.text,
        base_version=article.version,
        base_title=article.title,
        base_content=article.content,
        title=written.title if written.title != article.title else None,
        reason=_reason_of(following),
        source_url=url,
        task_id=task_id,
        certainty="likely",
        statements=(following.texts.statement,),
        model=following.model_name,
    )


def _new_place(following: Following) -> NewPlace:
    texts, changes = following.texts, following.changes
    return NewPlace(
        texts.translation.id,
        None,
        changes.line,
        _reason_of(following),
        changes.evidence(f"{texts.root.slug}.md"),
        texts.statement.key,
        texts.statement.summary,
    )

"""Tasks without a sender, for changes that Instep finds itself: drift checks and changes of originals."""

from collections.abc import Mapping, Sequence

from psycopg.types.json import Jsonb

from instep.content.articles.schemas import Article
from instep.content.product_versions.schemas import ProductVersion
from instep.drafting import writer
from instep.drafting.drafts.actions import queue_edit
from instep.drafting.drafts.assignment import ask_assignees
from instep.drafting.drafts.schemas import TitledText
from instep.drafting.places.schemas import PlaceSource
from instep.drafting.places.storing import store_places
from instep.drafting.tasks import queries
from instep.drafting.tasks.actions import run_soon
from instep.drafting.tasks.jobs import texts_of
from instep.drafting.tasks.queries import TaskInput
from instep.drafting.tasks.reports import edit_of, new_place
from instep.drafting.tasks.schemas import Outcome
from instep.platform.core import limits
from instep.platform.core.errors import RateLimited
from instep.platform.core.ids import new_id
from instep.platform.core.rate_window import count_hit
from instep.platform.identity.schemas import Ctx
from instep.platform.llm.work_prompts import WorkUse
from instep.platform.text.characters import shorten


def checked_texts(articles: Mapping[str, Article], ctx: Ctx) -> list[writer.Article]:
    """The articles as the writer reads them."""
    return texts_of(dict(articles), ctx.bot)


async def count_check(ctx: Ctx) -> None:
    """Refuse a caller that has made too many checks of this hour."""
    window = await count_hit(ctx.tx, "drift", await queries.creator_of(ctx), limits.HOUR_SECONDS)
    if window.hits > limits.MAX_DRIFT_CHECKS_PER_HOUR:
        raise RateLimited(
            f"This caller has used up its {limits.MAX_DRIFT_CHECKS_PER_HOUR} drift checks of this hour: wait"
            " as long as `Retry-After` says.",
            headers={"Retry-After": str(window.seconds_left)},
        )


def check_title(commit: str) -> str:
    """The title of a check against a commit, under which the queue shows its drafts and places."""
    return f"Check against {commit[:9]}"


async def record_check(
    ctx: Ctx,
    commit: str,
    articles: Mapping[str, Article],
    proposals: Sequence[writer.Proposal],
    places: Sequence[writer.Place],
    part_count: int,
    version: ProductVersion | None,
) -> None:
    """Record a check as a task that has ended, and put its drafts and places into the review queue.

    `part_count` of the places are about statements in parts.
    """
    title = check_title(commit)
    task_id = await begin_unsent_task(ctx, PlaceSource("drift", title, None), version, title)
    for proposal in proposals:
        article = articles[str(proposal.article_id)]
        base, work = TitledText(article.title, article.content), TaskInput(title, None, None, None, None)
        await queue_edit(ctx, article.id, edit_of(proposal, base, article.version, work, task_id, None))
    await store_places(ctx, task_id, PlaceSource("drift", title, None), list(map(new_place, places)), ())
    outcome: Outcome = "drafts" if proposals else "places"
    summary = _summary(len(proposals), len(places) - part_count, part_count)
    await end_unsent_task(ctx, task_id, outcome, summary)


async def begin_unsent_task(
    ctx: Ctx, source: PlaceSource, version: ProductVersion | None = None, bundle: str | None = None
) -> str:
    """Record a task for this source and version of the product, None for all; and return its id."""
    task_id = new_id("task")
    change = {"change_kind": source.kind, "change_title": source.title, "change_url": source.url}
    version_id = None if version is None else version.id
    await queries.insert(
        ctx, task_id, {"type": "document_change", "version_id": version_id, "bundle": bundle, **change}
    )
    return task_id


async def begin_reading_task(
    ctx: Ctx, title: str, commit: str, code: str, context: Jsonb, version: ProductVersion | None
) -> None:
    """Have a language model compare an article with code, as soon as a worker is free.

    `code` is a diff in which no line has changed; `context` names the article.
    """
    task_id, short = new_id("task"), commit[:9]
    row = {
        "type": "document_change",
        "change_kind": "drift",
        "change_title": shorten(f"“{title}” against {short}", limits.MAX_TITLE_CHARACTERS),
        "bundle": check_title(commit),
        "diff": code,
        "context": context,
        "version_id": None if version is None else version.id,
    }
    await queries.insert(ctx, task_id, row)
    await run_soon(ctx, task_id)


async def end_unsent_task(
    ctx: Ctx, task_id: str, outcome: Outcome, summary: str, unread: int = 0, use: WorkUse | None = None
) -> None:
    """Complete such a task, and notify the people who are asked about its drafts and places."""
    await ask_assignees(ctx, task_id)
    await queries.complete(ctx, task_id, outcome, summary, [], unread)
    await queries.set_model(ctx, task_id, use)


def _summary(draft_count: int, gone_count: int, part_count: int) -> str:
    drafts = "1 article states" if draft_count == 1 else f"{draft_count} articles state"
    names = "1 name is" if gone_count == 1 else f"{gone_count} names are"
    parts = "1 statement" if part_count == 1 else f"{part_count} statements"
    in_parts = f" {parts} in parts must change." if part_count else ""
    return f"{drafts} what the code has replaced. {names} gone from the code.{in_parts}"

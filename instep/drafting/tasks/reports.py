"""Stores the writer's report: this ends the task, and each proposal becomes a draft."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from instep.content.articles.schemas import Article
from instep.content.collections.actions import find_collection_id
from instep.content.product_versions.actions import get_product_version, lock_existing_versions
from instep.drafting import writer
from instep.drafting.drafts.actions import queue_new_article
from instep.drafting.drafts.assignment import ask_assignees
from instep.drafting.drafts.proposals import EditProposal, NewArticle, Statement
from instep.drafting.drafts.renewing import QueuedEdit, Renewal, queue_edit_of_task
from instep.drafting.drafts.schemas import Certainty, EvidenceOut, TitledText
from instep.drafting.drafts.suppression import is_suppressed
from instep.drafting.drafts.withdrawal import dismiss_reverted, settle_dropped, warn_of
from instep.drafting.places.schemas import NewPlace, PlaceSource
from instep.drafting.places.storing import dismiss_reverted_places, store_places
from instep.drafting.tasks import queries
from instep.drafting.tasks.actions import find_task
from instep.drafting.tasks.outlook import LaterEdit, Outlook
from instep.drafting.tasks.queries import TaskInput
from instep.drafting.tasks.reverts import reverted_change
from instep.drafting.tasks.schemas import Outcome, Task, task_out
from instep.drafting.tasks.split_articles import find_split_articles
from instep.notifications.webhooks.emit import emit
from instep.platform.core.errors import InvalidRequest, NotFound
from instep.platform.core.sandbox import TimeLimitExceeded
from instep.platform.identity.schemas import Ctx
from instep.platform.llm.work_prompts import end_work


@dataclass(frozen=True, slots=True)
class ModelPart:
    """A language model's part in a report: its name, and the report without it."""

    name: str
    report_without: writer.Report

    def has_written(self, proposal: writer.Proposal) -> bool:
        return not any(
            (other.article_id, other.title, other.text)
            == (proposal.article_id, proposal.title, proposal.text)
            for other in self.report_without.proposals
        )


async def write_report(
    ctx: Ctx,
    task_id: str,
    work: TaskInput,
    report: writer.Report,
    articles: dict[str, Article],
    unread_count: int,
    outlook: Outlook,
    *,
    model_part: ModelPart | None,
) -> None:
    """End a task: store its proposals as drafts, and its verdicts and summary.

    `articles` are those that were read, by id; `unread_count` is the number of the others. `outlook` is
    the effect of the change on pending drafts.
    """
    # Before any article is locked, as everywhere.
    await lock_existing_versions(ctx)
    # If two workers run the task, the second waits here and then finds that the task has ended.
    task = await queries.lock_unended(ctx, task_id)
    if task is None:
        return
    split = await find_split_articles(ctx, work, articles)
    articles, report = split.of_articles(articles), split.of_report(report)
    outlook = split.of_outlook(outlook)
    model_part = model_part and replace(model_part, report_without=split.of_report(model_part.report_without))
    await queries.insert_gone_names(ctx, work.change_title or "", report.stale_mentions)
    proposals = [row for row in report.proposals if not await is_held_back(ctx, row.article_id, row)]
    live_edits = {row.article_id: row for row in proposals if row.article_id is not None}
    edited_ids = sorted({*live_edits, *outlook.edits})
    queued = [
        await queue_edit(
            ctx, task_id, work, articles, model_part, id, live_edits.get(id), outlook.edits.get(id, ())
        )
        for id in edited_ids
    ]
    queued += [
        await queue_new(ctx, task_id, work, row, model_part, articles)
        for row in proposals
        if row.article_id is None
    ]
    for draft_id, warning in outlook.warnings.items():
        await warn_of(ctx, draft_id, warning)
    reverted = reverted_change(work.change_title or "", work.change_body, work.source_url)
    if reverted:
        await dismiss_reverted(ctx, reverted.title, reverted.url_patterns, task_id)
        await dismiss_reverted_places(ctx, reverted.title, reverted.url_patterns, work.version_id)
    is_repeatable = model_part is None
    has_places = await queue_places(ctx, task, work, report, articles, is_repeatable=is_repeatable)
    others = [article_id for article_id in articles if article_id not in edited_ids]
    sentences = [
        *(sentence for row in queued for sentence in row.sentences),
        *await settle_earlier(ctx, task_id, work, others, is_repeatable=is_repeatable),
    ]
    outcome: Outcome = "places" if has_places else "no_changes"
    outcome = "drafts" if any(row.draft_id for row in queued) else outcome
    summary = " ".join([report.summary, *sentences])
    titles = {id: article.title for id, article in articles.items()} | outlook.titles
    verdicts = {row.article_id: row for row in report.reviewed} | outlook.verdicts
    reviewed = [verdict_row(verdict, titles[verdict.article_id]) for verdict in verdicts.values()]
    await queries.complete(ctx, task_id, outcome, summary, reviewed, unread_count)
    await queries.set_model(ctx, task_id, await end_work(ctx, task_id))
    # A later change may already have been compared, and pages may show its time.
    await ctx.stamp_at_commit()
    await ask_assignees(ctx, task_id)
    await emit_end(ctx, task)


def verdict_row(verdict: writer.Verdict, title: str) -> dict[str, Any]:
    return {
        "article_id": verdict.article_id,
        "title": title,
        "verdict": verdict.verdict,
        "reason": verdict.reason,
        "heading": verdict.heading,
        "evidence": [asdict(place) for place in verdict.evidence],
    }


async def queue_edit(
    ctx: Ctx,
    task_id: str,
    work: TaskInput,
    articles: Mapping[str, Article],
    model_part: ModelPart | None,
    article_id: str,
    live: writer.Proposal | None,
    later: Sequence[LaterEdit],
) -> QueuedEdit:
    """Queue the change's edit of an article: of the live text, and of the text that drafts would leave."""
    proposal = None
    if live is not None:
        article = articles[article_id]
        base = TitledText(article.title, article.content)
        model = model_part.name if model_part and model_part.has_written(live) else None
        proposal = edit_of(live, base, article.version, work, task_id, model)
    renewals = [
        Renewal(
            row.waiting,
            edit_of(row.proposal, row.waiting.base, row.waiting.base_version, work, task_id, None),
            work.change_title or "",
            row.is_contested,
        )
        for row in later
        if not await is_held_back(ctx, row.waiting.draft.article_id, row.proposal)
    ]
    if proposal is None and not renewals:
        return QueuedEdit(None)
    return await queue_edit_of_task(ctx, article_id, proposal, renewals)


async def queue_new(
    ctx: Ctx,
    task_id: str,
    work: TaskInput,
    proposal: writer.Proposal,
    model_part: ModelPart | None,
    articles: Mapping[str, Article],
) -> QueuedEdit:
    """Put a new article into the review queue."""
    model = model_part.name if model_part and model_part.has_written(proposal) else None
    neighbor = articles.get(proposal.neighbor_id or "")
    collection_id = neighbor.collection_id if neighbor else await requested_collection(ctx, work)
    new_article = new_article_of(proposal, work, task_id, model, collection_id)
    since, until = await versions_of_new(ctx, work)
    new_article = replace(new_article, since_version=since, until_version=until)
    if work.article is None:
        return await queue_unless_refused(ctx, new_article)
    # The task fails if the requested article can't be written.
    return QueuedEdit(await queue_new_article(ctx, new_article))


async def versions_of_new(ctx: Ctx, work: TaskInput) -> tuple[str | None, str | None]:
    """The bounds of a new article: the change's version and those that contain it, as for its edits."""
    if work.version_id is None:
        return None, None
    version = await get_product_version(ctx, work.version_id)
    return version.id, version.id if version.status == "older" else None


async def queue_places(
    ctx: Ctx,
    task: Task,
    work: TaskInput,
    report: writer.Report,
    articles: Collection[str],
    *,
    is_repeatable: bool,
) -> bool:
    """Put places into the review queue; return True if any of them is open.

    Places of an earlier state of the change are dismissed, unless a language model may have missed them.
    """
    if task.change_kind is None or task.change_title is None:
        return False
    new_places = [new_place(place) for place in report.places if place.article_id in articles]
    source = PlaceSource(task.change_kind, task.change_title, task.change_url)
    is_later_state = is_repeatable and work.change_url is not None and work.diff is not None
    return await store_places(ctx, task.id, source, new_places, articles if is_later_state else ())


def new_place(place: writer.Place) -> NewPlace:
    return NewPlace(
        place.article_id,
        place.heading,
        place.line,
        place.reason,
        tuple(asdict(source) for source in place.evidence),
        place.statement.key,
        place.statement.summary,
    )


async def settle_earlier(
    ctx: Ctx, task_id: str, work: TaskInput, articles: Collection[str], *, is_repeatable: bool
) -> list[str]:
    """Remove drafts that only an earlier state of the change needed from the queue; return sentences."""
    if work.change_url is None or work.diff is None:
        return []
    count = await settle_dropped(ctx, work.change_url, task_id, list(articles), is_repeatable=is_repeatable)
    if not count:
        return []
    subject = "1 draft was" if count == 1 else f"{count} drafts were"
    return [f"{subject} dismissed because only an earlier version of this change required them."]


async def queue_unless_refused(ctx: Ctx, new: NewArticle) -> QueuedEdit:
    """Put a new article into the queue; if no article can have its text, return the reason."""
    try:
        async with ctx.tx.transaction():
            return QueuedEdit(await queue_new_article(ctx, new))
    except (InvalidRequest, TimeLimitExceeded) as refusal:
        reason = refusal.message if isinstance(refusal, InvalidRequest) else "it takes too long to render."
        return QueuedEdit(None, (f"The new article “{new.title}” was not drafted: {reason}",))


async def is_held_back(ctx: Ctx, article_id: str | None, proposal: writer.Proposal) -> bool:
    """True if reviewers have dismissed all of it, also what a model proposes or was dismissed meanwhile."""
    return await is_suppressed(ctx, article_id, statements_of(proposal))


async def emit_end(ctx: Ctx, before: Task) -> None:
    """Emit the event of a task that has completed or failed."""
    after = await find_task(ctx, [ctx.bot], before.id)
    await emit(ctx, "task.completed", task_out(after), task_out(before))


def edit_of(
    proposal: writer.Proposal,
    base: TitledText,
    base_version: int,
    work: TaskInput,
    task_id: str,
    model: str | None,
) -> EditProposal:
    return EditProposal(
        content=proposal.text,
        base_version=base_version,
        base_title=base.title,
        base_content=base.content,
        title=proposal.title if proposal.title != base.title else None,
        reason=proposal.reason,
        source_url=work.source_url,
        task_id=task_id,
        evidence=evidence_of(proposal),
        warnings=proposal.warnings,
        certainty=certainty_of(proposal),
        statements=statements_of(proposal),
        model=model,
    )


def new_article_of(
    proposal: writer.Proposal, work: TaskInput, task_id: str, model: str | None, collection_id: str | None
) -> NewArticle:
    return NewArticle(
        title=proposal.title,
        content=proposal.text,
        collection_id=collection_id,
        reason=proposal.reason,
        source_url=work.source_url,
        task_id=task_id,
        evidence=evidence_of(proposal),
        warnings=proposal.warnings,
        certainty=certainty_of(proposal),
        statements=statements_of(proposal),
        model=model,
    )


async def requested_collection(ctx: Ctx, work: TaskInput) -> str | None:
    """The requested collection; None if it has been deleted since, as for its other articles."""
    collection_id = work.article["collection_id"] if work.article else None
    try:
        return await find_collection_id(ctx, collection_id, lock="key share") if collection_id else None
    except NotFound:
        return None


def certainty_of(proposal: writer.Proposal) -> Certainty:
    return "certain" if proposal.is_certain else "likely"


def statements_of(proposal: writer.Proposal) -> tuple[Statement, ...]:
    return tuple(Statement(statement.key, statement.summary) for statement in proposal.statements)


def evidence_of(proposal: writer.Proposal) -> tuple[EvidenceOut, ...]:
    return tuple(
        EvidenceOut(
            file=place.file,
            start_line=place.start_line,
            end_line=place.end_line,
            excerpt=place.excerpt,
            article_line=place.article_line,
            reason=place.reason,
        )
        for place in proposal.evidence
    )

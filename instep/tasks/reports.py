"""What becomes of the writer's report: the end of its task, and a draft for each of its proposals."""

from instep import writer
from instep.articles.schemas import Article
from instep.collections.actions import find_collection
from instep.core.errors import NotFound
from instep.drafts.actions import queue_edit_of_task, queue_new_article
from instep.drafts.schemas import EvidenceOut, NewArticle, Proposal
from instep.identity.schemas import Ctx
from instep.tasks import queries
from instep.tasks.actions import find_task
from instep.tasks.queries import TaskInput
from instep.tasks.schemas import Outcome, Task, task_out
from instep.webhooks.emit import emit


async def write_report(
    ctx: Ctx, task_id: str, work: TaskInput, report: writer.Report, articles: dict[str, Article]
) -> None:
    # Of two workers that ran the task the second waits here, and then has nothing left to end.
    running = await queries.lock_unended(ctx, task_id)
    if running is None:
        return
    reviewed = [
        {
            "article_id": verdict.article_id,
            "title": articles[verdict.article_id].title,
            "verdict": verdict.verdict,
            "reason": verdict.reason,
        }
        for verdict in report.reviewed
    ]
    outcome: Outcome = "drafts" if report.proposals else "no_changes"
    await queries.complete(ctx, task_id, outcome, report.summary, reviewed)
    await queries.keep_gone_names(ctx, work.change_title or "", report.stale_mentions)
    for proposed in report.proposals:
        if proposed.article_id is None:
            await queue_new_article(ctx, await new_article_of(ctx, proposed, work, task_id))
        else:
            article = articles[proposed.article_id]
            await queue_edit_of_task(ctx, article.id, proposal_of(proposed, article, work, task_id))
    await tell_end(ctx, running)


async def tell_end(ctx: Ctx, before: Task) -> None:
    """Emit the event of a task that has ended, whichever way."""
    ended = await find_task(ctx, [ctx.bot], before.id)
    await emit(ctx, "task.completed", task_out(ended), task_out(before))


def proposal_of(proposed: writer.Proposal, article: Article, work: TaskInput, task_id: str) -> Proposal:
    return Proposal(
        content=proposed.text,
        base_version=article.version,
        base_title=article.title,
        base_content=article.content,
        title=proposed.title if proposed.title != article.title else None,
        reason=proposed.reason,
        source_url=work.source_url,
        task_id=task_id,
        evidence=evidence_of(proposed),
        warnings=proposed.warnings,
    )


async def new_article_of(ctx: Ctx, proposed: writer.Proposal, work: TaskInput, task_id: str) -> NewArticle:
    return NewArticle(
        title=proposed.title,
        content=proposed.text,
        collection_id=await collection_left(ctx, work),
        reason=proposed.reason,
        source_url=work.source_url,
        task_id=task_id,
        evidence=evidence_of(proposed),
        warnings=proposed.warnings,
    )


async def collection_left(ctx: Ctx, work: TaskInput) -> str | None:
    """The collection that was asked for; none if it has been deleted meanwhile, as its articles have none."""
    wanted = work.article["collection_id"] if work.article else None
    try:
        return (await find_collection(ctx, wanted, lock="key share")).id if wanted else None
    except NotFound:
        return None


def evidence_of(proposed: writer.Proposal) -> tuple[EvidenceOut, ...]:
    return tuple(
        EvidenceOut(
            file=place.file,
            start_line=place.start_line,
            end_line=place.end_line,
            excerpt=place.excerpt,
            article_line=place.article_line,
        )
        for place in proposed.evidence
    )

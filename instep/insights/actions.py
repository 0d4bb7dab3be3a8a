"""What can be done with unanswered questions, and the health of articles."""

import hashlib
from bisect import bisect_right
from typing import Literal

from pydantic import MISSING

from instep.core import limits
from instep.core.errors import InvalidRequest, InvalidState, NotFound
from instep.core.jobs import defer
from instep.core.paging import Order, Page, PageRequest
from instep.identity.access import writes
from instep.identity.schemas import Ctx
from instep.identity.visitor_hash import hash_visitor
from instep.insights.health import checking
from instep.insights.health.assessment import StatusFilter, assess_articles, sort_key
from instep.insights.health.checking import Finding
from instep.insights.questions import queries
from instep.insights.questions.question_key import question_key
from instep.insights.schemas import CheckRequest, Health, Nearest, Need, UnansweredQuestion

QuestionFilter = Literal["waiting", "all", "open", "drafted", "answered", "dismissed"]
STATUSES: dict[QuestionFilter, list[str]] = {
    "waiting": ["open", "drafted"],
    "all": ["open", "drafted", "answered", "dismissed"],
}
HEALTH_ORDER = Order(("score", "article_id"), descending=False)
VISITOR_HASH_BYTES = 16
DRAFT_GAP = "draft_gap"


async def list_unanswered(ctx: Ctx, status: QuestionFilter, page: PageRequest) -> Page[UnansweredQuestion]:
    """List the questions that the published articles did not answer, most asked first.

    Questions of one meaning in one language are one row, with all of its wordings and counts: they share most
    of their words, whatever their order, endings and small words. Without `status` the list holds what still
    waits: `open` and `drafted` ones.
    Counts cover the last 180 days; a question that was not asked in that time is deleted.
    """
    return await queries.list_page(ctx, STATUSES.get(status, [status]), page)


@writes
async def dismiss_unanswered(ctx: Ctx, question_id: str) -> UnansweredQuestion:
    """Take a question out of the list, because no article is going to answer it.

    It stays dismissed when it is asked again, and its counts go on. A draft that was built from it stays in
    the review queue. A question that is dismissed already is refused with 400 `invalid_state`.
    """
    dismissed = await queries.dismiss(ctx, question_id)
    question = await queries.find(ctx, question_id)
    if question is None:
        raise NotFound("There is no such question.")
    if not dismissed:
        raise InvalidState("This question has been dismissed already.")
    return question


async def log_unanswered(ctx: Ctx, question: str, visitor: str, locale: str, nearest: list[Nearest]) -> str:
    """Count a question that the articles did not answer, under its meaning; return the id of that.

    It is not marked `@writes`, because visitors may not write and a paused workspace goes on answering. Call
    it last in a transaction: until that ends, others who log a question of the same language wait.
    """
    wording = question_key(question[: limits.MAX_QUESTION_CHARACTERS])
    terms = await queries.question_terms(ctx, wording, locale)
    await queries.lock_language(ctx, locale)
    question_id = await queries.find_same(ctx, terms, wording.marks, locale)
    if question_id is None:
        question_id = await queries.insert(ctx, wording, terms, locale)
    visitor_hash = hash_visitor(question_id, visitor)[:VISITOR_HASH_BYTES]
    articles = nearest[: limits.MAX_NEAREST_ARTICLES]
    need = await queries.count_asking(ctx, question_id, wording.text, visitor_hash, articles)
    await _defer_draft(ctx, question_id, need)
    return question_id


async def _defer_draft(ctx: Ctx, question_id: str, need: Need) -> None:
    """Have a gap drafted at once; a pending draft takes in new wordings after a delay."""
    if need is None:
        return
    payload = {"workspace": ctx.bot.workspace_id, "bot": str(ctx.bot.id), "question": question_id}
    run_at = ctx.now + limits.GAP_DRAFT_REFRESH_DELAY if need == "renewal" else None
    await defer(ctx.tx.connection, DRAFT_GAP, payload, run_at=run_at, dedupe=question_id)


async def add_note_to_gaps(ctx: Ctx, conversation_id: str) -> None:
    """Have the gap drafts of a conversation take in what its visitor then wrote to a person."""
    for question_id in await queries.list_drafted_in(ctx, conversation_id):
        await _defer_draft(ctx, question_id, "renewal")


async def list_health(ctx: Ctx, status: StatusFilter, page: PageRequest) -> Page[Health]:
    """List the articles by their health, worst first, with what is wrong with each and where.

    The list holds published articles unless `status` says otherwise. Links and anchors are checked as a
    reader's browser would follow them inside this help center; addresses elsewhere are not requested.
    """
    keyset = page.page(HEALTH_ORDER, "health", ctx.bot.id, status)
    rows = await assess_articles(ctx, status)
    start = 0 if keyset.after is None else bisect_right(rows, keyset.after, key=sort_key)
    return keyset.page_of(rows[start : start + keyset.size + 1], sort_key)


async def check_articles(ctx: Ctx, subject: CheckRequest, request: PageRequest) -> Page[Finding]:
    """Check articles, check a text that is not saved yet, or find where terms are still used."""
    if len(subject.model_fields_set) != 1:
        raise InvalidRequest("Send exactly one of `articleIds`, `contentMarkdown` and `terms`.")
    digest = hashlib.sha256(subject.model_dump_json().encode()).hexdigest()
    page = request.page(checking.ORDER, "check", ctx.bot.id, digest)
    if subject.terms is not MISSING:
        findings = await checking.find_mentions(ctx, subject.terms, page)
    elif subject.article_ids is not MISSING:
        findings = checking.after_cursor(page, await checking.check_saved(ctx, subject.article_ids))
    else:
        assert subject.content_markdown is not MISSING, "one of the three was sent"
        findings = checking.after_cursor(page, await checking.check_text(ctx, subject.content_markdown))
    return page.page_of(findings[: page.size + 1], lambda finding: finding.sort_key)

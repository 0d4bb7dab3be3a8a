"""Operations on unanswered questions, and the health of articles."""

import hashlib
from bisect import bisect_right
from dataclasses import replace
from datetime import datetime
from typing import Literal

from pydantic import MISSING

from instep.content.articles.texts import find_article
from instep.drafting.drafts.actions import find_proposed, propose_edit
from instep.drafting.drafts.schemas import DraftCreate
from instep.platform.core import limits
from instep.platform.core.errors import InvalidRequest, InvalidState, NotFound
from instep.platform.core.jobs import defer
from instep.platform.core.paging import Order, Page, PageRequest
from instep.platform.identity.access import writes
from instep.platform.identity.schemas import Ctx
from instep.platform.identity.visitor_hash import hash_visitor
from instep.visitors.insights.health import checking, link_addresses
from instep.visitors.insights.health.assessment import (
    StatusFilter,
    assess_articles,
    known_assessment,
    sort_key,
)
from instep.visitors.insights.health.checking import Finding
from instep.visitors.insights.health.kinds_of_problems import Assessment, only_with_code
from instep.visitors.insights.health.link_addresses import CorrectedText
from instep.visitors.insights.health.problems import Code, Problem
from instep.visitors.insights.questions import queries
from instep.visitors.insights.questions.question_key import question_key
from instep.visitors.insights.schemas import (
    DRAFT_GAP,
    REQUESTED,
    CheckRequest,
    Health,
    HealthReport,
    HealthSummary,
    Nearest,
    UnansweredQuestionOut,
)

QuestionFilter = Literal["waiting", "all", "open", "drafted", "answered", "dismissed"]
STATUSES: dict[QuestionFilter, list[str]] = {
    "waiting": ["open", "drafted"],
    "all": ["open", "drafted", "answered", "dismissed"],
}
HEALTH_ORDER = Order(("score", "article_id"), descending=False)
VISITOR_HASH_BYTES = 16


async def list_unanswered(
    ctx: Ctx, status: QuestionFilter, page: PageRequest, locale: str | None = None
) -> Page[UnansweredQuestionOut]:
    """List the questions that the published articles did not answer, most asked first.

    Questions with one meaning in one language are one row, with all wordings and counts: they share most
    of their words, whatever their order, endings and function words. Without `status` the list has the
    questions that still wait: `open` and `drafted` ones.
    Counts cover the last 180 days; a question that was not asked in that time is deleted.
    """
    return await queries.list_page(ctx, STATUSES.get(status, [status]), locale, page)


@writes
async def dismiss_unanswered(ctx: Ctx, question_id: str) -> UnansweredQuestionOut:
    """Remove a question from the list, because no article is going to answer it.

    It stays dismissed if it is asked again, and its counts continue. A draft made from it stays in
    the review queue. A question that is already dismissed is refused with 400 `invalid_state`.
    """
    is_dismissed = await queries.dismiss(ctx, question_id)
    question = await get_unanswered(ctx, question_id)
    if not is_dismissed:
        raise InvalidState("This question has already been dismissed.")
    return question


@writes
async def reopen_unanswered(ctx: Ctx, question_id: str) -> UnansweredQuestionOut:
    """Undo a dismissal: the question waits again."""
    is_reopened = await queries.reopen(ctx, question_id)
    question = await get_unanswered(ctx, question_id)
    if not is_reopened:
        raise InvalidState("This question is not dismissed.")
    return question


async def get_unanswered(ctx: Ctx, question_id: str) -> UnansweredQuestionOut:
    """Get a question; one that was merged into another is not found."""
    question = await queries.find(ctx, question_id)
    if question is None:
        raise NotFound.of("question")
    return question


async def list_question_locales(ctx: Ctx) -> list[str]:
    """List the languages of unanswered questions."""
    return await queries.list_locales(ctx)


async def list_similar_questions(ctx: Ctx, question: UnansweredQuestionOut) -> list[UnansweredQuestionOut]:
    """List the questions that this one may be merged into, the most similar first."""
    return await queries.list_similar(ctx, question, limits.MAX_SIMILAR_QUESTIONS)


@writes
async def merge_unanswered(ctx: Ctx, question_id: str, into_id: str) -> UnansweredQuestionOut:
    """Merge a question into another one of its language, which keeps its wording.

    Its wordings, its counts and, if the other has none, its draft are moved there, even one that is being
    written, and later askings are counted there. Someone who asked both counts as two visitors,
    because visitors are only known by a hash within one question.
    """
    question = await get_unanswered(ctx, question_id)
    await queries.lock_language(ctx, question.locale)
    await queries.lock_gap_drafts(ctx)
    # Another merge may have ended while this one waited for the locks.
    question, target = await get_unanswered(ctx, question_id), await get_unanswered(ctx, into_id)
    if question.id == target.id or question.locale != target.locale:
        raise InvalidRequest("Choose another question of the same language to merge this one into.")
    if "dismissed" in (question.status, target.status):
        raise InvalidState("A dismissed question can't be merged: reopen it first.")
    await queries.merge(ctx, question.id, target.id)
    return await get_unanswered(ctx, target.id)


@writes
async def draft_unanswered(ctx: Ctx, question_id: str) -> UnansweredQuestionOut:
    """Have an article written that answers a question, however few have asked it; it becomes a draft.

    It is refused (400 `invalid_state`) while `limits.MAX_PENDING_GAP_DRAFTS` such drafts await review.
    """
    question = await get_unanswered(ctx, question_id)
    if question.status in ("dismissed", "drafted"):
        raise InvalidState(f"No article can be requested: this question is already {question.status}.")
    await queries.lock_gap_drafts(ctx)
    if await queries.count_gap_drafts(ctx, question.id) >= limits.MAX_PENDING_GAP_DRAFTS:
        raise InvalidState(
            f"{limits.MAX_PENDING_GAP_DRAFTS} drafts for unanswered questions await review: review some "
            "of them first."
        )
    await defer_gap_draft(ctx, question.id, is_requested=True)
    return question


async def log_unanswered(
    ctx: Ctx,
    question: str,
    visitor: str,
    locale: str,
    nearest: list[Nearest],
    *,
    meaning: str | None = None,
) -> str:
    """Count a question that the articles did not answer, under its meaning; return the id of that.

    `meaning` is the question with those that it refers to: "And on Windows?" means something else after
    each of them. Only the question itself is stored as a wording, so that erasing its visitor finds it.

    It is not marked `@writes`, because visitors may not write and a paused workspace continues to answer.
    Call it last in a transaction: until that ends, others who log a question in this language wait.
    """
    text = question_key(question[: limits.MAX_QUESTION_CHARACTERS]).text
    wording = replace(question_key((meaning or question)[: limits.MAX_QUESTION_CHARACTERS]), text=text)
    terms = await queries.question_terms(ctx, wording, locale)
    await queries.lock_language(ctx, locale)
    question_id = await queries.find_same(ctx, terms, wording.marks, locale)
    if question_id is None:
        question_id = await queries.insert(ctx, wording, terms, locale)
    visitor_hash = hash_visitor(question_id, visitor)[:VISITOR_HASH_BYTES]
    articles = nearest[: limits.MAX_NEAREST_ARTICLES]
    need = await queries.count_asking(ctx, question_id, wording.text, visitor_hash, articles)
    if need is not None:
        await defer_gap_draft(ctx, question_id, run_at=_renewal_time(ctx) if need == "renewal" else None)
    return question_id


def _renewal_time(ctx: Ctx) -> datetime:
    """A pending draft is updated with new wordings after a delay."""
    return ctx.now + limits.GAP_DRAFT_REFRESH_DELAY


async def defer_gap_draft(
    ctx: Ctx, question_id: str, *, is_requested: bool = False, run_at: datetime | None = None
) -> None:
    """Add the job that drafts an article for a question, at once unless `run_at` is given.

    A requested draft is a separate job, which a visitor's question can't replace.
    """
    payload = {"workspace": ctx.bot.workspace_id, "bot": str(ctx.bot.id), "question": question_id}
    dedupe = question_id
    if is_requested:
        payload[REQUESTED] = "yes"
        dedupe = f"{question_id} {REQUESTED}"
    await defer(ctx.tx, DRAFT_GAP, payload, run_at=run_at, dedupe=dedupe)


async def add_note_to_gaps(ctx: Ctx, conversation_id: str) -> None:
    """Have a conversation's gap drafts updated with its visitor's later message to a person."""
    for question_id in await queries.list_drafted_in(ctx, conversation_id):
        await defer_gap_draft(ctx, question_id, run_at=_renewal_time(ctx))


async def list_health(ctx: Ctx, status: StatusFilter, page: PageRequest) -> Page[Health]:
    """List the articles by their health, worst first, with the problems of each and their lines.

    The list has published articles unless `status` says otherwise. Links and anchors are checked as a
    reader's browser would follow them inside this help center; external URLs are not requested.
    """
    return _health_page(ctx, await assess_articles(ctx, status), status, page, None)


def _health_page(
    ctx: Ctx, assessment: Assessment, status: StatusFilter, page: PageRequest, code: Code | None
) -> Page[Health]:
    keyset = page.page(HEALTH_ORDER, "health", ctx.bot.id, status, *([code] if code else []))
    rows = assessment.rows if code is None else assessment.rows_by_code.get(code, [])
    start = 0 if keyset.after is None else bisect_right(rows, keyset.after, key=sort_key)
    rows = rows[start : start + keyset.size + 1]
    return keyset.page_of(rows if code is None else only_with_code(rows, code), sort_key)


async def summarize_health(ctx: Ctx, status: StatusFilter) -> HealthSummary:
    """Count the articles with problems of each kind: errors first, then the most frequent kinds."""
    return (await assess_articles(ctx, status)).summary


async def report_health(
    ctx: Ctx, status: StatusFilter, page: PageRequest, code: Code | None = None
) -> HealthReport | None:
    """The known health of articles, without a long wait; None before they are examined.

    Few articles are examined at once. For many, the report may describe an earlier state: then
    `summarize_health` examines them, which takes some seconds for thousands.
    """
    assessment, is_current = await known_assessment(ctx, status)
    if assessment is None:
        return None
    return HealthReport(assessment.summary, _health_page(ctx, assessment, status, page, code), is_current)


async def check_articles(ctx: Ctx, subject: CheckRequest, request: PageRequest) -> Page[Finding]:
    """Check articles, check an unsaved text, or find where terms are still used."""
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


async def check_links(ctx: Ctx, content: str, locale: str, article_id: str | None) -> list[Problem]:
    """Find the broken links of a text before it goes live."""
    return await link_addresses.find_dead_links(ctx, content, locale, article_id)


async def count_former_links(ctx: Ctx, article_ref: str, former_slug: str) -> int:
    """Count the articles that link to an article by a former slug, without those with such an edit."""
    article = await find_article(ctx, article_ref)
    return len(await _link_edits(ctx, article.id, former_slug))


async def propose_link_edits(ctx: Ctx, article_ref: str, former_slug: str) -> int:
    """Propose an edit of each article that links to an article by a former slug; return how many.

    The links work without it, because the former address redirects. Each edit is a draft that waits for
    review. An article with a pending edit to the same text needs no second one.
    """
    # Another request for the same edits waits for this one.
    article = await find_article(ctx, article_ref, lock=True)
    texts = await _link_edits(ctx, article.id, former_slug)
    for text in texts:
        reason = f"The address of “{article.title}” changed: the links to it now use the new one."
        draft = DraftCreate.model_validate({"contentMarkdown": text.content, "reason": reason})
        await propose_edit(ctx, text.article_id, draft)
    return len(texts)


async def _link_edits(ctx: Ctx, article_id: str, former_slug: str) -> list[CorrectedText]:
    """The texts with the current slug of an article, except those that already wait for review."""
    texts = await link_addresses.correct_former_links(ctx, article_id, former_slug)
    proposed_ids = await find_proposed(ctx, {text.article_id: text.content for text in texts})
    return [text for text in texts if text.article_id not in proposed_ids]

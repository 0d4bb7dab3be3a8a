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
from instep.identity.visitors import hash_visitor
from instep.insights import checking, queries
from instep.insights.checking import Finding
from instep.insights.health import Wanted, examine, place_of
from instep.insights.question_key import question_key
from instep.insights.schemas import ArticlesChecked, Health, Nearest, Need, UnansweredQuestion

QuestionFilter = Literal["waiting", "all", "open", "drafted", "answered", "dismissed"]
STATUSES: dict[QuestionFilter, list[str]] = {
    "waiting": ["open", "drafted"],
    "all": ["open", "drafted", "answered", "dismissed"],
}
HEALTH_ORDER = Order(("score", "article_id"), descending=False)
VISITOR_HASH_BYTES = 16
DRAFT_GAP = "draft_gap"


async def list_unanswered(ctx: Ctx, wanted: QuestionFilter, page: PageRequest) -> Page[UnansweredQuestion]:
    """List the questions that the published articles did not answer, most asked first.

    Questions of one meaning in one language are one row, with all of its wordings and counts: they share most
    of their words, whatever their order, endings and small words. Without `status` the list holds what still
    waits: `open` and `drafted` ones.
    Counts tell of the last 180 days; a question that nobody has asked for so long is forgotten.
    """
    return await queries.list_page(ctx, STATUSES.get(wanted, [wanted]), page)


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
    """Count a question that the articles did not answer, under its meaning; the id that it is listed by.

    Whoever asks may not write, and a paused workspace goes on answering: so this is no `@writes`. Call it
    last in a transaction: until that ends, others wait who log a question of the same language.
    """
    wording = question_key(question[: limits.MAX_QUESTION_CHARACTERS])
    terms = await queries.terms_of(ctx, wording, locale)
    await queries.lock_meanings(ctx, locale)
    question_id = await queries.find_same(ctx, terms, wording.marks, locale)
    if question_id is None:
        question_id = await queries.insert(ctx, wording, terms, locale)
    near = nearest[: limits.MAX_NEAREST_ARTICLES]
    asker = hash_visitor(question_id, visitor)[:VISITOR_HASH_BYTES]
    await defer_draft(
        ctx, question_id, await queries.count_asking(ctx, question_id, wording.text, asker, near)
    )
    return question_id


async def defer_draft(ctx: Ctx, question_id: str, need: Need) -> None:
    """Have a gap drafted at once; a draft that waits already takes in new wordings once in a while."""
    if need is None:
        return
    payload = {"workspace": ctx.bot.workspace_id, "bot": str(ctx.bot.id), "question": question_id}
    run_at = ctx.now + limits.GAP_DRAFT_REFRESH_DELAY if need == "renewal" else None
    await defer(ctx.tx.connection, DRAFT_GAP, payload, run_at=run_at, dedupe=question_id)


async def take_in_note(ctx: Ctx, conversation_id: str) -> None:
    """Have the drafts of what a visitor asked in vain take in what the visitor then wrote to a person."""
    for question_id in await queries.list_drafted_in(ctx, conversation_id):
        await defer_draft(ctx, question_id, "renewal")


async def list_health(ctx: Ctx, wanted: Wanted, page: PageRequest) -> Page[Health]:
    """List the articles by their health, worst first, with what is wrong with each and where.

    Published articles unless `status` says otherwise. Links and anchors are checked as a reader's browser
    would follow them inside this help center; addresses elsewhere are not asked for.
    """
    place = page.page(HEALTH_ORDER, "health", ctx.bot.id, wanted)
    found = await examine(ctx, wanted)
    start = 0 if place.after is None else bisect_right(found, place.after, key=place_of)
    return place.page_of(found[start : start + place.size + 1], place_of)


async def check_articles(ctx: Ctx, wanted: ArticlesChecked, request: PageRequest) -> Page[Finding]:
    """Check articles, a text that is not saved yet, or where words still stand."""
    if len(wanted.model_fields_set) != 1:
        raise InvalidRequest("Send exactly one of `articleIds`, `contentMarkdown` and `terms`.")
    digest = hashlib.sha256(wanted.model_dump_json().encode()).hexdigest()
    page = request.page(checking.ORDER, "check", ctx.bot.id, digest)
    if wanted.terms is not MISSING:
        found = await checking.find_mentions(ctx, wanted.terms, page)
    elif wanted.article_ids is not MISSING:
        found = checking.behind(page, await checking.check_saved(ctx, wanted.article_ids))
    else:
        assert wanted.content_markdown is not MISSING, "one of the three was sent"
        found = checking.behind(page, await checking.check_text(ctx, wanted.content_markdown))
    return page.page_of(found[: page.size + 1], lambda finding: finding.place)

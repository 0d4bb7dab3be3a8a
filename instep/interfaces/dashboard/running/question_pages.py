"""Questions that the articles did not answer, and people's decisions on them."""

from starlette.responses import Response

from instep.interfaces.dashboard.bot_pages import BotPage, PageRouter
from instep.interfaces.dashboard.running.listing import address, chosen, filter_tabs, links_between
from instep.interfaces.dashboard.shell import pages
from instep.platform.core import limits
from instep.platform.identity.scopes import Role
from instep.platform.text.characters import shorten
from instep.platform.web.notices import Notice
from instep.search.actions import count_without_vectors
from instep.visitors.insights import actions
from instep.visitors.insights.actions import QuestionFilter
from instep.visitors.insights.schemas import UnansweredQuestionOut

# Maximum length of a question in a notice about it.
NOTICE_CHARACTERS = 60

FILTERS: dict[QuestionFilter, str] = {
    "waiting": "Waiting",
    "open": "Open",
    "drafted": "Drafted",
    "answered": "Answered",
    "dismissed": "Dismissed",
}
router = PageRouter("questions")


@router.get()
async def show_questions(page: BotPage) -> Response:
    locales = await actions.list_question_locales(page.ctx)
    status = chosen(page, "status", FILTERS)
    locale = page.query.get("language") if page.query.get("language") in locales else None
    rows = await actions.list_unanswered(
        page.ctx, status, page.rows_at_cursor(limits.DEFAULT_PAGE_SIZE), locale
    )
    return await page.show(
        "running/questions.html",
        questions=rows.rows,
        without_vectors=await count_without_vectors(page.ctx),
        filter=status,
        language=locale,
        tabs_shown=filter_tabs(page, "questions", FILTERS, status, language=locale),
        languages=[
            (address(page, "questions", status=page.query.get("status"), language=code), code or "All", code)
            for code in (None, *locales)
        ],
        links=links_between(
            page, "questions", rows.next_cursor, status=page.query.get("status"), language=locale
        ),
    )


@router.post("{question_id}/draft", Role.EDITOR)
async def write_for_question(page: BotPage) -> Response:
    await actions.draft_unanswered(page.ctx, page.param("question_id"))
    return page.leave("questions", "An article is being written. It will appear under Review in a moment.")


@router.post("{question_id}/dismiss", Role.EDITOR)
async def dismiss_question(page: BotPage) -> Response:
    question = await actions.dismiss_unanswered(page.ctx, page.param("question_id"))
    undo = page.path(f"questions/{question.id}/reopen")
    return page.leave(
        "questions", Notice(f"Dismissed “{shorten(question.question, NOTICE_CHARACTERS)}”.", undo)
    )


@router.post("{question_id}/reopen", Role.EDITOR)
async def reopen_question(page: BotPage) -> Response:
    question = await actions.reopen_unanswered(page.ctx, page.param("question_id"))
    return page.leave("questions", f"“{shorten(question.question, NOTICE_CHARACTERS)}” is open again.")


@router.get("{question_id}/merge", Role.EDITOR)
async def show_merging(page: BotPage, problem: str = "") -> Response:
    question = await actions.get_unanswered(page.ctx, page.param("question_id"))
    return await page.show(
        "running/question_merging.html",
        400 if problem else 200,
        question=question,
        problem=problem,
        choices_shown=[
            (other.id, other.question, asked_in_words(other))
            for other in await actions.list_similar_questions(page.ctx, question)
        ],
    )


@router.post("{question_id}/merge", Role.EDITOR)
async def merge_question(page: BotPage) -> Response:
    if not page.form.get("into"):
        return await show_merging(page, "Nothing was merged: choose the question to merge into.")
    target = await actions.merge_unanswered(page.ctx, page.param("question_id"), page.form.get("into", ""))
    return page.leave("questions", f"Merged into “{shorten(target.question, NOTICE_CHARACTERS)}”.")


def asked_in_words(question: UnansweredQuestionOut) -> str:
    times = "once" if question.asked_count == 1 else f"{question.asked_count:,} times"
    visitors = "1 visitor" if question.visitor_count == 1 else f"{question.visitor_count:,} visitors"
    return f"asked {times} by {visitors}"


pages.pages.environment.filters["asked_in_words"] = asked_in_words
